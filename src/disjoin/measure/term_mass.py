"""How many term occurrences a release shows, at most."""

from __future__ import annotations

from disjoin.measure.mass import occurrences_inside, share
from disjoin.measure.record import Measure, whatever_is_promised
from disjoin.model.clusters import Clusters


def term_mass(published: Clusters, *, shared: bool = True) -> float:
    """Return occurrences in chunks / (these + one for every term-chunk entry).

    A term of a term chunk occurs in its cluster at least once, so this is the largest share that can have been kept,
    and it tells no more than the tables do. Without `shared` chunks, what these show counts as lost.
    """
    inside = occurrences_inside(published)
    return share(occurrences_inside(published, shared=shared), inside + published.term_items.size)


TERM_MASS = Measure(
    name="term_mass",
    title="Term mass kept",
    direction="higher",
    least=0.0,
    largest=1.0,
    sign="≤",
    meaning="At most this share of the term occurrences is shown in chunks, with counts; the rest is in term chunks.",
    compute=whatever_is_promised(term_mass),
)
