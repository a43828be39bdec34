"""From published data to a release: only what the inspection accepts gets the seal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from disjoin.errors import NotAnonymous
from disjoin.model import Promise, Published, Release, Table, Transactions
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
) -> Release:
    """Inspect published data and return it as a release, or raise `NotAnonymous` with the verdict.

    The error shows no terms or cells, which may be the original's and end in a log; `error.verdict` has them.

    This is the only way to a `Release`. If its guarantee says that it is not proven, `verdict.facts["unproven"]` counts
    what a proof would still need. If `verdict.facts["by_construction"]` is there, only the form was inspected, and
    the promise rests on the proof of the method.
    """
    verdict = check(
        published,
        guarantee,
        original=original,
        part_of_record=part_of_record,
        suppressed_records=suppressed_records,
    )
    if not verdict.holds:
        count = len(verdict.violations)
        shown = "; ".join(violation.without_example() for violation in verdict.violations[:NAMED])
        more = f"; and {count - NAMED} more" if count > NAMED else ""
        found = "1 violation" if count == 1 else f"{count} violations"
        raise NotAnonymous(f"the inspector found {found}, so nothing is released: {shown}{more}", verdict)
    # What was learned from the original stays with whoever has it.
    names = inspection_of(published).public_facts
    public = replace(verdict, facts={name: verdict.facts[name] for name in names if name in verdict.facts})
    return Release(published, guarantee, public, method, dict(parameters), suppressed_records, SEAL)
