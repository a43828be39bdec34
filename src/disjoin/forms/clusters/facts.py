"""Statistics of clusters, and their summary."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.attack.exposed_sets import chunks_of
from disjoin.charts.distribution import distribution_of, tally
from disjoin.charts.text_drawing import shorten
from disjoin.forms.form import is_proven
from disjoin.model.clusters import Clusters
from disjoin.model.km_anonymity import KmAnonymity
from disjoin.model.parameters import Guarantee
from disjoin.model.ragged import Ints64, counts_of
from disjoin.model.release import Report
from disjoin.text import counted, is_none_of_possible, printable, some_percent


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
    clusters = counted(report.statistics["clusters"]["leaves"], "cluster")
    return [
        ("Records", f"{records_in_words(report)} in {clusters}{grouping_of(report)}"),
        ("Kept", kept_in_words(report)),
        ("Still learnable", learnable_in_words(report)),
    ]


def records_in_words(report: Report) -> str:
    """Return how many records there are, and how many were left out."""
    left_out = report.counts.get("suppressed_records", 0)
    return f"{report.counts['records']:,}" + (f" ({left_out:,} left out)" if left_out else "")


_GROUPED = {
    "horpart": "by frequent terms",
    "core": "by a core and the rest",
    "core-horpart": "by a core and frequent terms",
    "pruned": "by a core and small clusters",
    "bounded": "by a core and small clusters",
}


def grouping_of(report: Report) -> str:
    """Return how our methods grouped the records, with the name of the clustering; of other methods nothing."""
    if report.method not in ("disassociation", "mixed"):
        return ""
    if report.parameters.get("link") == "strong":
        return ", by similar columns (strong)"
    name = str(report.parameters.get("clustering", "horpart"))
    how = _GROUPED.get(name.partition(" ")[0], "by the clustering")
    return f", {how} ({shorten(printable(name), 30)})"


def kept_in_words(report: Report) -> str:
    pairs, terms = pairs_in_words(report), report.statistics["terms"]
    pairs = f"{pairs[:1].upper()}{pairs[1:]} stay visible together. " if pairs else ""
    total, bare = terms["total"], terms["only_in_term_chunks"]
    if not bare:
        return f"{pairs}All {counted(total, 'term')} have counts in at least one chunk."
    listed = f"{bare:,} {'is' if bare == 1 else 'are'} listed without counts"
    return f"{pairs}{total - bare:,} of {counted(total, 'term')} have counts in at least one chunk; {listed}."


def pairs_in_words(report: Report) -> str:
    share = report.measures["pair_mass"]["value"]
    return "" if share is None else f"about {share:.1%} of the item pairs"


def learnable_in_words(report: Report) -> str:
    """Return what an attacker finds who knows a term more than is guaranteed, and what known terms reveal."""
    return f"{_exposed(report)} {_revealed(report)}".strip()


def _exposed(report: Report) -> str:
    share, k, more = report.measures["exposed_records"]["value"], report.guarantee["k"], report.guarantee["m"] + 1
    if share is None:
        return f"How many records {more} known terms single out was not computed."
    found = f"up to {some_percent(share)} of the records are" if share else "no record is"
    return f"With {more} known terms shown together, {found} found among fewer than {k}."


_NEXT = {1: "a second", 2: "a third", 3: "a fourth"}


def _revealed(report: Report) -> str:
    entry, m = report.measures["sure_inference"], report.guarantee["m"]
    known, another = f"knowing {counted(m, 'term')}", _NEXT.get(m, "a further term")
    if entry["value"] is None:
        return f"Whether {known} reveals {another} was not computed." if is_proven(report) else ""
    drawn = entry["sample"]
    if not is_none_of_possible(entry):
        between = "" if not drawn else " ({:.1%} to {:.1%})".format(*drawn["interval"])
        share = f"{some_percent(entry['value'])} of the records{between}"
        return f"For about {share}, {known} reveals {another} with certainty."
    if drawn:
        return f"Among {drawn['looked_at']:,} possible records drawn, {known} never reveals {another} with certainty."
    return f"{known.capitalize()} never reveals {another} with certainty."


def eyes_only(published: Clusters, private: Mapping[str, Any]) -> list[str]:
    """Return what the data owner alone may know: the clustering chosen, what is kept, rates of sensitive terms."""
    words = [*exactly_kept(private), *_chosen(private)]
    if "true_association" in private:
        share, of = private["true_association"]
        words.append(f"In the worst cluster, {share:,} of {of:,} records have the same sensitive term.")
    return words


def exactly_kept(private: Mapping[str, Any]) -> list[str]:
    if "term_mass" not in private:
        return []
    pairs, terms = f"{private['pair_mass']:.1%}", f"{private['term_mass']:.1%}"
    return [f"Exactly {pairs} of item pairs and {terms} of term occurrences kept."]


def _chosen(private: Mapping[str, Any]) -> list[str]:
    if "pair_scores" in private:
        scores = ", ".join(f"{name} {score:.3f}" for name, score in private["pair_scores"].items())
        return [
            f"Clustering: {private['clustering']}, which keeps the most item pairs, less the error of frequent ones "
            f"({scores})."
        ]
    if "clusterings" not in private:
        return []
    errors = ", ".join(f"{name} {found['weighted_pair_error']:.3f}" for name, found in private["clusterings"].items())
    return [
        f"Clustering: {private['clustering']}, with the least error of frequent item pairs ({errors}) of those that "
        "keep and hide no less than horpart."
    ]
