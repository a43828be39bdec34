"""Analysis of a release without its original: supports, frequent itemsets, association rules, reconstructions."""

from disjoin.analyst.mining import mine, rules, single_terms
from disjoin.analyst.pairs import Pairs, pair_matrix
from disjoin.analyst.supports import support, unknown_in_words, unknown_terms

__all__ = ["Pairs", "mine", "pair_matrix", "rules", "single_terms", "support", "unknown_in_words", "unknown_terms"]
