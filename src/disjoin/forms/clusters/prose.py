"""Texts about clusters: what is kept, what an attacker could learn, limits, README.md."""

from __future__ import annotations

from disjoin.forms.form import Readme, Unproven, texts_of, titled
from disjoin.model.release import Report
from disjoin.text import counted, is_none_of_possible, some_percent

TEXTS = texts_of(__package__)


def _purpose(report: Report) -> str:
    m = report.guarantee.get("m", 1)
    words = TEXTS["purpose"].format(m="1 term" if m == 1 else f"up to {m} terms", k=report.guarantee.get("k", "k"))
    return f"{words} {TEXTS['purpose unknown' if _shortfalls(report) else 'purpose as it happens']}"


def _shortfalls(report: Report) -> list[tuple[str, str]]:
    words = {
        "V7": ("cluster", "without a term chunk and with too few subrecords to fill all records"),
        "V9": ("shared chunk", "with a term that is in another chunk below, too"),
        "V10": ("joint cluster", "too large to decide whether any original can be put together from the chunks"),
    }
    missing = report.verdict.get("unproven", {})
    return [
        (name, f"{counted(missing[name], noun)} {what}.") for name, (noun, what) in words.items() if missing.get(name)
    ]


UNPROVEN = Unproven(f" {TEXTS['headline']}", _purpose, _shortfalls)


def learned(report: Report) -> list[tuple[str, str]]:
    m = report.guarantee["m"]
    return [
        (f"With {counted(m + 1, 'known term')} of one chunk", _exposed(report)),
        (f"With {'1 known term' if m == 1 else f'up to {m} known terms'}", _sure(report)),
        ("With the cluster of a person known", _universal(report)),
    ]


def _exposed(report: Report) -> str:
    entry, k = report.measures["exposed_records"], report.guarantee["k"]
    if entry["value"] is None:
        return f"How many records are found among fewer than {k} was not computed. {entry['meaning']}"
    if not entry["value"]:
        return f"No record is found among fewer than {k}."
    return f"Up to {entry['value']:.1%} of the records are found among fewer than {k}."


def _sure(report: Report) -> str:
    entry = report.measures["sure_inference"]
    if entry["value"] is None:
        return f"For how many records a further term is certain was not computed. {entry['meaning']}"
    is_none = is_none_of_possible(entry)
    if not entry["sample"]:
        return TEXTS["sure of none" if is_none else "sure of all"].format(share=some_percent(entry["value"]))
    low, high = (f"{end:.1%}" for end in entry["sample"]["interval"])
    words = TEXTS["sure of none drawn" if is_none else "sure of those drawn"]
    return words.format(drawn=entry["sample"]["looked_at"], share=f"{entry['value']:.1%}", low=low, high=high)


def _universal(report: Report) -> str:
    share, there = report.measures["universal_terms"]["value"], report.statistics["universal_terms"]
    if not share:
        return "No term is revealed: no term of a record chunk is in all records of its cluster."
    return (
        f"The terms that all its records have are revealed: {share:.1%} of the term occurrences in record chunks "
        f"({counted(there['entries'], 'term')} in {counted(there['leaves'], 'cluster')})."
    )


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    m, slack = report.guarantee["m"], report.guarantee.get("slack", 0)
    known = "no known term reveals" if m == 1 else f"no {m} known terms reveal"
    covers = f" Here it is guaranteed that {known} another with certainty." if "cover_aware" in report.guarantee else ""
    records = f" The guarantee covers up to {counted(slack, 'known record')}, and not more." if slack else ""
    return titled(TEXTS["limits"].format(m=counted(m, "term"), covers=covers, records=records))


def kept(report: Report) -> list[str]:
    counts, facts = report.counts, report.statistics
    where = counted(facts["clusters"]["leaves"], "cluster")
    records, terms = counted(counts["records"], "record"), counted(counts["terms"], "term")
    return [f"{records} and {terms}, in {where}.", *of_terms(report)]


def of_terms(report: Report) -> list[str]:
    """Return what is kept of terms and pairs, in sentences."""
    terms, words = report.statistics["terms"], []
    for name, text in (("pair_mass", "kept pairs"), ("term_mass", "kept terms")):
        value = report.measures[name]["value"]
        words += [TEXTS[text].format(share=f"{value:.1%}")] if value is not None else []
    without = terms["only_in_term_chunks"]
    are = "is" if without == 1 else "are"
    return [*words, f"{without:,} of {counted(terms['total'], 'term')} {are} listed without counts."]


def _done(report: Report) -> str:
    joined = f" {TEXTS['done joined']}" if report.statistics["clusters"]["joint"] else ""
    return TEXTS["done"] + joined


def about_joint(report: Report) -> str:
    return TEXTS["joined" if report.statistics["clusters"]["joint"] else "alone"]


README = Readme(_done, TEXTS["exactly"], lambda report: (TEXTS["tables"], about_joint(report)), TEXTS["reading"])
