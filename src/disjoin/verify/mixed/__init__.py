"""The inspection of mixed data: clusters of terms, and the rows of their people."""
