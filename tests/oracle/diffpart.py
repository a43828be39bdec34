"""DiffPart, slowly and plainly: nested tuples for the tree, sets for the records (section E.3)."""

from fractions import Fraction
from itertools import combinations


def tree_of(terms, fan_out):
    """Terms grouped by `fan_out`, level by level, until one root; an inner node is the tuple of its children."""
    nodes = sorted(terms)
    while True:
        nodes = [tuple(nodes[i : i + fan_out]) for i in range(0, len(nodes), fan_out)]
        if len(nodes) == 1:
            return nodes[0]


def leaves(node):
    return [node] if isinstance(node, str) else [leaf for child in node for leaf in leaves(child)]


def level(node):
    return 0 if isinstance(node, str) else 1 + level(node[0])


def inner_nodes(node):
    return 0 if isinstance(node, str) else 1 + sum(inner_nodes(child) for child in node)


def subsets(children):
    """All non-empty subsets of the children, with their numbers: child j counts 2^j."""
    places = range(len(children))
    for size in range(1, len(children) + 1):
        for chosen in combinations(places, size):
            yield sum(2**place for place in chosen), [children[place] for place in chosen]


def publish(records, domain, *, budget, fan_out, prune, keep, noise, deviation):
    """Return the published itemsets with their counts, and what each path that came to its end has spent.

    `noise(number, epsilon)` is added to the count of the subset with that number; `deviation(epsilon)` is the unit of
    the thresholds.
    """
    inside = [frozenset(record) & frozenset(domain) for record in records]
    published, ended = {}, []

    def visit(cut, part, spent):
        total = sum(inner_nodes(node) for node in cut)
        highest = max(level(node) for node in cut)
        first = min((node for node in cut if level(node) == highest), key=lambda node: leaves(node)[0])
        is_last = total == 1
        epsilon = budget - spent if is_last else (Fraction(budget) / 2 - spent) / total
        for number, chosen in subsets(first):
            there = [r for r in part if [c for c in first if r & set(leaves(c))] == chosen]
            count = len(there) + noise(number, epsilon)
            new_cut = [node for node in cut if node is not first] + chosen
            if is_last:
                if count >= keep * deviation(epsilon) and round(count) >= 1:
                    published[frozenset(new_cut)] = round(count)
                    ended.append(spent + epsilon)
            elif count >= prune * level(first) * deviation(epsilon):
                visit(new_cut, there, spent + epsilon)

    visit([tree_of(domain, fan_out)], [record for record in inside if record], Fraction(0))
    return published, ended
