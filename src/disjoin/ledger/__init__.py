"""Ledger: which people and records were published before, as keyed hashes in a private file."""
