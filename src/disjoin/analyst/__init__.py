"""The receiver's desk: what can be done with a release alone."""

from disjoin.analyst.mining import mine
from disjoin.analyst.pairs import Pairs, pair_matrix
from disjoin.analyst.supports import support, unknown_in_words, unknown_terms

__all__ = ["Pairs", "mine", "pair_matrix", "support", "unknown_in_words", "unknown_terms"]
