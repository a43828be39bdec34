"""The release folder: its descriptor, its tables and texts, written whole or not at all, and read again."""
