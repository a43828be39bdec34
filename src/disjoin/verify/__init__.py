"""The inspector: judges published data by what it says, knowing nothing of how it was made."""

from disjoin.verify.certificate import certify, judge
from disjoin.verify.checking import check

__all__ = ["certify", "check", "judge"]
