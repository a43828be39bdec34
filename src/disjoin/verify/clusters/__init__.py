"""Verification of clusters: k^m-anonymity of chunks, form, and agreement with the original (V1-V15, O1-O7, G1)."""
