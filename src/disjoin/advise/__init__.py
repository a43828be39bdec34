"""Advice to whoever has the data: a few settings are tried on them, and what each keeps is held against what it shows.

Everything in this room is a fact about the original: it is for the data steward's eyes.
"""
