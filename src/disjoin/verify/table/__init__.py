"""Verification of tables: k-anonymity and its extensions, form, and agreement with the original (T1-T14, X1, U1-U5)."""
