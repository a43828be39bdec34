"""The inspection of clusters of chunks: V1-V15, O1-O7 and G1."""
