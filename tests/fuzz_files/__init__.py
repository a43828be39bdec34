"""Byte flips of every file that the program reads: what is changed is refused, noticed, or read as what it says."""
