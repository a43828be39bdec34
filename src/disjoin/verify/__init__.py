"""The verifier: checks published data without knowing how it was made."""

from disjoin.verify.checking import certify, check, extent_in_parts, judge, with_stronger_guarantees

__all__ = ["certify", "check", "extent_in_parts", "judge", "with_stronger_guarantees"]
