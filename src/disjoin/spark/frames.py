"""Publishing and inspecting data frames of Spark."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from disjoin.errors import GuaranteeUnreachable, InvalidParameter, Remedy, described
from disjoin.measure.mass import occurrences_inside, pairs_inside, share
from disjoin.methods.contract import Method
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.sensitive_terms import chosen_terms
from disjoin.model import Clusters, Draft, Release
from disjoin.model.parameters import require_integer
from disjoin.pipeline import PUBLISH_FREQUENT, Outcome, refuse_names
from disjoin.progress import Progress, silent
from disjoin.report.profile import Inspection, inspection_facts, inspection_text
from disjoin.spark.jobs import Jobs
from disjoin.spark.km_core import lengths_of
from disjoin.spark.preflight import free_memory, jobs_on, require_room
from disjoin.spark.reading import Gathered, encoded, vocabulary_of
from disjoin.spark.run import SparkRun
from disjoin.spark.settings import SparkSettings, require_possible
from disjoin.spark.sources import records_in
from disjoin.spark.uniqueness import MOST_KNOWN, sizes_in_words, uniqueness_on_spark
from disjoin.verify.checking import Blocks, BlockVerdict, certify_in_blocks, with_stronger_guarantees

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def disassociate(
    frame: DataFrame,
    k: int = 5,
    m: int = 2,
    *,
    terms: str | None = None,
    id: str | None = None,
    item: str | None = None,
    split: Literal["none"] | None = None,
    staging: str | Path | None = None,
    shard_records: int | None = None,
    progress: Progress = silent,
    **settings: Any,
) -> Outcome:
    """Publish the records of a frame by disassociation; raises unless the verifier accepts the outcome.

    frame: a DataFrame of Spark, 4.0 or newer, classic or of Connect.
    k, m: every set of up to m known terms must fit at least k records.
    terms: the column with lists of terms, one record per row; not needed if there is only one such column.
    id, item: instead, the columns of a long table with one row per record id and term.
    split: "none" if a term with a comma, a semicolon or the like is one term, although it looks like a list.
    staging: a folder that the driver and all executors see under this path; it has the original as numbers during the
        run, in a private folder. By default it is the folder for temporary files, which is allowed only if executors
        run on this machine.
    shard_records: the number of records per task; the result is the same.
    progress: an object that receives progress reports.
    settings: all others of `disjoin.disassociate`.
    """
    method = Disassociation(k=k, m=m, **settings)
    how = SparkSettings(staging=None if staging is None else str(staging), shard_records=shard_records)
    if (id is None) != (item is None) or (id is not None and terms is not None):
        raise InvalidParameter("give terms for a column of lists, or id and item for a long table.")
    require_possible(method)
    with jobs_on(frame.sparkSession, how, progress) as jobs:
        records = records_in(frame, terms=terms, record=id, item=item)
        return publish_frame(records, method, how, progress, split=split, jobs=jobs)


def inspect(
    frame: DataFrame,
    *,
    terms: str | None = None,
    id: str | None = None,
    item: str | None = None,
    split: Literal["none"] | None = None,
    known: int = MOST_KNOWN,
    staging: str | Path | None = None,
    progress: Progress = silent,
) -> Inspection:
    """Return the contents of a frame, and how many of its records are unique for one or two known terms.

    The arguments are those of `disassociate`; only counts reach the driver.

    known: the largest number of known terms, 1 or 2.
    """
    if (id is None) != (item is None) or (id is not None and terms is not None):
        raise InvalidParameter("give terms for a column of lists, or id and item for a long table.")
    how = SparkSettings(staging=None if staging is None else str(staging))
    with jobs_on(frame.sparkSession, how, progress) as jobs:
        records = records_in(frame, terms=terms, record=id, item=item)
        return inspect_frame(records, how, known, progress, split=split, jobs=jobs)


def inspect_frame(
    records: DataFrame,
    how: SparkSettings,
    known: int,
    progress: Progress = silent,
    *,
    split: str | None = None,
    jobs: Jobs | None = None,
) -> Inspection:
    """Inspect a frame with one column, of lists or lines of terms; `jobs` runs them if it exists already."""
    known = require_integer("known", known, 1, "it is the number of terms that an attacker may know.")
    if known > MOST_KNOWN:
        raise InvalidParameter(f"Spark supports up to {MOST_KNOWN} known terms, got {known}. Use fewer.")
    _require_split(split)
    with jobs_on(records.sparkSession, how, progress) if jobs is None else nullcontext(jobs) as jobs:
        progress("reading", 0, 0)
        found = vocabulary_of(jobs, records, lists_are_terms=split == "none")
        if not found.records:
            raise InvalidParameter("the data frame is empty.")
        rows, found = encoded(jobs, records, found)
        lengths = lengths_of(jobs, rows)
        unique = uniqueness_on_spark(jobs, rows, found, lengths, known, progress)
    facts = inspection_facts(found.intake_facts(), found, sizes_in_words(*lengths), unique)
    return Inspection(facts, inspection_text(facts))


def one_is_enough(records: int) -> str:
    """Return the advice for runs in which Spark had only one task.

    >>> one_is_enough(500)
    'One task is enough for 500 records: the local engine writes the same release, faster.'
    """
    return f"One task is enough for {records:,} records: the local engine writes the same release, faster."


def _require_split(split: str | None) -> None:
    if split not in (None, "none"):
        raise InvalidParameter(f"split must be none, got {described(split)}: split lists before, with Spark.")


def publish_frame(
    records: DataFrame,
    method: Method,
    how: SparkSettings,
    progress: Progress = silent,
    *,
    split: str | None = None,
    jobs: Jobs | None = None,
) -> Outcome:
    """Publish a frame with one column, of lists or lines of terms; `jobs` runs them if it exists already."""
    if not isinstance(method, Disassociation):
        raise InvalidParameter(f"Spark supports only disassociation, not {described(method)}.")
    _require_split(split)
    require_possible(method)
    with jobs_on(records.sparkSession, how, progress) if jobs is None else nullcontext(jobs) as jobs:
        progress("reading", 0, 0)
        found = vocabulary_of(jobs, records, lists_are_terms=split == "none")
        if found.records < method.min_cluster_size:
            raise GuaranteeUnreachable(method.too_few(found.records))
        local = Remedy("engine", "local", PUBLISH_FREQUENT.effect, (("min_people", PUBLISH_FREQUENT.value),))
        refuse_names(found, [local])
        require_room(found.records, free_memory())
        warned = method.warnings(cast(Any, found))  # which needs only terms and their counts
        sensitive = set(chosen_terms(method, found).terms)
        names = found.vocabulary.to_pylist()
        secret = np.fromiter((name in sensitive for name in names), np.bool_, len(names))
        rows, found = encoded(jobs, records, found)
        run = SparkRun(jobs, method, found, secret, how.sizes(), progress)
        clusters = run.publish(rows)
        release = _certified(run, clusters, sensitive)
    advice = one_is_enough(found.records) if found.records < run.sizes.shard_records else ""
    traffic = {"bytes": jobs.received, "by": dict(jobs.seen), "rounds": run.placed.rounds, "advice": advice}
    private = run.private | _costs(clusters, found)
    return Outcome(release, private | {"driver": traffic, "input": found.intake_facts(), "warnings": warned})


def _certified(run: SparkRun, clusters: Clusters, sensitive: set[str]) -> Release:
    method, found = run.method, run.found
    published = set(clusters.vocabulary.to_pylist())
    named = tuple(sorted(term for term in sensitive if term in published))
    guarantee = with_stronger_guarantees(clusters, method.claim(Draft(clusters, None, named)))
    run.progress("verifying", 0, 0)
    said, expected = run.inspected(clusters, guarantee)
    left_out, content = run.left_out
    return certify_in_blocks(
        clusters,
        guarantee,
        method=method.name,
        parameters=method.parameters(),
        suppressed_records=left_out,
        said=[
            BlockVerdict(row["block"], row["records"], row["content"], row["holds"], tuple(row["complaints"]))
            for row in said
        ],
        blocks=Blocks(expected, found.records - left_out, (found.content - content) % 2**64),
    )


def _costs(published: Clusters, found: Gathered) -> dict[str, Any]:
    """Return the facts that the local engine reports to the data owner, from sums."""

    def masses(*, shared: bool) -> dict[str, float]:
        return {
            "term_mass": share(occurrences_inside(published, shared=shared), found.occurrences),
            "pair_mass": share(pairs_inside(published, shared=shared), found.pairs),
        }

    return masses(shared=True) | {"before_refining": masses(shared=False)}
