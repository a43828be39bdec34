"""Result page of an experiment: claims, our figures, charts."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from disjoin.advise.results import Rows, markdown_table, names_in
from disjoin.atomic import whole_file
from disjoin.charts.svg import Chart, drawing
from disjoin.errors import UnreadableInput
from disjoin.lab import EXPERIMENTS, experiment_named
from disjoin.lab.claims import EXPECTED
from disjoin.lab.experiment import Experiment
from disjoin.lab.rows import Row, distinct, rows_with, tidy_table
from disjoin.lab.running import RESULTS, read_results
from disjoin.release.result_folder import LIST

_ALWAYS = ("data", "known_as", "records", "terms", "measure", "value")
MARKS = {"met": "**met**", "not met": "**not met**", "not comparable": "not comparable"}


def section_of(
    experiment: Experiment,
    rows: Rows,
    facts: dict[str, Any],
    charts: dict[str, tuple[str, str]],
) -> str:
    judged = [(claim, claim.judge(rows)) for claim in experiment.claims]
    lines = [[claim.paper, claim.states, found.ours, MARKS[found.verdict]] for claim, found in judged]
    claims = [markdown_table(["paper", "it states", "we find", "verdict"], lines) + "\n"] if lines else []
    parts = [
        f"# {experiment.title}\n",
        f"{experiment.question}\n",
        *claims,
        "".join(f"![{seen}]({name})\n" for name, seen in charts.values()),  # one paragraph, so in one line
        _table(experiment, rows),
        *(f"{note}\n" for note in experiment.notes),
        f"*`disjoin experiment {experiment.name}`, {_quick(facts)}{facts['date']}, {_machine(facts)}.*\n",
    ]
    return "\n".join(parts)


def _table(experiment: Experiment, rows: Rows) -> str:
    column, spreads = experiment.across or "measure", rows_with(rows, measure=f"{(*experiment.shown, '')[0]} spread")
    wanted = experiment.shown[:1] if experiment.across else experiment.shown
    rows = [row for row in rows if not wanted or row["measure"] in wanted]
    settings = [name for name in names_in(rows) if name not in _ALWAYS]
    varying = [name for name in settings if len({row.get(name) for row in rows}) > 1]
    fixed = [f"{name} = {rows[0][name]}" for name in settings if name not in varying]
    index = ["data", *_sizes(rows), *(name for name in varying if name != column)]
    head = [str(value) for value in distinct(rows, column)]
    beside = _values(spreads, index, column) if experiment.across else {}

    def spread(key: tuple[str, ...], name: Any) -> str:
        found = beside.get(key, {})
        return f" ± {_number(found[name])}" if name in found else ""

    lines = [
        [*key, *(_number(found.get(name)) + spread(key, name) for name in distinct(rows, column))]
        for key, found in _values(rows, index, column).items()
    ]
    about = f"{experiment.shown[0]} by {column}" if experiment.across else ""
    said = ", ".join(filter(None, [about, *fixed]))
    return (f"{said}:\n\n" if said else "") + markdown_table([*index, *head], lines) + "\n"


def _sizes(rows: Rows) -> list[str]:
    return [
        name
        for name in ("records", "terms")
        if len({(row["data"], row.get(name)) for row in rows}) > len(distinct(rows, "data"))
    ]


def _values(rows: Rows, index: list[str], column: str) -> dict[tuple[str, ...], dict[Any, Any]]:
    found: dict[tuple[str, ...], dict[Any, Any]] = {}
    for row in rows:
        found.setdefault(tuple(_shown(row, name) for name in index), {})[row[column]] = row["value"]
    return found


def _shown(row: Row, name: str) -> str:
    value = row.get(name)
    if name == "data" and row.get("known_as"):
        return f"{value} ({row['known_as']})" if str(value).upper() != row["known_as"] else str(row["known_as"])
    return (
        "" if value is None else f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    )


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"


@dataclass(frozen=True, slots=True)
class PaperSection:
    """A part of the page: the claims of a paper, or all claims of one experiment."""

    title: str
    papers: str
    paper: str = ""  # how claims begin to name it
    experiment: str = ""
    chart: str = ""  # the experiment whose first chart is shown


SOURCES = (
    PaperSection(
        "Disassociation",
        "Terrovitis, Liagouris, Mamoulis, Skiadopoulos: *Privacy Preservation by Disassociation*, PVLDB 5(10), 2012 "
        "(TLMS12). It does not state its limit of cluster sizes; ours is 20 k, and Nagaraja's thesis (Cardiff, 2022) "
        "has 2 k + 1.",
        paper="TLMS12",
        chart="loss-by-k",
    ),
    PaperSection(
        "Strategies for small clusters",
        "AlShuhail, Shao, on horizontal partitioning for disassociation, Sustainability 15(9):7447, 2023.",
        paper="AS23",
        chart="strategies",
    ),
    PaperSection(
        "CAHD",
        "Ghinita, Tao, Kalnis: *On the Anonymization of Sparse High-Dimensional Data*, ICDE 2008. Its draws of "
        "sensitive items are not ours, so directions are compared and not values.",
        paper="GTK08",
        chart="cahd-kl",
    ),
    PaperSection(
        "Two-level clustering, KACA and TopDown-KACA",
        "Verma: *k-Anonymity using Two Level Clustering*, NIT Rourkela, 2013. KACA is the algorithm of Li, Wong, Fu, "
        "Pei (DaWaK 2006). The order of the columns is ours and VER13's hierarchies are not at hand, so the order of "
        "the algorithms is compared and not values.",
        paper="VER13",
        chart="tables-by-quasi",
    ),
    PaperSection(
        "Apriori generalisation and DiffPart",
        "Statements of TLMS12 about the methods of Terrovitis, Mamoulis, Kalnis (VLDB 2008) and Chen, Mohammed, Fung, "
        "Desai, Xiong (PVLDB 2011). Guarantees differ: k^m-anonymity is about m known terms, differential privacy "
        "about any knowledge. A lower loss under another guarantee is no victory.",
        experiment="head-to-head",
        chart="head-to-head",
    ),
    PaperSection("Our expectations", "Statements of ours about our methods.", paper=EXPECTED, chart="clusterings"),
)


@dataclass(frozen=True, slots=True)
class ExperimentOutcome:
    """What the page shows of one experiment."""

    name: str
    title: str
    question: str
    date: str  # and "quick settings", if these were
    machine: str  # and the version
    notes: tuple[str, ...]
    claims: tuple[tuple[str, str, str, str], ...]  # paper, what it states, what we find, verdict
    charts: tuple[tuple[str, str], ...] = ()  # file and description
    remarks: str = ""


REMARKS = "remarks.md"  # what the user says about a run; it goes on the page with its figures
_NO_POS = "BMS-POS, the third dataset of TLMS12, is not freely available, so no figure here is about it."


def write_results_page(results: str | Path, page: str | Path) -> list[str]:
    """Write the page, and next to it a folder with one CSV file per experiment and one chart per source."""
    found = [name for name in EXPERIMENTS if (Path(results) / name / "facts.json").is_file()]
    if not found:
        raise UnreadableInput(
            "expected a folder with results of experiments, found none. Run `disjoin experiment NAME` first.",
            source=str(results),
        )
    page = Path(page)
    folder = page.with_suffix("")
    knows_pos = False
    outcomes: list[ExperimentOutcome] = []
    drawn: dict[str, Chart] = {}
    for name in found:
        experiment = experiment_named(name)
        facts, rows = read_results(Path(results) / name)
        knows_pos |= bool(rows_with(rows, known_as="POS"))
        charts = {f"{name}-{_file_name(title)}": chart for title, chart in experiment.charts(rows).items()}
        drawn |= charts
        remarks = Path(results) / name / REMARKS
        judged = [(claim, claim.judge(rows)) for claim in experiment.claims]
        outcomes.append(
            ExperimentOutcome(
                name,
                experiment.title,
                experiment.question,
                _quick(facts) + facts["date"],
                _machine(facts),
                experiment.notes,
                tuple((claim.paper, claim.states, told.ours, MARKS[told.verdict]) for claim, told in judged),
                tuple((file, chart.description) for file, chart in charts.items()),
                remarks.read_text(encoding="utf-8").strip() if remarks.is_file() else "",
            )
        )
        _write(folder / f"{name}.csv", _csv_of(rows))
    _write(folder / "experiments.csv", table_of(outcomes))
    text = page_of(outcomes, folder.name) + ("" if knows_pos else f"\n{_NO_POS}\n")
    for file, chart in drawn.items():
        if f"]({folder.name}/{file})" in text:
            _write(folder / file, drawing(chart, alone=True).encode())
    _write(page, text.encode())
    return found


def page_of(outcomes: Sequence[ExperimentOutcome], folder: str) -> str:
    """Return the text of the page: the claims by source, and remarks."""
    by_source: dict[PaperSection, list[tuple[ExperimentOutcome, tuple[str, str, str, str]]]] = {}
    for outcome in outcomes:
        for claim in outcome.claims:
            by_source.setdefault(_source_of(outcome, claim[0]), []).append((outcome, claim))
    verdicts = [claim[3] for outcome in outcomes for claim in outcome.claims]
    counts = ", ".join(f"{verdicts.count(mark)} {mark}" for mark in MARKS.values() if mark in verdicts)
    template = files(__package__).joinpath("results_page.md").read_text(encoding="utf-8")
    machines = "; ".join(dict.fromkeys(outcome.machine for outcome in outcomes))
    parts = [template.format(folder=folder, counts=f"Of {len(verdicts)} statements: {counts}. Measured on {machines}.")]
    order = [*SOURCES, *(source for source in by_source if source not in SOURCES)]
    for source in order:
        if source in by_source:
            parts += _section(source, by_source[source], outcomes, folder)
    remarks = [f"* `{outcome.name}`: {outcome.remarks}\n" for outcome in outcomes if outcome.remarks]
    parts += ["## Remarks\n", *remarks] if remarks else []
    return "\n".join(parts)


def table_of(outcomes: Sequence[ExperimentOutcome]) -> bytes:
    """Return a CSV file with a row per experiment: its question, how it is measured, when and where it ran."""
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(("experiment", "title", "question", "how it is measured", "remarks", "date", "machine"))
    for one in outcomes:
        rows.writerow((one.name, one.title, one.question, " ".join(one.notes), one.remarks, one.date, one.machine))
    return written.getvalue().encode()


def _section(
    source: PaperSection,
    claims: Sequence[tuple[ExperimentOutcome, tuple[str, str, str, str]]],
    outcomes: Sequence[ExperimentOutcome],
    folder: str,
) -> list[str]:
    lines = []
    for outcome, (_, states, ours, verdict) in claims:
        brief = ours.partition("; not ")[0]  # settings that disagree are in the figures
        lines.append([f"[{outcome.name}]({folder}/{outcome.name}.csv)", states, brief, verdict])
    drawn = [outcome for outcome in outcomes if outcome.name == source.chart and outcome.charts]
    drawn = drawn or [outcome for outcome, _ in claims if outcome.charts]
    file, seen = drawn[0].charts[0] if drawn else ("", "")
    chart = f"![{seen.partition(':')[0]}]({folder}/{file})\n" if drawn else ""  # its figures are in the CSV file
    about = f"{source.papers}\n" if source.papers else ""
    table = markdown_table(["experiment", "statement", "we find", "verdict"], lines).replace(" | ", "|")
    return list(filter(None, [f"## {source.title}\n", about, f"{table}\n", chart]))


def _source_of(outcome: ExperimentOutcome, paper: str) -> PaperSection:
    known = [source for source in SOURCES if source.experiment == outcome.name]
    known += [source for source in SOURCES if source.paper and paper.startswith(source.paper)]
    return known[0] if known else PaperSection(paper, "", paper=paper)


def _quick(facts: dict[str, Any]) -> str:
    return "quick settings: for trying, not for quoting; " if facts["quick"] else ""


def _machine(facts: dict[str, Any]) -> str:
    return f"{facts['machine']}, disjoin {facts['version']}"


def _csv_of(rows: Rows) -> bytes:
    from pyarrow.csv import write_csv

    plain = io.BytesIO()
    write_csv(tidy_table(rows), plain)
    return plain.getvalue()


def write_results(experiment: Experiment, rows: Rows, facts: dict[str, Any], folder: Path) -> None:
    """Write results.csv, results.parquet, the charts as SVG, facts.json and README.md, and the list of them."""
    import pyarrow.parquet as pq

    packed = io.BytesIO()
    pq.write_table(tidy_table(rows), packed)
    charts = write_charts(experiment, rows, folder)
    _write(folder / "results.parquet", packed.getvalue())
    _write(folder / "results.csv", _csv_of(rows))
    _write(folder / "facts.json", json.dumps({**facts, "rows": rows}, indent=1).encode())
    _write(folder / "README.md", section_of(experiment, rows, facts, charts).encode())
    written = {file.name: file for file in folder.iterdir() if RESULTS.is_known(file.name)}
    _write(folder / LIST, RESULTS.list_of(written).encode())


def write_charts(experiment: Experiment, rows: Rows, folder: Path) -> dict[str, tuple[str, str]]:
    written = {}
    for title, chart in experiment.charts(rows).items():
        name = _file_name(title)
        _write(folder / name, drawing(chart, alone=True).encode())
        written[title] = (name, chart.description)
    return written


def _file_name(title: str) -> str:
    return f"{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')}.svg"


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)
