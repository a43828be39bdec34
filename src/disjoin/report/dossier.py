"""Dossier: one private, printable document about a release, for the person who decides on publishing it.

Page 1 has the decision: verdict, attacker, what remains learnable, recommendation, and fields to fill in. Then come one
table of what known terms reveal before and after, an example attack, utility, the settings tried, limits, an appendix.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from disjoin.attack.known_terms import Candidates
from disjoin.charts.svg import drawing
from disjoin.forms.dossier import NO_PARTS, DossierParts, Revealed
from disjoin.forms.form import Form
from disjoin.forms.registry import FORMS
from disjoin.model import MixedRecords, Release, Table, Transactions, Verdict
from disjoin.model.release import Report
from disjoin.report.facts import facts_of, intake_of, machine_in_words, today, versions
from disjoin.report.html import checklist, paragraphs, rows_table, section, titled_list
from disjoin.report.profile_tables import WARNING, private_page
from disjoin.report.verdict_words import headline
from disjoin.text import counted, in_html, percent, setting
from disjoin.verify.inspection import all_invariants

FIELDS = {  # what the data owner fills in: by option, or by hand
    "purpose": "Purpose of publication",
    "recipients": "Recipients",
    "legal_basis": "Legal basis",
    "retention": "Retention and end of use",
}
BEFORE_AND_AFTER = "What known {} reveal, before and after"
_DECISIONS = ("Publish", "Publish to these recipients only", "Do not publish")
_SIGNERS = ("Data owner", "Data protection officer")
_NONE_NAMED = "none named"


def dossier_of(
    release: Release,
    original: Transactions | Table | MixedRecords,
    verdict: Verdict,
    *,
    name: str,
    plan: str = "",
    tried: str = "",
    filled: Mapping[str, str] | None = None,
) -> str:
    """Return the dossier as one page of HTML; `plan` is the text of plan.toml, `tried` HTML about settings tried.
    `filled` has texts for some of `FIELDS`; the others stay empty lines."""
    report = facts_of(release)
    form = FORMS[report.form]
    parts = form.dossier() or NO_PARTS
    found, example = parts.revealed(release, original, report), parts.example(release, original)
    sections = [
        _decision(report, form, verdict, found, name, filled or {}),
        _before_and_after(found) if found.rows else "",
        _attack(*example) if example else "",
        _utility(release, original, report, form, parts),
        tried,
        "" if parts.has_learned else titled_list("What an attacker can still learn", form.learned(report)),
        titled_list("What is not guaranteed", form.limits(report)),
        '<p class="kicker appendix">Appendix</p>',
        _data(original, release),
        _checked(verdict),
        _made(report, plan),
    ]
    return private_page("Dossier (private)", "\n".join(filter(None, sections)), "dossier.css")


def _decision(
    report: Report, form: Form, verdict: Verdict, found: Revealed, name: str, filled: Mapping[str, str]
) -> str:
    """Return page 1: holds, for whom, what remains, recommendation; then what the data owner fills in."""
    limits = [title[:1].lower() + title[1:] for title, _ in form.limits(report)]
    not_covered = f"Not covered: {'; '.join(limits)}." if limits else ""
    answers = (
        ("Does the guarantee hold?", (_holds(verdict),)),
        ("For whom?", (verdict.guarantee.sentence(), not_covered)),
        ("What remains learnable?", found.remains),
        ("Recommendation", recommendation(verdict, found, report.counts["records"])),
    )
    rows = "".join(f"<div><dt>{title}</dt><dd>{paragraphs(*words)}</dd></div>" for title, words in answers)
    fields = "".join(_field(title, filled.get(key, "")) for key, title in FIELDS.items())
    choice = "".join(f"<li>{words}</li>" for words in _DECISIONS)
    signed = "".join(_field(f"{who}: name, date, signature", "") for who in _SIGNERS)
    return (
        f'<div class="decision-page">\n<p class="private-page">{WARNING}</p>\n'
        f'<p class="kicker">Dossier of a release · {today()}</p>\n'
        f"<h1>Decision on publishing <bdi>{in_html(name)}</bdi></h1>\n"
        f"<p>{in_html(_what_it_is(report))}</p>\n"
        f'<dl class="decision{"" if verdict.holds else " doubt"}">{rows}</dl>\n'
        f'<div class="fields">{fields}</div>\n'
        f'<div class="choice"><span>Decision</span><ul>{choice}</ul></div>\n'
        f'<div class="fields">{signed}</div>\n</div>'
    )


def _holds(verdict: Verdict) -> str:
    checked = f"The verifier checked {counted(len(verdict.checked), 'invariant')}, with the original."
    if verdict.holds and verdict.facts.get("by_construction"):
        return f"Yes, by the way the release was made: tables alone cannot show it. {checked}"
    return f"{headline(verdict)} {checked}"


def _what_it_is(report: Report) -> str:
    counts = report.counts
    parts = [counted(counts["records"], "record")]
    parts += [counted(counts[name], name[:-1]) for name in ("terms", "columns") if name in counts]
    return f"The release has {' and '.join(filter(None, (', '.join(parts[:-1]), parts[-1])))}, by {report.method}."


def _field(title: str, text: str) -> str:
    return f"<p><span>{title}</span><b>{in_html(text)}</b></p>"


def recommendation(verdict: Verdict, found: Revealed, records: int) -> tuple[str, ...]:
    """Return the recommendation in sentences; it follows from the verdict and from what is revealed."""
    if not verdict.holds:
        return ("Do not publish this release: the guarantee does not hold.",)
    if getattr(verdict.guarantee, "proven", True) is False:
        return ("Do not publish this release: its guarantee is not proven.",)
    if not records:
        return ("The release is empty, so it is of no use. Try a weaker setting or more data.",)
    if found.cautions:
        return ("Try a stricter setting before you publish.", *found.cautions)
    return (f"Publish if {found.condition}.",)


def _before_and_after(found: Revealed) -> str:
    rows = [(label, *cells) for label, cells in found.rows]
    table = rows_table((found.knowledge, *found.columns), rows)
    return section(BEFORE_AND_AFTER.format(found.known), f'<div class="known">{table}</div>', paragraphs(*found.notes))


MOST_CHANCES = 5  # of terms that the candidates of the example may also have


def _attack(begin: str, found: Candidates) -> str:
    learned = [(what, percent(chance)) for what, chance in found.learned[:MOST_CHANCES]]
    chances = rows_table(("may also have", "chance"), learned) if learned else ""
    return section("An example attack", paragraphs(begin, found.sentence(), found.verdict), chances)


MOST_CHANCES = 5  # of terms that the candidates of the example may also have


def _utility(release: Release, original: Any, report: Report, form: Form, parts: DossierParts) -> str:
    costs, figures = form.costs(release.published, original), form.page.figures(report)
    charts = [figures[place].chart for place in parts.pictures if place < len(figures)]
    if parts.chart is not None:
        charts.insert(0, parts.chart(report, costs))
    drawn = "".join(
        f"<figure><figcaption>{in_html(chart.title)}</figcaption>{drawing(chart)}</figure>" for chart in charts
    )
    words = " ".join(parts.kept(report, costs))
    return section("Utility: what the release keeps", paragraphs(words), f'<div class="charts">{drawn}</div>')


def _data(original: Transactions | Table | MixedRecords, release: Release) -> str:
    rows = [
        (key.replace("_", " "), f"{value:,}" if type(value) is int else setting(value))
        for key, value in intake_of(original).items()
        if isinstance(value, (int, str)) and value not in (0, "")
    ]
    named = ", ".join(release.guarantee.to_json().get("sensitive", ())) or _NONE_NAMED
    return section("The data", rows_table(("", ""), [*rows, ("sensitive terms or columns", named)]))


def _checked(verdict: Verdict) -> str:
    known, guarantee = all_invariants(), verdict.guarantee.to_json()
    rows = [(name, known[name].in_words(guarantee)) for name in verdict.checked]
    broken = [f"{found.invariant}: {found.without_example()}" for found in verdict.violations]
    said = f"The verifier shares no code with the method. {len(verdict.checked)} invariants were checked."
    return section("What the verifier checked", paragraphs(said, *broken), checklist(rows))


def _made(report: Report, plan: str) -> str:
    rows = [(name, setting(value)) for name, value in sorted(report.parameters.items()) if _is_set(value)]
    rows += [*versions().items(), ("machine", machine_in_words())]
    kept = f"<h3>plan.toml</h3>\n<pre>{in_html(plan, lines=True)}</pre>" if plan else ""
    return section("How it was made", rows_table(("", ""), rows), kept)


def _is_set(value: object) -> bool:
    """Report whether a parameter says something: zero, none, no and an empty list do not."""
    return value not in (0, None, False, "") and value != [] and value != ()
