"""Trials on a table: settings of generalisation, tried and measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from disjoin.advise import results
from disjoin.advise.results import Rows
from disjoin.advise.trial import in_turn, unbeaten
from disjoin.errors import GuaranteeUnreachable
from disjoin.forms.registry import FORMS
from disjoin.measure.evaluation import evaluate_tables
from disjoin.methods.generalization import Generalization
from disjoin.model import Draft, Generalized, Table
from disjoin.pipeline import publish
from disjoin.progress import Progress, silent
from disjoin.text import printable

KEPT, OTHERS, FOUND, CERTAIN = "granularity", "others_keep", "mean_risk", "worst_alpha"
LIMITS = ("l", "t", "alpha")  # what can be asked of sensitive columns here
TOO_CERTAIN = 0.8  # a larger share of a class with the same sensitive value is not recommended without a warning
COLUMNS = results.columns_in(__package__, "tables")


@dataclass(frozen=True, slots=True)
class TriedTable:
    """A setting with its values by column, or the reason why there are none."""

    settings: Mapping[str, Any]
    values: Mapping[str, float | None]
    failure: str = ""
    sensitive: str = ""  # the column whose values are the most certain in a class

    @property
    def is_too_certain(self) -> bool:
        return (self.values.get(CERTAIN) or 0.0) > TOO_CERTAIN

    @property
    def is_limited(self) -> bool:
        return not self.settings.keys().isdisjoint(LIMITS)

    @property
    def name(self) -> str:
        """The setting in a few words: k = 5, up to 1% suppressed."""
        return setting_in_words(self.settings)


def limits_for(sensitive: Sequence[str], l: int | None = None) -> list[dict[str, Any]]:  # noqa: E741 - papers' name
    """Return the limits on sensitive columns to try; `l` is the data owner's, if given.

    >>> limits_for(["income"])
    [{}, {'l': 2}, {'t': '0.2'}, {'alpha': '0.8'}]
    >>> limits_for(["income"], 3)
    [{'l': 3}, {'l': 3, 't': '0.2'}, {'l': 3, 'alpha': '0.8'}]
    """
    own = {} if l is None else {"l": l}
    if not sensitive:
        return [own]
    return [own, *([{"l": 2}] if l is None else []), own | {"t": "0.2"}, own | {"alpha": str(TOO_CERTAIN)}]


def tried_tables(
    table: Table,
    grid: Sequence[Mapping[str, Any]],
    common: Mapping[str, Any],
    progress: Progress = silent,
    heard: Callable[[TriedTable], None] = lambda entry: None,
) -> list[TriedTable]:
    """Publish and measure the table by every setting, passing each to `heard`; a failure has its reason."""

    def entry_of(settings: Mapping[str, Any]) -> TriedTable:
        entry = _tried(table, settings, common)
        heard(entry)
        return entry

    return in_turn("advising", list(grid), entry_of, setting_in_words, progress)


def setting_in_words(settings: Mapping[str, Any]) -> str:
    """Return a setting in a few words.

    >>> setting_in_words({"k": 5, "suppress": "0.01"})
    'k = 5, up to 1% suppressed'
    """
    words = {name: f"{name} = {value}" for name, value in settings.items()}
    if share := settings.get("suppress"):
        words["suppress"] = f"up to {100 * float(Fraction(share)):g}% suppressed"
    return ", ".join(words.values())


def _tried(table: Table, settings: Mapping[str, Any], common: Mapping[str, Any]) -> TriedTable:
    method = Generalization(**{"drop_unassigned": True, **common, **settings})
    worked = 0.0

    def timed(*arguments: Any) -> Draft[Any]:
        nonlocal worked
        start = time.process_time()
        draft = method.publish(*arguments)
        worked = time.process_time() - start
        return draft

    try:
        release = publish(table, method, threads=1, publisher=timed).release
    except GuaranteeUnreachable as error:
        return TriedTable(settings, {}, str(error))
    published = release.published
    assert isinstance(published, Generalized), "generalisation publishes tables"
    facts = FORMS[published.form].statistics(published, release.guarantee, release.parameters)
    kept = float(evaluate_tables(published.table, table, published.quasi, measures=(KEPT,))[KEPT] or 0.0)
    rows, starred = len(published), facts.get("starred", {"rows": 0})["rows"]
    certain = max(facts["sensitive_columns"], key=_share, default=None)
    return TriedTable(
        settings,
        {
            KEPT: kept,
            OTHERS: min(1.0, 1 - ((1 - kept) * rows - starred) / max(1, rows - starred)),
            "starred": starred / rows,
            "smallest": facts["satisfied"]["k"],
            FOUND: facts["classes"]["total"] / rows,
            CERTAIN: None if certain is None else float(_share(certain)),
            "seconds": round(worked, 4),
        },
        sensitive="" if certain is None else certain["column"],
    )


def _share(column: Mapping[str, Any]) -> Fraction:
    return Fraction(column["largest_share"]["exact"])


def require_one(tried: Sequence[TriedTable]) -> None:
    if all(entry.failure for entry in tried):
        raise GuaranteeUnreachable(f"no setting can be reached. {tried[0].failure}")


ENOUGH = 0.95  # of what the weakest setting keeps


def recommended(tried: Sequence[TriedTable]) -> TriedTable:
    """Return the largest k whose others keep nearly what the best keeps; of several, the one that keeps most.
    With sensitive columns it limits them, so that the release guarantees something of them. One that leaves a sensitive
    value nearly certain in a class is recommended only if all do, with t-closeness, which also protects rare values.

    >>> one, two = (TriedTable({"k": k}, {OTHERS: kept}) for k, kept in ((5, 0.9), (10, 0.88)))
    >>> recommended([one, two]).settings["k"]
    10
    """
    reached = [entry for entry in tried if not entry.failure]
    careful = [entry for entry in reached if not entry.is_too_certain]
    limited = [entry for entry in careful if entry.is_limited]
    among = limited or careful or [entry for entry in reached if "t" in entry.settings] or reached
    kept = [entry.values[OTHERS] or 0.0 for entry in among]
    fine = [(entry, share) for entry, share in zip(among, kept, strict=True) if share >= ENOUGH * max(kept)]
    return max(fine, key=lambda each: (each[0].settings.get("k", 0), each[1], "alpha" in each[0].settings))[0]


def frontier(tried: Sequence[TriedTable]) -> list[TriedTable]:
    """Return the Pareto-optimal settings (keep more, risk less), the least loss first.

    >>> some = [TriedTable({"k": k}, {KEPT: kept, FOUND: risk}) for k, kept, risk in ((5, 0.9, 0.2), (10, 0.8, 0.2))]
    >>> [entry.name for entry in frontier(some)]
    ['k = 5']
    """
    reached = [entry for entry in tried if not entry.failure]
    return sorted(unbeaten(reached, lost_and_found), key=lost_and_found)


def lost_and_found(entry: TriedTable) -> tuple[float, float]:
    """Return the granularity that a setting loses, and the mean chance to guess a row within its class."""
    return 1 - (entry.values[KEPT] or 0.0), entry.values[FOUND] or 0.0


def why(entry: TriedTable) -> str:
    """Return why a setting is recommended; a warning comes first if a sensitive value is nearly certain."""
    warned = warning_of(entry)
    safe = f"No sensitive value has more than {TOO_CERTAIN:.0%} of a class." if entry.sensitive and not warned else ""
    of = " (of the rows that are not suppressed)" if entry.values.get("starred") else ""
    if warned:
        among = "with t" if "t" in entry.settings else "tried"
    else:
        among = f"{'with l, t or alpha ' if entry.is_limited else ''}of which this is true" if safe else "tried"
    reason = (
        f"Of the settings {among}, it has the largest k that keeps at least {ENOUGH:.0%} "
        f"of what the best keeps: {COLUMNS[OTHERS].written(entry.values[OTHERS])}{of}."
    )
    return " ".join(filter(None, [warned, f"Recommended: {entry.name}.", safe, reason]))


def warning_of(entry: TriedTable) -> str:
    """Return the warning that a setting leaves a sensitive value nearly certain; nothing if it does not.

    >>> warning_of(TriedTable({"k": 5}, {CERTAIN: 0.97}, sensitive="income")).partition(",")[0]
    'Warning: in some classes 97.0% of the rows share a value of income'
    """
    if not entry.is_too_certain:
        return ""
    return (
        f"Warning: in some classes {COLUMNS[CERTAIN].written(entry.values[CERTAIN])} of the rows share a value of "
        f"{printable(entry.sensitive)}, so an attacker who finds the class learns it. No setting that was tried avoids "
        "this."
    )


def rows_in(tried: Sequence[TriedTable]) -> Rows:
    names = results.names_in([dict(entry.settings) for entry in tried])
    return [
        {name: entry.settings.get(name) for name in names}
        | {name: entry.values.get(name) for name in COLUMNS}
        | {"failure": entry.failure or None}
        for entry in tried
    ]


def lines_of(tried: Sequence[TriedTable]) -> list[list[str]]:
    return [[entry.name, *results.cells(COLUMNS, entry.values)] for entry in tried]


def page_of(title: str, tried: Sequence[TriedTable], *words: str) -> str:
    table = results.markdown_table(["setting", *results.titles(COLUMNS)], lines_of(tried))
    failures = "".join(f"\n{entry.name}: {entry.failure}\n" for entry in tried if entry.failure)
    said = "".join(f"\n{word}\n" for word in words)
    head = f"# {title}\n\nNot to be published: these are facts about the original."
    return f"{head}\n\n{table}\n{said}{failures}\n{results.meanings(COLUMNS)}\n"
