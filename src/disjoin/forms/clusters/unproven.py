"""What is said of clusters whose guarantee calls itself not proven: first of all that, and then what is missing."""

from __future__ import annotations

from disjoin.forms.form import Unproven
from disjoin.model.report import Report
from disjoin.words import counted

HEADLINE = (
    " The tables fit the original, but that they keep the promise is not proven. "
    "Use this release for comparison, and do not publish it."
)
PURPOSE = (
    "This release was made for comparison, by a method whose published proof is wrong: there are small examples in "
    "which somebody who knows {m} finds fewer than {k} candidates."
)
UNKNOWN = "Whether these tables are such a case is not known. Do not rely on them to protect people."
AS_IT_HAPPENS = (
    "These tables, as it happens, meet every condition of a proof that is right, and a reader can check that; the "
    "method did not see to it, and the release does not claim it."
)


def _purpose(report: Report) -> str:
    m = report.guarantee.get("m", 1)
    words = PURPOSE.format(m="1 term" if m == 1 else f"up to {m} terms", k=report.guarantee.get("k", "k"))
    return f"{words} {UNKNOWN if _shortfalls(report) else AS_IT_HAPPENS}"


def _shortfalls(report: Report) -> list[tuple[str, str]]:
    words = {
        "V7": ("cluster", "without a term chunk and with too few subrecords to fill all records"),
        "V9": ("shared chunk", "with a term that is in another chunk below, too"),
        "V10": ("joint cluster", "too large to tell whether any original can be put together from the chunks"),
    }
    missing = report.verdict.get("unproven", {})
    return [
        (name, f"{counted(missing[name], noun)} {what}.") for name, (noun, what) in words.items() if missing.get(name)
    ]


UNPROVEN = Unproven(HEADLINE, _purpose, _shortfalls)
