"""The steward's private ledger: which people and records were published before, as keyed hashes, beside the data."""
