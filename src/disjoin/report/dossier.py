"""Dossier: one private page about a release, for the person who decides on publishing it.

It contains facts about the original, so it must not be published. It loads no other files, and can be printed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from disjoin.attack.known_terms import candidates
from disjoin.attack.overview import overview
from disjoin.attack.risk import Risk, giveaways, risk
from disjoin.attack.sure_inference import sure_inference
from disjoin.attack.table_risk import table_risk
from disjoin.attack.uniqueness import mixed_uniqueness, uniqueness
from disjoin.forms.registry import FORMS
from disjoin.model import (
    Clusters,
    Groups,
    KAnonymity,
    MixedAnonymity,
    MixedRecords,
    NoisyRecords,
    Release,
    Table,
    Transactions,
    Verdict,
)
from disjoin.report.facts import facts_of, intake_of, machine_in_words, today, versions
from disjoin.report.profile_tables import WARNING, paragraphs, private_page, rows_table, section
from disjoin.report.verdict_words import headline
from disjoin.text import counted, in_html, percent, setting
from disjoin.verify.inspection import all_invariants

_STYLE = """
.rows thead th { color: var(--muted); font-weight: 500; } .rows .advised { background: var(--soft); }
.sign { display: grid; grid-template-columns: 1fr 1fr; gap: 2.4rem 2rem; margin-top: 3rem; } .sign p { border-top: 1px solid var(--ink); padding-top: .3rem; margin: 0; }
.scroll { overflow-x: auto; } .why { border-bottom: 1px solid var(--ink); padding-bottom: 2.6rem; max-width: none; break-inside: avoid; }
.scroll + h3 { margin-top: 1.4rem; }
@page { margin: 1.6cm 1.5cm; }
@media print { section { break-inside: auto; } thead { display: table-header-group; } tr, .limits li, .checks li, .sign { break-inside: avoid; } section:has(.sign) { break-inside: avoid; } }
"""  # noqa: E501 - a style is read by lines


def dossier_of(
    release: Release,
    original: Transactions | Table | MixedRecords,
    verdict: Verdict,
    *,
    name: str,
    plan: str = "",
    tried: str = "",
) -> str:
    """Return the dossier of a release and the original that it was made from, as one page of HTML.

    verdict: of the release, compared with the original.
    name: what the original is called.
    plan: the text of plan.toml, if there is one.
    tried: the section about settings that were tried, as HTML, if there were any.
    """
    report = facts_of(release)
    sections = [
        _head(release, name),
        _about_the_data(original),
        *_risks(release, original),
        tried,
        _learned(report),
        _limits(report),
        _sensitive(release),
        _verdict(verdict),
        _how(report, plan),
        _signing(),
    ]
    return private_page("Dossier (private)", "\n".join(section for section in sections if section), _STYLE)


def _head(release: Release, name: str) -> str:
    return (
        f'<p class="private-page">{WARNING}</p>\n<p class="kicker">Dossier of a release · {today()}</p>\n'
        f"<h1>{in_html(release.guarantee.sentence())}</h1>\n"
        f"<p>Made from <bdi>{in_html(name)}</bdi> by {in_html(release.method)}.</p>"
    )


def _about_the_data(original: Transactions | Table | MixedRecords) -> str:
    intake = intake_of(original)
    told = [
        (key.replace("_", " "), f"{value:,}" if type(value) is int else setting(value))
        for key, value in intake.items()
        if isinstance(value, (int, str))
    ]
    return section("What the data is", rows_table(("", ""), told))


def _risks(release: Release, original: Transactions | Table | MixedRecords) -> list[str]:
    if isinstance(original, Table):
        return [_table_risk(release, original), _worked_on_rows(release, original)]
    if isinstance(original, MixedRecords):
        return [_people_risk(release, original), _worked_on_people(release, original)]
    if not isinstance(release.published, Clusters):
        return [_curve_before(release, original), _worked_elsewhere(release, original), _correlated(release, original)]
    found = risk(original, release)
    return [_curve(found), _worked(release, original, found), _sure(release, original)]


def _curve(found: Risk) -> str:
    rows = [
        (
            f"{point.known}",
            percent(point.singled_out),
            "too many to count" if point.below_k is None else percent(point.below_k),
            percent(point.afterwards),
        )
        for point in found.curve
    ]
    head = ("known terms", "alone before", f"among fewer than {found.k} before", f"among fewer than {found.k} after")
    said = (
        f"Up to {found.m} known terms nobody is found among fewer than {found.k}, by the promise. After publishing, "
        f"{counted(found.looked_at, 'record')} were looked at. {found.m + 1} random terms still do harm to "
        f"{percent(found.harmed)} of the records."
    )
    return section("Who is singled out, before and after", rows_table(head, rows), paragraphs(said))


def _worked(release: Release, original: Transactions, found: Risk) -> str:
    """Show one attack: a rare pair of the original, and what the release says about it."""
    if not found.pairs:
        return ""
    pair, count = min(found.pairs, key=lambda entry: entry[1])
    said = candidates(release, list(pair))
    return section(
        "A worked attack",
        paragraphs(
            f"In the data, {counted(count, 'record has', 'records have')} both {pair[0]} and {pair[1]}. "
            "An attacker who knows these two terms of a person reads the release.",
            said.sentence(),
            said.verdict,
        ),
    )


def _sure(release: Release, original: Transactions) -> str:
    found = sure_inference(release, original)
    return section("What can be inferred for sure", paragraphs(found.sentence(), found.example_in_words()))


def _table_risk(release: Release, original: Table) -> str:
    guarantee = release.guarantee
    assert isinstance(guarantee, KAnonymity), "a table is published under k-anonymity"
    found, k = table_risk(original, guarantee.quasi), guarantee.k
    rows = [(", ".join(one.columns), f"{one.unique_rows:,}", percent(float(one.unique_share))) for one in found.known]
    said = (
        f"Before, {counted(found.whole.unique_rows, 'row')} of {found.whole.rows:,} stood alone with all that somebody "
        f"may know. After publishing every row shares it with at least {k - 1} others."
    )
    table = rows_table(("anyone who knows", "rows alone before", "share"), rows[:12])
    return section("Who is singled out, before and after", paragraphs(said), table)


def _worked_on_rows(release: Release, original: Table) -> str:
    """Show one attack: the first row, of which all columns are known that somebody may know."""
    guarantee = release.guarantee
    assert isinstance(guarantee, KAnonymity), "a table is published under k-anonymity"
    known = [f"{name}={original.values_of(name)[int(original.codes_of(name)[0])].as_py()}" for name in guarantee.quasi]
    found = candidates(release, known)
    table = rows_table(
        ("what they may have besides", "chance"), [(what, percent(chance)) for what, chance in found.learned]
    )
    words = paragraphs("Take one row of the data.", found.sentence(), found.verdict)
    return section("A worked attack", words, table if found.learned else "")


def _curve_before(release: Release, original: Transactions) -> str:
    """Show whom known terms single out before; what is promised afterwards is not about numbers of known terms."""
    most = getattr(release.guarantee, "m", 2) + 1
    rows = [(f"{each.known}", percent(each.share)) for each in uniqueness(original, most)]
    table = rows_table(("known terms", "alone before"), rows)
    return section("Who is singled out, before and after", table, paragraphs(release.guarantee.sentence()))


def _worked_elsewhere(release: Release, original: Transactions) -> str:
    """Show one attack on groups or generalised records; on noise there is none to show."""
    _, pairs = giveaways(original, getattr(release.guarantee, "k", 0) or getattr(release.guarantee, "p", 2))
    if isinstance(release.published, NoisyRecords) or not pairs:
        return ""
    pair, count = min(pairs, key=lambda entry: entry[1])
    found = candidates(release, list(pair))
    begin = f"In the data, {counted(count, 'record has', 'records have')} both {pair[0]} and {pair[1]}."
    return section("A worked attack", paragraphs(begin, found.sentence(), found.verdict))


def _correlated(release: Release, original: Transactions) -> str:
    """Show how often an attacker names an owner of a sensitive item by its correlation with ordinary items."""
    if not isinstance(release.published, Groups):
        return ""
    said = [sentence for _, sentence in overview(release, original).sentences()]
    return section("Correlation with ordinary items", paragraphs(*said))


def _people_risk(release: Release, original: MixedRecords) -> str:
    guarantee = release.guarantee
    assert isinstance(guarantee, MixedAnonymity), "mixed data has its own promise"
    alone = mixed_uniqueness(original, guarantee.quasi, guarantee.m + 1)
    rows = [(f"{terms}", f"{found:,}", percent(found / len(original))) for terms, found in enumerate(alone)]
    table = rows_table((f"known terms, besides {', '.join(guarantee.quasi)}", "people alone before", "share"), rows)
    said = (
        f"Now everybody has at least {guarantee.k} candidates, up to {guarantee.m} known terms besides these columns."
    )
    return section("Who is singled out, before and after", table, paragraphs(said))


def _worked_on_people(release: Release, original: MixedRecords) -> str:
    """Show one attack: the first person with enough terms, of whom all columns and m terms are known."""
    guarantee, table, records = release.guarantee, original.table, original.records
    assert isinstance(guarantee, MixedAnonymity), "mixed data has its own promise"
    lengths = np.diff(records.offsets)
    row = int(np.argmax(np.where(lengths >= guarantee.m, -lengths, -(1 << 40))))
    values = [f"{name}={table.values_of(name)[int(table.codes_of(name)[row])].as_py()}" for name in guarantee.quasi]
    items = records.items[records.offsets[row] : records.offsets[row + 1]][: guarantee.m]
    found = candidates(release, [*values, *(records.vocabulary[int(item)].as_py() for item in items)])
    return section("A worked attack", paragraphs("Take one person of the data.", found.sentence(), found.verdict))


def _learned(report: Any) -> str:
    rows = FORMS[report.form].learned(report)
    items = "".join(f"<li><h3>{in_html(title)}</h3>{in_html(text)}</li>" for title, text in rows)
    return f'<section>\n<h2>What somebody could learn</h2>\n<ul class="limits">{items}</ul>\n</section>' if rows else ""


def _limits(report: Any) -> str:
    items = "".join(
        f"<li><h3>{in_html(title)}</h3>{in_html(text)}</li>" for title, text in FORMS[report.form].limits(report)
    )
    return f'<section>\n<h2>What is not promised</h2>\n<ul class="limits">{items}</ul>\n</section>'


def _sensitive(release: Release) -> str:
    named = list(release.guarantee.to_json().get("sensitive", ()))
    words = (
        ", ".join(named) if named else "None was named. Nothing in the release is treated as more secret than the rest."
    )
    return section("Sensitive terms or columns", paragraphs(words))


def _verdict(verdict: Verdict) -> str:
    known, promise = all_invariants(), verdict.guarantee.to_json()
    rows = "".join(
        f"<li><abbr>{in_html(name)}</abbr><span>{in_html(known[name].in_words(promise))}</span></li>"
        for name in verdict.checked
    )
    said = f"{headline(verdict)} {verdict.guarantee.sentence()}"
    checked = f"The inspector shares no code with the method. {len(verdict.checked)} invariants were checked."
    return section("The verdict", paragraphs(said, checked), f'<ul class="checks">{rows}</ul>')


def _how(report: Any, plan: str) -> str:
    rows = [(name, setting(value)) for name, value in sorted(report.parameters.items())]
    rows += [(name, version) for name, version in versions().items()] + [("machine", machine_in_words())]
    kept = f"<h3>plan.toml</h3>\n<pre>{in_html(plan, lines=True)}</pre>" if plan else ""
    return section("How it was made", rows_table(("", ""), rows), kept)


def _signing() -> str:
    lines = "".join(f"<p>{words}</p>" for words in ("Data steward", "Date", "Data protection officer", "Date"))
    return f'<section>\n<h2>Signed</h2>\n<div class="sign">{lines}</div>\n</section>'
