"""The inspection of groups of records: P1-P5 and Q1-Q4."""
