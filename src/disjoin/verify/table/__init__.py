"""Verification of tables: T1-T14, X1 and U1-U5."""
