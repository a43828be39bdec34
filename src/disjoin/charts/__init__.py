"""Charts as data, how they are drawn, and columns of characters."""
