"""What is said of a release whose guarantee calls itself not proven: first of all that, and then what is missing."""

from __future__ import annotations

from disjoin.model.report import Report
from disjoin.words import counted

TITLE = "Not proven"
PURPOSE = (
    "This release was made for comparison, by a method whose published proof is wrong: there are small examples in "
    "which somebody who knows {m} finds fewer than {k} candidates."
)
SEEN = (
    "This release was made for experiments, and it is not differentially private. The list of all terms, over which "
    "the records were divided and noise was spread, was seen in the data: a single record with a term of its own moves "
    "the groups of all terms, and so every row can tell of it. Do not rely on these tables to protect people."
)
UNKNOWN = "Whether these tables are such a case is not known. Do not rely on them to protect people."
SEEN_TERMS = "The list of all terms was not known apart from the data, but seen in them."
AS_IT_HAPPENS = (
    "These tables, as it happens, meet every condition of a proof that is right, and a reader can check that; the "
    "method did not see to it, and the release does not claim it."
)


def is_proven(report: Report) -> bool:
    """Tell whether the guarantee of a release claims a proof."""
    return report.guarantee.get("proven", True) is not False


def purpose(report: Report) -> str:
    """Say why there is such a release and what it is not good for."""
    if report.guarantee.get("terms") == "seen":
        return SEEN
    m = report.guarantee.get("m", 1)
    words = PURPOSE.format(m="1 term" if m == 1 else f"up to {m} terms", k=report.guarantee.get("k", "k"))
    return f"{words} {UNKNOWN if shortfalls(report) else AS_IT_HAPPENS}"


def shortfalls(report: Report) -> list[tuple[str, str]]:
    """Return what a proof would need and these tables do not show, as (invariant, words)."""
    words = {
        "V7": ("cluster", "without a term chunk and with too few subrecords to fill all records"),
        "V9": ("shared chunk", "with a term that is in another chunk below, too"),
        "V10": ("joint cluster", "too large to tell whether any original can be put together from the chunks"),
    }
    missing = report.verdict.get("unproven", {})
    found = [
        (name, f"{counted(missing[name], noun)} {what}.") for name, (noun, what) in words.items() if missing.get(name)
    ]
    return [*found, ("N4", SEEN_TERMS)] if missing.get("N4") else found
