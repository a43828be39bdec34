"""Random small data for property tests, and the way from published data to the twins' form."""

from hypothesis import strategies as st

NAMES = [f"t{number:02d}" for number in range(14)]


@st.composite
def baskets(draw, most_records=30, least_records=2):
    """Lists of records; few terms, so that they meet often."""
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    longest = draw(st.integers(1, min(7, len(names))))
    record = st.lists(st.sampled_from(names), min_size=1, max_size=longest, unique=True)
    return draw(st.lists(record, min_size=least_records, max_size=most_records))


@st.composite
def cases(draw, strategies=("abandon", "abandon-next", "suppression", "adding", "remaining", "cardiff")):
    """Records with parameters that fit them."""
    records = draw(baskets())
    k = draw(st.integers(2, min(4, len(records))))
    return {
        "records": records,
        "k": k,
        "m": draw(st.integers(1, 4)),
        "limit": draw(st.integers(k + 1, 12)),
        "strategy": draw(st.sampled_from(strategies)),
        "sensitive": tuple(draw(st.sets(st.sampled_from(NAMES), max_size=2))),
    }


def expanded(trees):
    """Write run-length coded subrecords out, as the twins do, and drop what is not content."""
    out = []
    for tree in trees:
        plain = {"type": tree["type"], "size": tree["size"]}
        for name in ("record_chunks", "shared_chunks"):
            if name in tree:
                plain[name] = [
                    {"subrecords": [list(terms) for terms, count in chunk["subrecords"] for _ in range(count)]}
                    for chunk in tree[name]
                ]
        if "children" in tree:
            plain["children"] = expanded(tree["children"])
        else:
            plain["term_chunk"] = list(tree["term_chunk"])
        out.append(plain)
    return out
