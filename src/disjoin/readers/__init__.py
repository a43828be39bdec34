"""Readers of input: files, databases, data frames and objects in memory."""
