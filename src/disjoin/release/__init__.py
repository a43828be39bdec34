"""The release folder: descriptor, tables and texts."""
