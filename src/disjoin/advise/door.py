"""Which settings to take, for anyone who writes Python: `disjoin.advise`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, Literal

from disjoin.advise.grid import CLUSTERINGS, Grid
from disjoin.advise.survey import Survey, survey
from disjoin.files.reading import read
from disjoin.methods.sensitive_terms import terms_of
from disjoin.model import Transactions
from disjoin.pipeline import require_people
from disjoin.progress import Progress, silent
from disjoin.trials.folder import name_of
from disjoin.trials.sample import part_of


def advise(
    data: object,
    k: Iterable[int] | int = (5, 10, 20),
    m: Iterable[int] | int = 2,
    *,
    clusterings: Iterable[str] | str = CLUSTERINGS,
    sensitive: Iterable[str] | str = (),
    sensitive_match: Literal["exact", "loose"] = "exact",
    allow_missing_sensitive: bool = False,
    l: int | None = None,  # noqa: E741 - the papers' name
    records: int | None = None,
    threads: int = 0,
    progress: Progress = silent,
) -> Survey:
    """Try settings of disassociation on the records, and return what each keeps and shows, and which to take.

    Every clustering is tried with every k and m: it publishes, is verified and measured. No release is kept. The
    figures are facts about the original: they are for the data steward and must not be published.

    data: what `disjoin.read` takes: a path, a list of sets or a table.
    k, m: crowds to hide in, and terms that somebody may know: one or several of each.
    clusterings: the ways to group records that are tried.
    sensitive: sensitive terms, the same for all settings; "B20*" stands for all that begin with B20.
    sensitive_match: other spellings of a sensitive term are refused ("exact"), or taken along ("loose").
    allow_missing_sensitive: go on if a sensitive term occurs nowhere in the data.
    l: in no cluster may more than one record in l have the same sensitive term.
    records: try that many of the records only, chosen by a hash of their terms; all, if not given.
    threads, progress: how many threads, 0 for one per core; and an object that is told how far the work is.

    >>> visits = [{"flu", "fever"}, {"flu", "cough"}, {"flu", "fever", "cough"}, {"cough"}, {"flu"}] * 4
    >>> found = advise(visits, k=3, clusterings="horpart")
    >>> found, found.recommended
    (Survey(1 setting, 20 records), {'clustering': 'horpart', 'k': 3, 'm': 2})
    """
    grid = Grid(
        clusterings=_several(clusterings),
        ks=_several(k),
        ms=_several(m),
        sensitive=terms_of(sensitive),
        sensitive_match=sensitive_match,
        allow_missing_sensitive=allow_missing_sensitive,
        l=l,
    )
    found = read(data)
    require_people(found)
    for note in grid.method(grid.paper).warnings(found):
        warnings.warn(note, UserWarning, stacklevel=3)  # the line that calls disjoin.advise
    return surveyed(found, grid, records, of=name_of(data), threads=threads, progress=progress)


def surveyed(
    data: Transactions,
    grid: Grid,
    records: int | None = None,
    *,
    of: str = "",
    threads: int = 0,
    progress: Progress = silent,
) -> Survey:
    """Try every setting on the data, or on a part of that many `records`."""
    tried, whole = data, len(data)
    if records is not None:
        tried, grid = part_of(data, records), grid.for_part()
    return survey(tried, grid, of=of, whole=whole, threads=threads, progress=progress)


def _several(given: Any) -> tuple[Any, ...]:
    """Return one value or several as a tuple; what is neither is for the grid to complain about."""
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
