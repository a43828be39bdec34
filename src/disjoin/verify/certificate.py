"""From published data to a release: only what the inspection accepts gets the seal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from numpy.typing import NDArray

from disjoin.errors import NotAnonymous
from disjoin.model import Promise, Published, Release, Table, Transactions, Verdict
from disjoin.model.release import SEAL
from disjoin.verify.checking import check
from disjoin.verify.inspection import inspection_of

NAMED = 3  # violations in the error message


def certify(
    published: Published,
    guarantee: Promise,
    *,
    method: str,
    parameters: Mapping[str, Any],
    suppressed_records: int = 0,
    original: Transactions | Table | None = None,
    part_of_record: NDArray[Any] | None = None,
    threads: int = 1,
) -> Release:
    """Inspect published data and return it as a release, or raise `NotAnonymous` with the verdict.

    The error shows no terms or cells, which may be the original's and end in a log; `error.verdict` has them.

    Nothing but this and `judge` makes a `Release`. If its guarantee says that it is not proven,
    `verdict.facts["unproven"]` counts what a proof would still need. If `verdict.facts["by_construction"]` is there,
    only the form was inspected, and the promise rests on the proof of the method.
    """
    verdict, release = judge(
        published,
        guarantee,
        method=method,
        parameters=parameters,
        suppressed_records=suppressed_records,
        original=original,
        part_of_record=part_of_record,
        threads=threads,
    )
    if release is None:
        count = len(verdict.violations)
        shown = "; ".join(violation.without_example() for violation in verdict.violations[:NAMED])
        more = f"; and {count - NAMED} more" if count > NAMED else ""
        found = "1 violation" if count == 1 else f"{count} violations"
        raise NotAnonymous(f"the inspector found {found}, so nothing is released: {shown}{more}", verdict)
    return release


class Judgement(NamedTuple):
    """What the inspector says, and the release if it agrees."""

    verdict: Verdict
    release: Release | None


def judge(
    published: Published,
    guarantee: Promise,
    *,
    method: str,
    parameters: Mapping[str, Any],
    suppressed_records: int = 0,
    original: Transactions | Table | None = None,
    part_of_record: NDArray[Any] | None = None,
    exact: bool | None = None,
    stated: Promise | None = None,
    threads: int = 1,
) -> Judgement:
    """Inspect published data once, and return all that was found, with the release if nothing is violated.

    Both come from here because a verdict does not say which data it is about: one that is handed in proves nothing.
    """
    verdict = check(
        published,
        guarantee,
        original=original,
        part_of_record=part_of_record,
        suppressed_records=suppressed_records,
        exact=exact,
        stated=stated,
        threads=threads,
    )
    if not verdict.holds:
        return Judgement(verdict, None)
    # What was learned from the original stays with whoever has it.
    names = inspection_of(published).public_facts
    public = replace(verdict, facts={name: verdict.facts[name] for name in names if name in verdict.facts})
    return Judgement(verdict, Release(published, guarantee, public, method, parameters, suppressed_records, SEAL))
