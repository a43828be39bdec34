"""Statistics of clusters, and their summary."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.attack.exposed_sets import chunks_of
from disjoin.charts.distribution import distribution_of, range_of, tally
from disjoin.model.clusters import Clusters
from disjoin.model.km_anonymity import KmAnonymity
from disjoin.model.parameters import Guarantee
from disjoin.model.ragged import Ints64, counts_of
from disjoin.model.release import Report
from disjoin.text import counted, is_none_of_possible, some_percent


def statistics_of(
    published: Clusters, guarantee: Guarantee, parameters: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return numbers of clusters, chunks and terms, their distributions, and the slack of the guarantee; in batches."""
    found = [_counted_in(trees, guarantee) for trees in published.in_ranges()]
    chunks, universal, with_universal, slacks, widths, lengths = zip(*found, strict=True)
    n_terms, leaf = len(published.vocabulary), ~published.is_joint
    return {
        "clusters": {
            "total": len(published),
            "leaves": int(leaf.sum()),
            "joint": int(published.is_joint.sum()),
            "top_level": int((published.parents < 0).sum()),
        },
        "chunks": {"record": sum(chunks), "shared": len(published.chunks) - sum(chunks)},
        "subrecords": {"distinct": published.counts.size, "total": int(published.counts.sum())},
        "terms": {
            "total": n_terms,
            "only_in_term_chunks": int((~published.subrecords.used(n_terms)).sum()),
            "term_chunk_entries": published.term_items.size,
        },
        "frequent_terms": frequent_terms(published, frozenset(getattr(guarantee, "sensitive", ()))),
        "universal_terms": {"entries": sum(universal), "leaves": sum(with_universal)},
        "least_slack": min((slack for slack in slacks if slack is not None), default=None),
        "cluster_sizes": distribution_of(published.sizes[leaf]),
        "chunk_widths": _distribution(widths),
        "subrecord_lengths": _distribution(lengths),
        "term_chunk_sizes": distribution_of(published.term_chunks.lengths[leaf]),
    }


Tally = tuple[Ints64, Ints64]  # numbers, and how often each occurs


def _counted_in(trees: Clusters, guarantee: Guarantee) -> tuple[int, int, int, int | None, Tally, Tally]:
    """Count record chunks, their universal terms, leaves with such terms, the least slack, and widths and lengths."""
    from disjoin.measure.disclosure import widths_and_universal  # brings the compiler along

    leaf = ~trees.is_joint
    owners = trees.nodes.owners()  # (chunks,)
    widths, universal = widths_and_universal(chunks_of(trees), len(trees.vocabulary), trees.sizes[owners])
    universal = universal * leaf[owners]
    return (
        int(leaf[owners].sum()),
        int(universal.sum()),
        int(np.count_nonzero(np.bincount(owners[universal > 0]))),
        _least_slack(trees, leaf, guarantee) if isinstance(guarantee, KmAnonymity) else None,
        tally(widths),
        tally(trees.subrecords.lengths, trees.counts),
    )


def _distribution(tallies: Iterable[Tally]) -> dict[str, Any]:
    return distribution_of(*(np.concatenate(each) for each in zip(*tallies, strict=True)))


LISTED = 1_000  # terms in a report


def frequent_terms(published: Clusters, sensitive: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return the most frequent terms with bounds; a term of a term chunk is in one to all records of its cluster."""
    n_terms = len(published.vocabulary)
    shown, possible = np.zeros((2, n_terms), dtype=np.int64)
    for trees in published.in_ranges():
        np.add.at(shown, trees.items, np.repeat(trees.counts, trees.subrecords.lengths))
        np.add.at(possible, trees.term_items, np.repeat(trees.sizes, trees.term_chunks.lengths))
    least, most = shown + counts_of(published.term_items, n_terms), shown + possible
    return most_frequent(published.vocabulary, least, np.minimum(most, published.n_records), sensitive)


def most_frequent(
    terms: pa.StringArray, least: Ints64, most: Ints64, sensitive: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Return the terms that most records certainly have, first, with how many have each at least and at most; terms
    that the guarantee names as sensitive come last."""
    names = terms.to_pylist()
    is_hidden = np.array([name in sensitive for name in names], dtype=np.bool_)
    order = np.lexsort((np.arange(least.size), -most, -least, is_hidden))[:LISTED].tolist()
    return [{"term": names[term], "least": int(least[term]), "most": int(most[term])} for term in order]


def _least_slack(published: Clusters, leaf: NDArray[np.bool_], guarantee: KmAnonymity) -> int | None:
    """Return the least N - s - k(h - 1) over leaves without term chunk, None if all have one; 0 leaves no slack."""
    bare = leaf & (published.term_chunks.lengths == 0)
    if not bare.any():
        return None
    mass = published.nodes.over(published.chunks).sums(published.counts)
    spread = np.clip(published.nodes.lengths, 1, guarantee.m)  # h, at least 1
    return int((mass - published.sizes - guarantee.k * (spread - 1))[bare].min())


def rows_of(report: Report) -> list[tuple[str, str]]:
    facts = report.statistics
    terms, clusters, chunks = (facts[name] for name in ("terms", "clusters", "chunks"))
    joint = f", {counted(clusters['joint'], 'joint cluster')} above them" if clusters["joint"] else ""
    shared = f", and {counted(chunks['shared'], 'shared one')}" if chunks["shared"] else ""
    rows = [
        ("terms", f"{terms['total']:,}, {terms['only_in_term_chunks']:,} of them in term chunks only"),
        ("clusters", f"{clusters['leaves']:,} of {range_of(facts['cluster_sizes'], 'record')}{joint}"),
        ("chunks", f"{chunks['record']:,}, {range_of(facts['chunk_widths'], 'term')} wide{shared}"),
    ]
    rows += [(name.replace("_", " "), _share(name, entry, report)) for name, entry in report.measures.items()]
    slack = facts["least_slack"]
    if slack is not None:
        rows.append(("least slack", f"{abs(slack):,} subrecords {'above' if slack >= 0 else 'below'} the limit"))
    return rows


_WORDS = {
    "term_mass": "at most {} of the term occurrences kept",
    "pair_mass": "about {} of the pairs of terms kept",
    "exposed_records": "anyone who knows {more} terms of one chunk may find up to {} of the records among fewer "
    "than {k}",
    "sure_inference": "for about {} of the records some {m} of their terms surely tell another one ({drawn})",
    "universal_terms": "{} of what record chunks show is in all records of its cluster ({entries} in {leaves})",
}


_NONE = "among {looked_at} possible records{drawn}, none was found of which some {m} terms surely tell another one"


def _sample(entry: dict[str, Any]) -> dict[str, str]:
    if "sample" not in entry:
        return {}
    if not entry["sample"]:
        return {"looked_at": "all", "drawn": "" if is_none_of_possible(entry) else "all possible records"}
    looked_at, (low, high) = f"{entry['sample']['looked_at']:,}", entry["sample"]["interval"]
    if is_none_of_possible(entry):
        return {"looked_at": looked_at, "drawn": " drawn"}
    return {"drawn": f"{low:.1%} to {high:.1%}; {looked_at} possible records drawn"}


def _share(name: str, entry: dict[str, Any], report: Report) -> str:
    if entry["value"] is None:
        return f"not computed. {entry['meaning']}"
    universal, guarantee = report.statistics["universal_terms"], report.guarantee
    words = _NONE if is_none_of_possible(entry) else _WORDS.get(name, "{}")
    said = words.format(
        some_percent(entry["value"]) if "sample" in entry else f"{entry['value']:.1%}",
        **_sample(entry),
        k=guarantee["k"],
        m=guarantee["m"],
        more=guarantee["m"] + 1,
        entries=f"{universal['entries']:,}",
        leaves=counted(universal["leaves"], "cluster"),
    )
    if "without_shared_chunks" not in entry:
        return said
    return f"{said}, {entry['without_shared_chunks']:.1%} without the shared chunks"


def eyes_only(published: Clusters, private: Mapping[str, Any]) -> list[str]:
    """Return what the data owner alone may know: the clustering chosen, what is kept, rates of sensitive terms."""
    words = _chosen(private)
    if "term_mass" in private:
        words.append(
            f"{private['term_mass']:.1%} of the term occurrences and {private['pair_mass']:.1%} of the pairs of terms "
            "stand in chunks."
        )
        before = private["before_refining"]
        if before != {name: private[name] for name in before}:
            words.append(f"Before clusters were joined it was {before['term_mass']:.1%} and {before['pair_mass']:.1%}.")
    if "true_association" in private:
        share, of = private["true_association"]
        words.append(f"In the worst cluster, {share} in {of} records have the same sensitive term.")
    return words


def _chosen(private: Mapping[str, Any]) -> list[str]:
    if "pair_scores" in private:
        scores = ", ".join(f"{name} {score:.3f}" for name, score in private["pair_scores"].items())
        return [
            f"Chosen: {private['clustering']}, with the most pairs shown, less the error of frequent ones ({scores})."
        ]
    if "clusterings" not in private:
        return []
    words = [_tried(name, found) for name, found in private["clusterings"].items()]
    return [
        f"Chosen: the clustering {private['clustering']}, with the least error of frequent pairs among those that keep "
        "no fewer pairs than HORPART, and show no more to somebody who knows one term more than is promised (error, "
        f"pairs, and where that was asked, records harmed and records with a sure inference: {'; '.join(words)})."
    ]


def _tried(name: str, found: Mapping[str, Any]) -> str:
    """Return what a clustering was judged by; those that could not be the best were not attacked to the end."""
    shares = (found["pair_mass"], found.get("harmed_records"), found.get("sure_inference"))
    return ", ".join([f"{name} {found['weighted_pair_error']:.3f}", *(f"{x:.1%}" for x in shares if x is not None)])
