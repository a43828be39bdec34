"""The receiver's desk: what can be done with a release alone."""

from disjoin.analyst.supports import support

__all__ = ["support"]
