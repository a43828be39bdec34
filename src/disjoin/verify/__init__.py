"""The verifier: checks published data, independently of how they were made."""

from disjoin.verify.checking import certify, check, extent_in_parts, judge, with_stronger_guarantees

__all__ = ["certify", "check", "extent_in_parts", "judge", "with_stronger_guarantees"]
