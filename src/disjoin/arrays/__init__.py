"""Compiled loops that several packages share: numpy arrays in, numpy arrays out."""
