"""Claims of papers and our expectations, decided from the rows of an experiment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from disjoin.advise.results import Rows
from disjoin.lab.rows import distinct, of_the_papers, rows_with

EXPECTED = "our expectation"  # instead of a paper, if none is quoted
Verdict = Literal["met", "not met", "not comparable"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a claim holds here, with our figure in words."""

    verdict: Verdict
    ours: str


def judged_by_data(
    rows: Rows, compared: Callable[[str, Rows], tuple[bool | None, str]], between: str = ", ", before: str = ""
) -> Judgement:
    """Decide a claim on every dataset, each with our figure in words; None is for datasets that do not count."""
    found = [compared(data, rows_with(rows, data=data)) for data in distinct(rows, "data")]
    ours = before + between.join(words for _, words in found)
    if all(is_so is None for is_so, _ in found):
        return Judgement("not comparable", ours)
    return judged(all(is_so is not False for is_so, _ in found), ours)


def held(chosen: Rows, fits: Callable[[float], bool], more: str = "") -> Judgement:
    ours = ", ".join(f"{row.get('known_as') or row['data']} {row['value']:.3f}" for row in chosen) + more
    comparable = of_the_papers(chosen)
    if not comparable:
        return Judgement("not comparable", f"{ours} (none of the papers' datasets)")
    return judged(all(fits(row["value"]) for row in comparable), ours)


def judged(is_so: bool, ours: str) -> Judgement:
    return Judgement("met" if is_so else "not met", ours)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of a paper, or ours (then `paper` is EXPECTED), and a function that decides it from rows."""

    paper: str
    states: str
    judge: Callable[[Rows], Judgement]


expect = partial(Claim, EXPECTED)


def everywhere(measure: str, is_so: Callable[[dict[str, float]], bool]) -> Callable[[Rows], Judgement]:
    def judge(rows: Rows) -> Judgement:
        data = distinct(rows, "data")
        values = {name: {r["way"]: r["value"] for r in rows_with(rows, data=name, measure=measure)} for name in data}
        against = [name for name in data if not is_so(values[name])]
        ours = f"so on {len(data) - len(against)} of {len(data)} datasets"
        return judged(not against, "; not on ".join([ours, *against]))

    return judge
