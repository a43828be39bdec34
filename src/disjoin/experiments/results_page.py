"""One page of all experiments that a folder has results of."""

from __future__ import annotations

from pathlib import Path

from disjoin.errors import UnreadableInput
from disjoin.experiments import EXPERIMENTS, experiment_named
from disjoin.experiments.experiment import rows_with
from disjoin.experiments.page import section_of, verdicts_of
from disjoin.experiments.running import read_results
from disjoin.experiments.writing import write_charts
from disjoin.generate.output import whole_file

REMARKS = "remarks.md"  # what somebody wants to say about a run; it goes on the page after its figures
_HEAD = """\
# Results

What the papers on disassociation, on CAHD (GTK08) and on tables (VER13) state, and what this program finds: met, not
met, or not comparable. Made by `disjoin experiment NAME` and `disjoin experiment --page`, which make every figure
again. What stands after "here" is how we read a statement that gives no limit.

"""
_NOISE = """
Losses are the same in every run, as reconstructions have a fixed seed; how much they differ from seed to seed is in the
first table. Seconds are not: the least and the most of
several runs stand beside their median, and on a machine that others use too they differ by a quarter and more. Data
are called by the papers' names only if they have the papers' numbers of records and terms.
"""
_NO_POS = """
BMS-POS, the third dataset of the disassociation paper, was not at hand, so no figure here is about it; `--data` takes
a copy of it.
"""


def write_results_page(results: str | Path, page: str | Path) -> list[str]:
    """Write the page, and its charts into a folder of its name; return the names of the experiments on it."""
    found = [name for name in EXPERIMENTS if (Path(results) / name / "facts.json").is_file()]
    if not found:
        raise UnreadableInput(
            "expected a folder with results of experiments, found none. Run `disjoin experiment NAME` first.",
            source=str(results),
        )
    page = Path(page)
    beside = page.with_suffix("")
    knows_pos = False
    overview, sections = ["| experiment | paper | it states | verdict |", "|---|---|---|---|"], []
    for name in found:
        experiment = experiment_named(name)
        facts, rows = read_results(Path(results) / name)
        knows_pos |= bool(rows_with(rows, known_as="POS"))
        overview += verdicts_of(experiment, rows)
        charts = write_charts(experiment, rows, beside, f"{name}-")
        placed = {title: (f"{beside.name}/{file}", seen) for title, (file, seen) in charts.items()}
        remarks = Path(results) / name / REMARKS
        sections.append(section_of(experiment, rows, facts, placed, level=2))
        sections += [remarks.read_text(encoding="utf-8")] if remarks.is_file() else []
    with whole_file(page) as file:
        head = _HEAD + "\n".join(overview) + "\n" + _NOISE + ("" if knows_pos else _NO_POS)
        file.write("\n".join([head, *sections]).encode())
    return found
