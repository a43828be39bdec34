"""How kernels are compiled, for the rooms that share no code with the inspector."""

from __future__ import annotations

from disjoin.compiling.kernel import inner, kernel, overflowing

__all__ = ["inner", "kernel", "overflowing"]
