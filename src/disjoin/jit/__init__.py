"""Machine room: numpy and numba only, arrays in, arrays out."""
