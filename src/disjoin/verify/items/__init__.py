"""Verification of generalised items: A1-A6 and B1-B3."""
