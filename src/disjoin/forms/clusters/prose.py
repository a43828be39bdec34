"""Texts about clusters: what an attacker could learn, limits, README.md."""

from __future__ import annotations

from disjoin.forms.form import Readme, Unproven, texts_of, titled
from disjoin.model.release import Report
from disjoin.text import counted, is_none_of_possible, share_in_words, some_percent

TEXTS = texts_of(__package__)


def _purpose(report: Report) -> str:
    m = report.guarantee.get("m", 1)
    words = TEXTS["purpose"].format(m="1 term" if m == 1 else f"up to {m} terms", k=report.guarantee.get("k", "k"))
    return f"{words} {TEXTS['purpose unknown' if _shortfalls(report) else 'purpose as it happens']}"


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


UNPROVEN = Unproven(f" {TEXTS['headline']}", _purpose, _shortfalls)


def learned(report: Report) -> list[tuple[str, str]]:
    m = report.guarantee["m"]
    return [
        (f"Someone who knows {counted(m + 1, 'term')} of one chunk", _exposed(report)),
        (f"Someone who knows {'1 term' if m == 1 else f'up to {m} terms'}", _sure(report)),
        ("Someone who can tell the cluster of a person", _universal(report)),
    ]


def _exposed(report: Report) -> str:
    entry, k = report.measures["exposed_records"], report.guarantee["k"]
    if entry["value"] is None:
        return f"How many records they may find among fewer than {k} was not computed. {entry['meaning']}"
    if not entry["value"]:
        return f"They find no record among fewer than {k}."
    return f"They may find up to {entry['value']:.1%} of the records among fewer than {k}."


def _sure(report: Report) -> str:
    entry = report.measures["sure_inference"]
    if entry["value"] is None:
        return f"For how many records they learn another term for certain was not computed. {entry['meaning']}"
    is_none = is_none_of_possible(entry)
    if not entry["sample"]:
        return TEXTS["sure of none" if is_none else "sure of all"].format(share=some_percent(entry["value"]))
    low, high = (f"{end:.1%}" for end in entry["sample"]["interval"])
    words = TEXTS["sure of none drawn" if is_none else "sure of those drawn"]
    return words.format(drawn=entry["sample"]["looked_at"], share=f"{entry['value']:.1%}", low=low, high=high)


def _universal(report: Report) -> str:
    share, there = report.measures["universal_terms"]["value"], report.statistics["universal_terms"]
    if not share:
        return "They learn no term by that alone: no term of a record chunk is in all records of its cluster."
    return (
        f"They learn the terms that all its records have: {share:.1%} of the term occurrences in record chunks are of "
        f"such terms ({counted(there['entries'], 'term')} in {counted(there['leaves'], 'cluster')})."
    )


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    m, slack = report.guarantee["m"], report.guarantee.get("slack", 0)
    known = "known term tells" if m == 1 else f"{m} known terms tell"
    is_aware = "cover_aware" in report.guarantee
    covers = f" Here it is promised that no {known} another for certain." if is_aware else ""
    records = f" Here it is promised up to {counted(slack, 'known record')}, and not beyond." if slack else ""
    return titled(TEXTS["limits"].format(m=counted(m, "term"), covers=covers, records=records))


def _done(report: Report) -> str:
    joined = f" {TEXTS['done joined']}" if report.statistics["clusters"]["joint"] else ""
    return TEXTS["done"] + joined


def kept_in_words(report: Report) -> str:
    kept = [entry for entry in report.measures.values() if entry["direction"] == "higher"]
    return "\n".join(f"* {entry['title']}: {share_in_words(entry)}. {entry['meaning']}" for entry in kept)


def _tables(report: Report) -> tuple[str, ...]:
    return f"## What was kept\n\n{kept_in_words(report)}", TEXTS["tables"], about_joint(report)


def about_joint(report: Report) -> str:
    return TEXTS["joined" if report.statistics["clusters"]["joint"] else "alone"]


README = Readme(_done, TEXTS["exactly"], _tables, TEXTS["reading"])
