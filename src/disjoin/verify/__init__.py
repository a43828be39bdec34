"""The inspector: judges published data by what it says, knowing nothing of how it was made."""

from disjoin.verify.checking import certify, check, judge

__all__ = ["certify", "check", "judge"]
