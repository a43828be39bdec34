"""Publish data so that nobody can be joined back to it, and prove it."""
