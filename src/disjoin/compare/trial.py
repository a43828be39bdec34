"""One method's turn: it publishes, the inspector judges, and what was lost is measured."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from disjoin.compare.conditions import Conditions, losses_of, values_of
from disjoin.compare.contenders import Contender
from disjoin.errors import NotAnonymous
from disjoin.measure.evaluation import EvaluationRow
from disjoin.methods.contract import Method
from disjoin.model import AnyGuarantee, Published, Transactions, Verdict
from disjoin.pipeline import drafted, publish
from disjoin.trials.cost import Watched
from disjoin.trials.sample import first_of
from disjoin.verify import check

NOTHING = "It published no record at all."


@dataclass(frozen=True, slots=True)
class Trial:
    """What one method promised, lost and took; plain values."""

    values: Mapping[str, float | None]  # by measure
    promise: str  # in words
    guarantee: Mapping[str, Any]
    certified: bool  # it is a release whose promise is proven
    by_construction: bool  # no table can show the promise: it rests on how they were made
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What was published, with the promise and what the inspector said."""

    published: Published
    promise: AnyGuarantee
    suppressed_records: int
    verdict: Verdict
    for_trial: str | None = None  # why it is no release, if it is none


def _is_told(row: EvaluationRow) -> bool:
    """Tell whether the notes of a measure belong on the page: why there is no value, or how sure it is."""
    return row.value is None or row.name == "harmed_records"


def tried(contender: Contender, conditions: Conditions, data: Transactions) -> Trial:
    """Let a method publish, have it verified, and measure what was lost and what it took; raises if it cannot.

    It publishes the first records beforehand, so that neither loading nor compiling is counted.
    """
    warm_up(contender, conditions, data)
    watched = Watched(contender.method(conditions))
    judged = published_by(contender, conditions, data, cast(Method, watched))
    losses = losses_of(judged.published, data, conditions, judged.suppressed_records)
    notes = [judged.for_trial] if judged.for_trial else []
    notes += [] if judged.published.extent["records"] else [NOTHING]
    notes += [f"{row.name}: {note}" for row in losses if _is_told(row) for note in row.notes]
    return Trial(
        values=values_of(losses) | watched.taken,
        promise=judged.promise.sentence(),
        guarantee=judged.promise.to_json(),
        certified=judged.for_trial is None and judged.promise.proven,
        by_construction=bool(judged.verdict.facts.get("by_construction")),
        notes=tuple(notes),
    )


def warm_up(contender: Contender, conditions: Conditions, data: Transactions) -> None:
    """Publish a few records of the data; what goes wrong will go wrong again when it matters."""
    with suppress(Exception):
        published_by(contender, conditions, first_of(data, conditions.k), contender.method(conditions))


def published_by(contender: Contender, conditions: Conditions, data: Transactions, method: Method) -> Judged:
    """Publish and verify; raises unless the inspector accepts.

    That makes a release, unless the contender says that it is for trials only; then it is inspected all the same.
    """
    for_trial = contender.for_trial(conditions)
    if for_trial is None:
        release = publish(data, method, threads=conditions.threads, is_trial=True).release
        return Judged(release.published, release.guarantee, release.suppressed_records, release.verdict)
    draft = drafted(data, method, threads=conditions.threads)
    suppressed = draft.suppressed_records
    verdict = check(
        draft.published,
        for_trial.promise,
        original=method.prepared(data),
        part_of_record=draft.part_of_record,
        suppressed_records=suppressed,
    )
    if not verdict.holds:
        raise NotAnonymous(f"the inspector refused it: {verdict.violations[0]}", verdict)
    return Judged(draft.published, for_trial.promise, suppressed, verdict, for_trial.reason)
