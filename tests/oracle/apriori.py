"""Apriori and direct anonymisation, slow and obvious (section E.2): everything is counted again after each step.

A tree is its rows: for each leaf the names from the leaf to the root, in which a repeated name is one node.
"""

from fractions import Fraction
from itertools import combinations, product


def tree_of(rows):
    """Return, for every leaf, its different names from the leaf to the root."""
    return {row[0]: tuple(dict.fromkeys(row)) for row in rows}


def anonymised(records, tree, k, m, algorithm="apriori"):
    """Return the cut: what every leaf of the tree is published as."""
    cut = {leaf: leaf for leaf in tree}
    if algorithm == "direct":
        return repaired(records, tree, k, range(1, m + 1), cut)
    for size in range(1, m + 1):
        cut = repaired(records, tree, k, [size], cut)
    return cut


def repaired(records, tree, k, sizes, cut):
    while rare := rare_itemsets(generalised(records, cut), k, sizes):
        cut = cheapest(records, tree, k, cut, min(rare))
    return cut


def generalised(records, cut):
    return [frozenset(cut[term] for term in record) for record in records]


def rare_itemsets(records, k, sizes):
    """Return the itemsets of these sizes, as sorted tuples, that are in some records but in fewer than k."""
    counts = {}
    for record in records:
        for size in sizes:
            for itemset in combinations(sorted(record), size):
                counts[itemset] = counts.get(itemset, 0) + 1
    return [itemset for itemset, count in counts.items() if count < k]


def cheapest(records, tree, k, cut, itemset):
    """Try every way to replace members by what is above them; return the cheapest cut that makes them frequent."""
    above = [paths_from(tree, node) for node in itemset]
    tried = []
    for chosen in product(*above):
        merged = with_nodes(tree, cut, chosen)
        images = {merged[leaf] for leaf in tree if cut[leaf] in itemset}
        count = sum(images <= record for record in generalised(records, merged))
        if count >= k:
            tried.append((ncp(records, tree, merged), tuple(sorted(images)), merged))
    return min(tried, key=lambda way: way[:2])[2]


def paths_from(tree, node):
    """Return a node and everything above it."""
    path = next(path for path in tree.values() if node in path)
    return path[path.index(node) :]


def with_nodes(tree, cut, nodes):
    """Return the cut with each leaf at the highest of its image and the nodes above it."""
    return {leaf: max([cut[leaf], *(n for n in nodes if n in path)], key=path.index) for leaf, path in tree.items()}


def ncp(records, tree, cut):
    """Return the certainty that is lost, by occurrence: 0 for a term that stays, else the share of leaves it may be."""
    terms = [term for record in records for term in record]
    leaves_of = {node: sum(node in path for path in tree.values()) for path in tree.values() for node in path}
    lost = (Fraction(0) if cut[term] == term else Fraction(leaves_of[cut[term]], len(tree)) for term in terms)
    return sum(lost, Fraction(0)) / len(terms)
