"""Texts about generalised items: what an attacker could learn, limits, README.md."""

from __future__ import annotations

from disjoin.charts.distribution import percent, range_of
from disjoin.forms.form import Readme, texts_of, titled
from disjoin.model.release import Report
from disjoin.text import counted

TEXTS = texts_of(__package__)


def learned(report: Report) -> list[tuple[str, str]]:
    facts, records, k = report.statistics, report.counts["records"], report.guarantee.get("k")
    if not records:
        return []
    least, alike = facts["smallest_support"], facts["alike"]
    rows = [
        ("Someone who knows 1 term", f"They find at least {counted(least, 'candidate')}, or nobody."),
        ("Someone who knows a whole record, and that nothing else is in it", _whole(alike, records, k)),
    ]
    if facts["occurrences"]["of_categories"]:
        behind = range_of(facts["terms_of_a_category"], "term")
        share = percent(facts["occurrences"]["share"])
        words = f"They guess: {share} of what the records hold are categories, each of which stands for {behind}."
        rows.append(("Someone who asks for the term behind a category", words))
    return rows


def _whole(alike: dict[str, int], records: int, k: int | None) -> str:
    """Return how many records all of their terms single out; these are more than m terms."""
    below = alike["below_k"]
    if not below:
        return f"They find at least {k:,} candidates, too: every record is equal to that many, itself among them."
    return (
        f"They find {counted(alike['alone'], 'record')} alone ({percent(alike['alone'] / records)}), and "
        f"{counted(below, 'record')} ({percent(below / records)}) among fewer than {k:,}, these among them. "
        "Knowing that there is nothing else in a record is more than the promise covers."
    )


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    m = report.guarantee.get("m")
    known = counted(m, "term") if isinstance(m, int) else "the attacker of the promise"
    return titled(TEXTS["limits"].format(m=known))


def _about(report: Report) -> str:
    published = report.statistics["published"]
    terms = published["in_records"] - published["categories_in_records"]
    categories = counted(published["categories_in_records"], "category", "categories")
    return (
        f"These tables stand for {report.counts['records']:,} records, each a set of terms, some of them generalised; "
        f"{counted(terms, 'different term')} and {categories} occur."
    )


def _done(report: Report) -> str:
    facts = report.statistics
    terms, categories = facts["terms"], facts["published"]["categories"]
    if not categories:
        return TEXTS["done as it was"]
    share = percent(facts["occurrences"]["share"])
    return TEXTS["done"].format(**terms, categories=counted(categories, "category", "categories"), share=share)


README = Readme(
    about=_about,
    done=_done,
    exactly=TEXTS["exactly"],
    tables=lambda report: (TEXTS["tables"],),
    reading=TEXTS["reading"],
)
