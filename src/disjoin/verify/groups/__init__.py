"""Verification of groups: P1-P5 and Q1-Q4."""
