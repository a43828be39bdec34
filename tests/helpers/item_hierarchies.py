"""Random small hierarchies of terms, with records over them, for property tests."""

from hypothesis import strategies as st

LEAVES = [f"t{number:02d}" for number in range(12)]
GROUPS = ["A", "z", "t01x", "t05x", "t99", "B", "s"]  # before, after and among the leaves by name


@st.composite
def term_trees(draw, most_leaves=9):
    """Rows of a hierarchy: of uneven depth, with names repeated upwards and nodes with one child only."""
    leaves = draw(st.permutations(LEAVES[: draw(st.integers(1, most_leaves))]))
    repeats = {}
    rows = {leaf: [leaf] for leaf in leaves}
    names = iter(draw(st.permutations(GROUPS)))
    tops = [[leaf] for leaf in leaves]  # the trees so far, as lists of leaves
    for name in names:
        if draw(st.booleans()) and len(tops) > 1:
            chosen = draw(st.sets(st.integers(0, len(tops) - 1), min_size=1, max_size=3))
            joined = [leaf for place in sorted(chosen) for leaf in tops[place]]
            tops = [top for place, top in enumerate(tops) if place not in chosen] + [joined]
            repeats[name] = draw(st.sampled_from([1, 1, 2]))
            deepest = max(len(rows[leaf]) for leaf in joined)
            for leaf in joined:
                rows[leaf] = _lengthened(rows[leaf], deepest) + [name] * repeats[name]
    root = draw(st.sampled_from(["*", "t03x", "zz"]))
    return [(*row, root) for row in rows.values()]


def _lengthened(row, length):
    """A short branch is repeated at its leaf, as a hierarchy does it."""
    return [row[0]] * (length - len(row)) + row


@st.composite
def generalisable(draw, most_records=20, most_m=3):
    """Records over some leaves of a hierarchy, with a guarantee that can be reached."""
    rows = draw(term_trees())
    leaves = sorted(row[0] for row in rows)
    record = st.lists(st.sampled_from(leaves), min_size=1, max_size=min(5, len(leaves)), unique=True)
    records = draw(st.lists(record, min_size=2, max_size=most_records))
    k = min(draw(st.sampled_from([2, 2, 2, 3, 4])), len(records))  # a high k leaves only the root
    return {"records": records, "rows": rows, "k": k, "m": draw(st.integers(1, most_m))}
