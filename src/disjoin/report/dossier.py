"""Dossier: one private, printable page about a release, for the person who decides on publishing it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from disjoin.attack.known_terms import Candidates, candidates
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
from disjoin.model.release import Report
from disjoin.report.facts import facts_of, intake_of, machine_in_words, today, versions
from disjoin.report.html import checklist, paragraphs, rows_table, section, titled_list
from disjoin.report.profile_tables import WARNING, private_page
from disjoin.report.verdict_words import headline
from disjoin.text import counted, in_html, percent, setting
from disjoin.verify.inspection import all_invariants

_NONE_NAMED = "None was named. Nothing in the release is treated as more secret than the rest."
_SIGNATURES = "".join(f"<p>{words}</p>" for words in ("Data owner", "Date", "Data protection officer", "Date"))
_SIGNED = f'<section>\n<h2>Signed</h2>\n<div class="sign">{_SIGNATURES}</div>\n</section>'
_BEFORE_AND_AFTER = "Who is singled out, before and after"


def dossier_of(
    release: Release,
    original: Transactions | Table | MixedRecords,
    verdict: Verdict,
    *,
    name: str,
    plan: str = "",
    tried: str = "",
) -> str:
    """Return the dossier as one page of HTML; `plan` is the text of plan.toml, `tried` HTML about settings tried."""
    report = facts_of(release)
    form = FORMS[report.form]
    sections = [
        f'<p class="private-page">{WARNING}</p>\n<p class="kicker">Dossier of a release · {today()}</p>\n'
        f"<h1>{in_html(release.guarantee.sentence())}</h1>\n"
        f"<p>Made from <bdi>{in_html(name)}</bdi> by {in_html(release.method)}.</p>",
        _about_the_data(original),
        *_risks(release, original),
        tried,
        titled_list("What somebody could learn", form.learned(report)),
        titled_list("What is not promised", form.limits(report)),
        section(
            "Sensitive terms or columns",
            paragraphs(", ".join(release.guarantee.to_json().get("sensitive", ())) or _NONE_NAMED),
        ),
        _verdict(verdict),
        _how(report, plan),
        _SIGNED,
    ]
    return private_page("Dossier (private)", "\n".join(filter(None, sections)), "dossier.css")


def _about_the_data(original: Transactions | Table | MixedRecords) -> str:
    rows = [
        (key.replace("_", " "), f"{value:,}" if type(value) is int else setting(value))
        for key, value in intake_of(original).items()
        if isinstance(value, (int, str))
    ]
    return section("What the data is", rows_table(("", ""), rows))


def _risks(release: Release, original: Transactions | Table | MixedRecords) -> list[str]:
    if isinstance(original, Table):
        return _risks_of_rows(release, original)
    if isinstance(original, MixedRecords):
        return _risks_of_people(release, original)
    if isinstance(release.published, Clusters):
        found, inferred = risk(original, release), sure_inference(release, original)
        said = paragraphs(inferred.sentence(), inferred.example_in_words())
        ending = " An attacker who knows these two terms of a person reads the release."
        attack = _attack_on_pairs(release, found.pairs, ending)
        return [_curve(found), attack, section("What can be inferred for sure", said)]
    # The guarantee is not about numbers of known terms, so they are counted in the original only.
    alone = uniqueness(original, getattr(release.guarantee, "m", 2) + 1)
    rows = [(f"{each.known}", percent(each.share)) for each in alone]
    table = rows_table(("known terms", "alone before"), rows)
    sections = [section(_BEFORE_AND_AFTER, table, paragraphs(release.guarantee.sentence()))]
    if not isinstance(release.published, NoisyRecords):
        _, pairs = giveaways(original, getattr(release.guarantee, "k", 0) or getattr(release.guarantee, "p", 2))
        sections.append(_attack_on_pairs(release, pairs))
    if isinstance(release.published, Groups):
        correlated = (sentence for _, sentence in overview(release, original).sentences())
        sections.append(section("Correlation with ordinary items", paragraphs(*correlated)))
    return sections


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
    return section(_BEFORE_AND_AFTER, rows_table(head, rows), paragraphs(said))


def _attack_on_pairs(release: Release, pairs: Sequence[tuple[tuple[str, str], int]], ending: str = "") -> str:
    """Show one attack: a rare pair of terms of the original, and what the release reveals about it."""
    if not pairs:
        return ""
    pair, count = min(pairs, key=lambda entry: entry[1])
    begin = f"In the data, {counted(count, 'record has', 'records have')} both {pair[0]} and {pair[1]}."
    return _attack(begin + ending, candidates(release, list(pair)))


def _attack(begin: str, found: Candidates, table: str = "") -> str:
    return section("A worked attack", paragraphs(begin, found.sentence(), found.verdict), table)


def _risks_of_rows(release: Release, original: Table) -> list[str]:
    """Show the risk of quasi-identifiers, and an attack: the first row, of which all of them are known."""
    guarantee = release.guarantee
    assert isinstance(guarantee, KAnonymity), "a table is published under k-anonymity"
    found = table_risk(original, guarantee.quasi)
    rows = [(", ".join(one.columns), f"{one.unique_rows:,}", percent(float(one.unique_share))) for one in found.known]
    said = (
        f"Before, {counted(found.whole.unique_rows, 'row')} of {found.whole.rows:,} stood alone with all that an "
        f"attacker may know. After publishing every row shares it with at least {guarantee.k - 1} others."
    )
    table = rows_table(("known columns", "rows alone before", "share"), rows[:12])
    attacked = candidates(release, _known_values(original, guarantee.quasi, 0))
    learned = [(what, percent(chance)) for what, chance in attacked.learned]
    chances = rows_table(("what they may also have", "chance"), learned) if learned else ""
    return [
        section(_BEFORE_AND_AFTER, paragraphs(said), table),
        _attack("Take one row of the data.", attacked, chances),
    ]


def _known_values(table: Table, quasi: Sequence[str], row: int) -> list[str]:
    return [f"{name}={table.values_of(name)[int(table.codes_of(name)[row])].as_py()}" for name in quasi]


def _risks_of_people(release: Release, original: MixedRecords) -> list[str]:
    """Show the risk of columns and terms, and an attack: the first person with enough terms, of whom m are known."""
    guarantee, records = release.guarantee, original.records
    assert isinstance(guarantee, MixedAnonymity), "mixed data has its own guarantee"
    alone = mixed_uniqueness(original, guarantee.quasi, guarantee.m + 1)
    rows = [(f"{terms}", f"{found:,}", percent(found / len(original))) for terms, found in enumerate(alone)]
    table = rows_table((f"known terms, with {', '.join(guarantee.quasi)}", "people alone before", "share"), rows)
    said = f"Now {guarantee.k} people or more fit what is known, if it is these columns and up to {guarantee.m} terms."
    lengths = np.diff(records.offsets)
    person = int(np.argmax(np.where(lengths >= guarantee.m, -lengths, -(1 << 40))))
    terms = records.vocabulary.take(pa.array(records.records[person][: guarantee.m])).to_pylist()
    known = [*_known_values(original.table, guarantee.quasi, person), *terms]
    return [
        section(_BEFORE_AND_AFTER, table, paragraphs(said)),
        _attack("Take one person of the data.", candidates(release, known)),
    ]


def _verdict(verdict: Verdict) -> str:
    known, guarantee = all_invariants(), verdict.guarantee.to_json()
    rows = [(name, known[name].in_words(guarantee)) for name in verdict.checked]
    said = f"{headline(verdict)} {verdict.guarantee.sentence()}"
    checked = f"The verifier shares no code with the method. {len(verdict.checked)} invariants were checked."
    return section("The verdict", paragraphs(said, checked), checklist(rows))


def _how(report: Report, plan: str) -> str:
    rows = [(name, setting(value)) for name, value in sorted(report.parameters.items())]
    rows += [*versions().items(), ("machine", machine_in_words())]
    kept = f"<h3>plan.toml</h3>\n<pre>{in_html(plan, lines=True)}</pre>" if plan else ""
    return section("How it was made", rows_table(("", ""), rows), kept)
