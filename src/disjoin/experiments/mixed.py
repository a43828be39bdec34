"""Demographics beside sets: what is kept of columns, of pairs of terms, and of the links between both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.experiments.experiment import (
    EXPECTED,
    Claim,
    Experiment,
    Measured,
    Point,
    Setting,
    bars_of_ways,
    everywhere,
)
from disjoin.experiments.sources import ExperimentSource
from disjoin.trials.rows import Rows

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.experiments.links import Links
    from disjoin.model import MixedRecords

K, M = 5, 2
# What is tried, by name: the settings of mixed disassociation, or another way.
MIXED: dict[str, dict[str, Any]] = {
    "core": {"clustering": "core"},
    "core-horpart": {"clustering": "core-horpart"},
    "horpart": {"clustering": "horpart"},
    "auto": {"clustering": "auto"},
    "strong": {"link": "strong"},
}
WITHOUT = "no columns, core"
AS_TERMS, AS_MANY = "columns as terms", "columns as terms, all of them known"
GENERALISED = "columns and terms generalised"
OTHERS = (WITHOUT, AS_TERMS, AS_MANY, GENERALISED)
CHARTED = ("core", "core-horpart", "horpart", "strong", AS_TERMS, GENERALISED)  # have colours
GRANULARITY, PAIRS, TERMS, LINK = "granularity", "pair mass", "term mass", "link error"


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    ways = [way for way in (*MIXED, *OTHERS) if not quick or way != "auto"]
    return [Point(source, {"way": way}) for source in sources for way in ways]


def _measure(data: MixedRecords, setting: Setting) -> Measured:
    """Publish, verify against the original, and ask for what is kept."""
    from disjoin.experiments.links import Links

    way, links = setting["way"], Links.of(data)
    if way in MIXED:
        return _mixed(data, links, MIXED[way])
    if way == WITHOUT:
        return _without_columns(data)
    return _as_terms(links, way, m=M + len(data.table.schema.names) if way == AS_MANY else M)


def _mixed(data: MixedRecords, links: Links, settings: dict[str, Any]) -> Measured:
    from disjoin.measure import EVALUATIONS
    from disjoin.measure.evaluation import evaluated
    from disjoin.measure.link_error import MixedEvidence
    from disjoin.methods.mixed import MixedDisassociation
    from disjoin.model import Mixed
    from disjoin.pipeline import publish

    method = MixedDisassociation(k=K, m=M, quasi=data.table.schema.names, **settings)
    published = publish(data, method).release.published
    assert isinstance(published, Mixed), "that is what the method publishes"
    evidence = MixedEvidence.of(published, method.prepared(data), K)
    names = {"granularity": GRANULARITY, "pair_mass": PAIRS, "term_mass": TERMS}
    rows = evaluated(evidence, [EVALUATIONS[name] for name in names]).rows
    return {names[row.name]: row.value for row in rows} | {
        LINK: links.error_of(published),
        "clusters": len(published),
    }


def _without_columns(data: MixedRecords) -> Measured:
    """Publish the terms alone, of everybody who has some."""
    from disjoin.measure import exact_pair_mass, exact_term_mass
    from disjoin.methods.disassociation import Disassociation
    from disjoin.model import Clusters, Transactions
    from disjoin.pipeline import publish

    filled = np.flatnonzero(data.records.records.lengths)
    rows = data.records.records.take(filled)
    records = Transactions(rows.offsets, rows.items, data.records.vocabulary)
    clusters = publish(records, Disassociation(k=K, m=M, clustering="core")).release.published
    assert isinstance(clusters, Clusters), "that is what the method publishes"
    masses = {PAIRS: exact_pair_mass(clusters, records), TERMS: exact_term_mass(clusters, records)}
    return {GRANULARITY: None, **masses, LINK: None, "clusters": len(clusters)}


def _as_terms(links: Links, way: str, m: int) -> Measured:
    """Publish columns as terms, by disassociation or generalised by Apriori."""
    from disjoin.forms.registry import FORMS
    from disjoin.measure.record import Settings
    from disjoin.methods.apriori import Apriori
    from disjoin.methods.disassociation import Disassociation
    from disjoin.pipeline import publish

    method: Any = Apriori(k=K, m=m) if way == GENERALISED else Disassociation(k=K, m=m, clustering="core")
    published: Any = publish(links.records, method).release.published  # of either form
    compared = FORMS[published.form].compared
    assert compared is not None, "records can be compared with records"
    evidence = compared()(original=links.records, published=published, k=K, m=m, settings=Settings(reconstructions=1))
    kept: Measured = links.kept_in(published)
    return {**kept, LINK: links.error_in(evidence), "clusters": len(published)}


def _charts(rows: Rows) -> dict[str, Specification]:
    shown = {
        PAIRS: ("Pairs of terms kept", "share of pairs"),
        GRANULARITY: ("Granularity of columns kept", "share"),
        LINK: ("Link error", "error, lower is better"),
    }
    return bars_of_ways(rows, CHARTED, shown, f"k = {K}, m = {M}")


EXPERIMENT = Experiment(
    name="mixed",
    title="Mixed data: demographics beside sets",
    question="What is kept of columns, of pairs of terms and of links between both, and by which way?",
    points=_points,
    measure=_measure,
    charts=_charts,
    takes="people",
    claims=(
        Claim(
            EXPECTED,
            "the default keeps as many pairs of terms as if there were no columns",
            everywhere(PAIRS, lambda value: value["core"] >= 0.99 * value[WITHOUT]),
        ),
        Claim(
            EXPECTED,
            "the default keeps 0.96 of the columns' granularity",
            everywhere(GRANULARITY, lambda value: value["core"] >= 0.96),
        ),
        Claim(
            EXPECTED,
            "strong links keep values and terms together better than the default",
            everywhere(LINK, lambda value: value["strong"] < value["core"]),
        ),
        Claim(
            EXPECTED,
            "under a promise against all columns, columns as terms keep fewer pairs than the default",
            everywhere(PAIRS, lambda value: value[AS_MANY] < value["core"]),
        ),
        Claim(
            EXPECTED,
            "generalisation keeps fewer pairs than the default",
            everywhere(PAIRS, lambda value: value[GENERALISED] < value["core"]),
        ),
    ),
    notes=(
        f"k = {K}, m = {M} throughout; every release was verified against its original before it was measured. The "
        "first five ways are those of `disjoin mixed`, against anyone who knows all columns and two terms.",
        f"*{AS_TERMS}* is `disjoin disassociate --keep`, whose m = {M} counts values and terms together: a weaker "
        f"promise; *{AS_MANY}* asks for m = {M} and one more for each column, which is about as much as `disjoin "
        f"mixed` promises. *{GENERALISED}* are the same records by `disjoin generalize-items` with a hierarchy that "
        "is built from the names, ten each, and the weaker promise.",
        "Pair mass and term mass are about terms alone. Granularity looks at columns one by one; of columns as terms, "
        "that they were cut into ranges of ten is all that is lost. Link error is asked of all values (ages in "
        "ranges of ten) with the 300 most frequent terms, in all ways the same. Of files with more than 30,000 records "
        "the first 30,000 are taken; rows of the table of people are drawn at random beside them (seed 1), so that "
        "columns and terms do not depend on each other. In generated stays they do.",
    ),
)
