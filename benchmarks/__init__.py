"""Measurements, not tests: sizes, times, memory, and ratios against a baseline measured in the same run."""
