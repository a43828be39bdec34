"""Verification of mixed data: clusters of terms and rows of people."""
