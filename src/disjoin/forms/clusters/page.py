"""Sections of report.html about clusters."""

from __future__ import annotations

from typing import Any

from disjoin.charts.svg import Bar, Chart, bars, histogram
from disjoin.forms.clusters.pictures import example_html
from disjoin.forms.clusters.prose import TEXTS
from disjoin.forms.form import Figure, Numbers, Page, figure
from disjoin.model.release import Report
from disjoin.text import counted, in_html, is_none_of_possible, share_in_words


def figures_of(report: Report) -> list[Figure]:
    kept, shown = _measures(report, "higher"), _measures(report, "lower")
    facts = report.statistics
    return [
        *figure(shares_of("What is kept", "what is kept", kept, "accent"), *_notes(kept)),
        *figure(shares_of(_STILL, "what an attacker could still learn", shown, "warn"), *_notes(shown)),
        *figure(histogram("Records in a cluster", facts["cluster_sizes"], "records", "clusters")),
        *figure(histogram("Terms in a chunk", facts["chunk_widths"], "terms", "chunks")),
        *figure(histogram("Terms in a subrecord", facts["subrecord_lengths"], "terms", "subrecords")),
    ]


_STILL = "What an attacker could still learn"


def _measures(report: Report, direction: str) -> list[dict[str, Any]]:
    return [entry for entry in report.measures.values() if entry["direction"] == direction]


def _notes(measures: list[dict[str, Any]]) -> list[str]:
    meanings = [entry["meaning"] for entry in measures]
    if any("without_shared_chunks" in entry for entry in measures):
        meanings.append("The paler part of a bar is added by the shared chunks of joint clusters.")
    return meanings


def _bar_text(entry: dict[str, Any]) -> str:
    if is_none_of_possible(entry):
        return share_in_words(entry)
    return f"{entry['sign']} {entry['value']:.1%}".strip()


def shares_of(title: str, what: str, measures: list[dict[str, Any]], colour: str) -> Chart:
    """Return shares as bars from 0 to 100 %; the part from shared chunks is paler."""
    found = [
        Bar(entry["title"], entry["value"], _bar_text(entry), entry.get("without_shared_chunks"))
        for entry in measures
        if entry["value"] is not None
    ]
    words = ", ".join(f"{bar.name.lower()} {bar.text}" for bar in found)
    without = [bar.part for bar in found if bar.part is not None]
    if without:
        words += "; without shared chunks " + ", ".join(f"{value:.1%}" for value in without)
    differ = any(bar.part is not None and bar.part < bar.value for bar in found)
    parts = ("without shared chunks", "with shared chunks") if differ else None
    described = f"Bars of {what}: {words}."
    return bars(title, found, ("measure", "share, from none to all"), described, until=1, parts=parts, colour=colour)


def _head(report: Report) -> Numbers:
    counts, facts = report.counts, report.statistics
    return {
        "records": counts["records"],
        "distinct terms": counts["terms"],
        "clusters": facts["clusters"]["leaves"],
        "chunks": facts["chunks"]["record"] + facts["chunks"]["shared"],
    }


def _made_of(report: Report) -> str:
    joined = f" {TEXTS['made of joined']}" if report.statistics["clusters"]["joint"] else ""
    return TEXTS["made of"] + joined


def _numbers(report: Report) -> Numbers:
    facts = report.statistics
    terms, universal, subrecords = facts["terms"], facts["universal_terms"], facts["subrecords"]
    slack = facts["least_slack"]
    spare = "no limit: every cluster has a term chunk"
    if slack is not None:
        spare = _n(slack) if slack >= 0 else f"none, {_n(-slack)} are missing"
    return {
        "clusters": facts["clusters"]["leaves"],
        "joint clusters above them": facts["clusters"]["joint"],
        "record chunks": facts["chunks"]["record"],
        "shared chunks": facts["chunks"]["shared"],
        "subrecords": f"{_n(subrecords['total'])}, {_n(subrecords['distinct'])} of them distinct",
        "terms listed without counts": f"{_n(terms['only_in_term_chunks'])} of {_n(terms['total'])}",
        "entries in term chunks": terms["term_chunk_entries"],
        "terms that all records of a cluster have": f"{_n(universal['entries'])} in {_n(universal['leaves'])} clusters",
        "subrecords above the required number, at least": spare,
    }


def terms_of(report: Report, words: str = TEXTS["certain"], total: int | None = None) -> str:
    """Return a field that finds a term as one types, without any script, and the tables that it looks in.
    Terms that the guarantee names as sensitive have a table of their own, after the others."""
    found, total = report.statistics["frequent_terms"], report.counts["terms"] if total is None else total
    sensitive = sensitive_of(report)
    hidden = [one for one in found if one["term"] in sensitive]
    others = [one for one in found if one["term"] not in sensitive]
    options = "".join(
        f'<option value="{in_html(one["term"])}" label="{_records(one)}"></option>' for one in (*others, *hidden)
    )
    columns = {"at least": "least", "at most": "most"}
    if all(one["least"] == one["most"] for one in found):
        columns = {"records": "least"}
    every = counted(total - len(hidden), "term")
    which = f"All {every}" if len(found) == total else f"The {len(others):,} most frequent of {every}"
    which += " that are not sensitive" if hidden else ""
    tables = [_terms_table(which, others, columns)] if others else []
    tables += [_terms_table(f"{counted(len(hidden), 'sensitive term')}", hidden, columns)] if hidden else []
    return (
        "<section>\n<h2>How many records have a term?</h2>\n"
        f'<p>{words} <span class="find">Type the beginning of a term to find it.</span></p>\n'
        '<p><input list="terms" aria-label="Find a term" placeholder="find a term" autocomplete="off"></p>\n'
        f'<datalist id="terms">{options}</datalist>\n' + "\n".join(tables) + "\n</section>"
    )


def sensitive_of(report: Report) -> frozenset[str]:
    """Return the terms that the release itself names as sensitive."""
    listed = (entry["term"] for entry in report.statistics.get("sensitive_items", ()))
    return frozenset((*report.guarantee.get("sensitive", ()), *listed))


def _terms_table(title: str, found: list[dict[str, Any]], columns: dict[str, str]) -> str:
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("term", *columns))
    rows = "".join(
        f"<tr><td><bdi>{in_html(one['term'])}</bdi></td>"
        + "".join(f"<td>{_n(one[name])}</td>" for name in columns.values())
        + "</tr>"
        for one in found
    )
    return (
        f'<details class="terms"><summary>{title}</summary>\n'
        f"<table><caption>Records that have a term</caption>\n<thead><tr>{heads}</tr></thead>"
        f"\n<tbody>{rows}</tbody></table></details>"
    )


def _records(one: dict[str, Any]) -> str:
    least, most = one["least"], one["most"]
    return f"{_n(least)} records" if least == most else f"{_n(least)} to {_n(most)} records"


def _n(number: int) -> str:
    return f"{number:,}"


PAGE = Page(head=_head, made_of=_made_of, figures=figures_of, example=example_html, numbers=_numbers, terms=terms_of)
