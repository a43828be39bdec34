"""Verification of clusters: V1-V15, O1-O7 and G1."""
