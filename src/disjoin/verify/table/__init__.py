"""The inspection of tables: T1-T7, X1 and U1-U5."""
