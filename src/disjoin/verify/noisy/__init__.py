"""Verification of noisy records: N1-N4."""
