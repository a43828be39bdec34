"""The slow, obvious twins of REFINE (section A.5 word by word, and `levels`). Standard library only.

While it works a leaf is `{"rows", "records", "record_chunks", "terms"}` (rows: the numbers of its records; terms: its
term chunk) and a joint cluster `{"shared_chunks", "children"}`. Nothing is changed in place: a join makes new leaves.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from oracle.disassociation import canonical_key, horpart, is_km_anonymous, projections, verpart

Node = dict[str, Any]
BOTH = ("S1", "S2")


# ------------------------------------------------------------------ nodes


def make_leaf(records, k, m, sensitive=(), rows=None) -> Node:
    """VERPART on one cluster."""
    simple = verpart(records, k, m, sensitive)
    return {
        "rows": list(range(len(records))) if rows is None else list(rows),
        "records": [frozenset(record) for record in records],
        "record_chunks": [chunk["subrecords"] for chunk in simple["record_chunks"]],
        "terms": frozenset(simple["term_chunk"]),
    }


def make_leaves(clusters, k, m, sensitive=()) -> list[Node]:
    """VERPART on clusters; their records are numbered one cluster after the other."""
    leaves, first = [], 0
    for records in clusters:
        leaves.append(make_leaf(records, k, m, sensitive, range(first, first + len(records))))
        first += len(records)
    return leaves


def leaves_of(node: Node) -> list[Node]:
    return [leaf for child in node["children"] for leaf in leaves_of(child)] if "children" in node else [node]


def size_of(node: Node) -> int:
    return sum(len(leaf["records"]) for leaf in leaves_of(node))


def virtual_term_chunk(node: Node) -> frozenset[str]:
    return frozenset().union(*(leaf["terms"] for leaf in leaves_of(node)))


def terms_in_chunks(node: Node) -> frozenset[str]:
    """All terms of record chunks of the leaves and of shared chunks, the node's own included."""
    own = node["shared_chunks"] if "children" in node else node["record_chunks"]
    below = [terms_in_chunks(child) for child in node.get("children", ())]
    return frozenset(t for chunk in own for subrecord in chunk for t in subrecord).union(*below)


def without(node: Node, terms) -> Node:
    """The same node with some terms taken out of its term chunks."""
    if "children" in node:
        return {**node, "children": [without(child, terms) for child in node["children"]]}
    return {**node, "terms": node["terms"] - terms}


# ------------------------------------------------------------------ JOIN


def join(children, k, m, mode="safe", sensitive=(), largest=None, rules=BOTH, only=None) -> Node | None:
    """Join two or more clusters, or return None.

    T0 are the terms in the virtual term chunks of at least two children: for two, their intersection; `only` limits it.
    """
    rules = rules if mode == "safe" else ()
    leaves = [leaf for child in children for leaf in leaves_of(child)]
    size = sum(len(leaf["records"]) for leaf in leaves)
    if largest is not None and size > largest:
        return None
    in_children = Counter(t for child in children for t in virtual_term_chunk(child))
    wanted = {t for t, count in in_children.items() if count >= 2 and (only is None or t in only)} - set(sensitive)
    taken = frozenset().union(*(terms_in_chunks(child) for child in children))
    if "S1" in rules:
        wanted -= taken
    while True:
        parts = [record & leaf["terms"] & wanted for leaf in leaves for record in leaf["records"]]
        support = Counter(t for part in parts for t in part)
        domains = shared_domains(parts, support, taken, k, m)
        shared = frozenset(t for domain in domains for t in domain)
        if not shared:
            return None
        lost = term_to_give_up(leaves, shared, support, k, m) if "S2" in rules else None
        if lost is None:
            break
        wanted = shared - {lost}
    if not pays(leaves, shared, support, size):
        return None
    return {
        "shared_chunks": [projections(parts, domain) for domain in domains],
        "children": [without(child, shared) for child in children],
    }


def shared_domains(parts, support, taken, k, m) -> list[list[str]]:
    """Greedily, as VERPART: k^m-anonymous, and k-anonymous where a term is in a chunk below (Property 1)."""

    def fits(domain):
        if set(domain) & taken:
            return all(count >= k for count in Counter(map(tuple, projections(parts, domain))).values())
        return is_km_anonymous(parts, domain, k, m)

    remain, domains = sorted((t for t in support if support[t] >= k), key=lambda t: (-support[t], t)), []
    while remain:
        current: list[str] = []
        for t in remain:
            if fits([*current, t]):
                current.append(t)
        domains.append(current)
        remain = [t for t in remain if t not in current]
    return domains


def needs_its_term_chunk(leaf, k, m) -> bool:
    h = max(1, min(m, len(leaf["record_chunks"])))
    return sum(map(len, leaf["record_chunks"])) < len(leaf["records"]) + k * (h - 1)


def term_to_give_up(leaves, shared, support, k, m) -> str | None:
    """Rule S2: the term that must stay because a leaf would lose the term chunk that it needs, or None."""
    bad = [leaf for leaf in leaves if leaf["terms"] and leaf["terms"] <= shared and needs_its_term_chunk(leaf, k, m)]
    candidates = [max(leaf["terms"], key=lambda t: (-support[t], t)) for leaf in bad]
    return min(candidates, key=lambda t: (-support[t], t), default=None)


def pays(leaves, shared, support, size) -> bool:
    """Equation 1 in integers."""
    touched = [leaf for leaf in leaves if leaf["terms"] & shared]
    gained = sum(support[t] for t in shared) * sum(len(leaf["records"]) for leaf in touched)
    return gained >= sum(len(leaf["terms"] & shared) for leaf in touched) * size


# ------------------------------------------------------------------ REFINE


def in_order(nodes: list[Node]) -> list[Node]:
    """Stable sort by the ranks of the terms of the virtual term chunks; empty ones go last."""
    chunks = Counter(t for node in nodes for t in virtual_term_chunk(node))
    rank = {t: place for place, t in enumerate(sorted(chunks, key=lambda t: (-chunks[t], t)))}

    def key(node):
        ranks = sorted(rank[t] for t in virtual_term_chunk(node))
        return not ranks, ranks

    return sorted(nodes, key=key)


def one_pass(nodes: list[Node], k, m, **options) -> list[Node]:
    nodes, after, i = in_order(nodes), [], 0
    while i < len(nodes):
        joined = join(nodes[i : i + 2], k, m, **options) if i + 1 < len(nodes) else None
        after.append(nodes[i] if joined is None else joined)
        i += 1 if joined is None else 2
    return after


def refined(nodes: list[Node], k, m, passes=None, **options) -> list[Node]:
    """Passes to the fixed point, or at most that many."""
    done = 0
    while passes is None or done < passes:
        before, nodes = len(nodes), one_pass(nodes, k, m, **options)
        done += 1
        if len(nodes) == before:
            break
    return nodes


# ------------------------------------------------------------------ levels: runs of clusters at once

SHORTEST_RUN, LONGEST_RUN, YIELD, SPREAD, KEY, NO_RANK = 2, 16, 20, 4, 4, 2**15 - 1


def free_terms(node: Node) -> frozenset[str]:
    return virtual_term_chunk(node) - terms_in_chunks(node)


def in_order_of_first_terms(nodes: list[Node], sensitive) -> list[Node]:
    """Stable sort by the four best ranks of the terms that a node could share."""
    clusters = Counter(t for node in nodes for t in free_terms(node))
    rank = {t: place for place, t in enumerate(sorted(clusters, key=lambda t: (-clusters[t], t)))}

    def key(node):
        ranks = sorted(min(rank[t], NO_RANK) for t in free_terms(node) - set(sensitive))[:KEY]
        return ranks + [NO_RANK] * (KEY - len(ranks))

    return sorted(nodes, key=key)


def members_of(children, shared) -> list[Node]:
    return [child for child in children if virtual_term_chunk(child) & shared]


def join_run(children, k, m, mode="safe", sensitive=(), largest=None) -> list[Node]:
    """Join those of the children that share terms which are not spread too thinly; return what there is then."""
    leaves = [leaf for child in children for leaf in leaves_of(child)]
    support = Counter(t for leaf in leaves for record in leaf["records"] for t in record & leaf["terms"])
    in_children = Counter(t for child in children for t in virtual_term_chunk(child))
    shared = {t for t in support if in_children[t] >= 2 and support[t] >= k} - set(sensitive)
    if mode == "safe":
        shared -= frozenset().union(*map(terms_in_chunks, children))
    while True:
        size = sum(map(size_of, members_of(children, shared)))
        homes = {t: [leaf for leaf in leaves if t in leaf["terms"]] for t in shared}
        records = {t: sum(len(leaf["records"]) for leaf in homes[t]) for t in shared}
        thin = {t for t in shared if SPREAD * support[t] * records[t] < len(homes[t]) * size}
        if not thin:
            break
        shared -= thin
    while mode == "safe" and (lost := term_to_give_up(leaves, shared, support, k, m)) is not None:
        shared -= {lost}
    members = members_of(children, shared)
    options = {"mode": mode, "sensitive": sensitive, "largest": largest, "only": shared}
    joint = join(members, k, m, **options) if members else None
    return children if joint is None else [joint, *(child for child in children if child not in members)]


def runs_of(nodes: list[Node], run, largest) -> list[list[Node]]:
    runs: list[list[Node]] = []
    for node in nodes:
        fits = runs and len(runs[-1]) < run
        if fits and largest is not None:
            fits = sum(map(size_of, runs[-1])) + size_of(node) <= largest
        if fits:
            runs[-1].append(node)
        else:
            runs.append([node])
    return runs


def refined_in_levels(nodes: list[Node], k, m, passes=None, sensitive=(), largest=None, **options) -> list[Node]:
    run, done = SHORTEST_RUN, 0
    while passes is None or done < passes:
        before = len(nodes)
        runs = runs_of(in_order_of_first_terms(nodes, sensitive), run, largest)
        nodes = [n for r in runs for n in join_run(r, k, m, sensitive=sensitive, largest=largest, **options)]
        done += 1
        if run == LONGEST_RUN and len(nodes) == before:
            break
        if (before - len(nodes)) * YIELD < before:
            run = min(2 * run, LONGEST_RUN)
    return nodes


def refine_in_levels_and_trace(clusters, k, m, sensitive=(), **options) -> tuple[list[Node], list[int]]:
    """As `refine_and_trace`, by levels."""
    return published(refined_in_levels(make_leaves(clusters, k, m, sensitive), k, m, sensitive=sensitive, **options))


# ------------------------------------------------------------------ the whole of it


def refine(clusters, k, m, mode="safe", sensitive=(), passes=None, largest=None, rules=BOTH) -> list[Node]:
    """VERPART and REFINE on clusters in HORPART's order of emission: the nested form, in canonical order."""
    options = {"mode": mode, "sensitive": sensitive, "passes": passes, "largest": largest, "rules": rules}
    return refine_and_trace(clusters, k, m, **options)[0]


def refine_and_trace(clusters, k, m, sensitive=(), **options) -> tuple[list[Node], list[int]]:
    """As `refine`, and the number (in pre-order) of the leaf of each record, counted through the clusters."""
    return published(refined(make_leaves(clusters, k, m, sensitive), k, m, sensitive=sensitive, **options))


def publish(records, k, m, limit, strategy, ties="lex", sensitive=(), **options) -> list[Node]:
    """The whole chain with REFINE, in canonical order."""
    clusters, _ = horpart(records, limit, k, strategy, ties, sensitive)
    return refine([[records[r] for r in cluster] for cluster in clusters], k, m, sensitive=sensitive, **options)


# ------------------------------------------------------------------ what is published


def published(nodes: list[Node]) -> tuple[list[Node], list[int]]:
    """Nodes in the nested form of A.6 and canonical order, and for every record the number of its leaf."""
    trees = sorted(map(as_tree, nodes), key=canonical_key)
    leaf_of_row: dict[int, int] = {}
    for number, tree in enumerate(in_preorder(trees)):
        leaf_of_row |= dict.fromkeys(tree.pop("rows", ()), number)
    return trees, [leaf_of_row[row] for row in sorted(leaf_of_row)]


def as_tree(node: Node) -> Node:
    if "children" not in node:
        chunks = [{"subrecords": chunk} for chunk in sorted(node["record_chunks"])]
        leaf = {"type": "simple", "size": size_of(node), "record_chunks": chunks, "term_chunk": sorted(node["terms"])}
        return {**leaf, "rows": node["rows"]}
    return {
        "type": "joint",
        "size": size_of(node),
        "shared_chunks": [{"subrecords": chunk} for chunk in sorted(node["shared_chunks"])],
        "children": sorted(map(as_tree, node["children"]), key=canonical_key),
    }


def in_preorder(trees: list[Node]) -> list[Node]:
    return [node for tree in trees for node in [tree, *in_preorder(tree.get("children", []))]]
