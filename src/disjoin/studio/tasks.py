"""Tasks of jobs by kind: inspect, try settings, publish."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.studio.home import Home, new_id
from disjoin.studio.store import Memory

if TYPE_CHECKING:
    from disjoin.advise.trial import Tried
    from disjoin.charts.svg import Chart
    from disjoin.ledger.ledger import Publishing
    from disjoin.methods.contract import Method
    from disjoin.model import MixedRecords, Release, Table, Transactions
    from disjoin.studio.worker import Teller

Facts = dict[str, Any]
PART = 20_000  # records: larger files are tried in part first


@dataclass(frozen=True, slots=True)
class Errand:
    """What a worker needs to know."""

    home: Home
    store: Memory
    job: Facts
    tell: Teller

    @property
    def request(self) -> Facts:
        return dict(self.job["request"])

    @property
    def data(self) -> Facts:
        return dict(self.store.data(self.job["data"])["facts"])

    def records(self) -> Transactions:
        from disjoin.readers.read import read

        self.tell("reading", 0, 0)
        return read(self.data["path"], **self.data["reading"])

    def table(self) -> Table:
        from disjoin.readers.tables import read_table

        self.tell("reading", 0, 0)
        return read_table(self.data["path"], **self.data["reading"])


def look(errand: Errand) -> Facts:
    from disjoin.readers.detect import look

    paths, reading = errand.request["paths"], errand.request.get("reading", {})
    if len(paths) > 1:
        from disjoin.studio.tasks_on_tables import look_at_two

        return look_at_two(paths, reading)
    return look(paths[0], **reading).to_json()


def inspect(errand: Errand) -> Facts:
    from disjoin.report.profile import inspect

    if errand.data["kind"] in ("table", "mixed"):
        from disjoin.studio.tasks_on_tables import inspected_people, inspected_table

        return inspected_table(errand) if errand.data["kind"] == "table" else inspected_people(errand)
    from disjoin.attack.risk import giveaways
    from disjoin.model.input_checks import names_somebody
    from disjoin.studio.column_proposals import looks_personal

    data = errand.records()
    inspection = inspect(data, known=errand.request.get("known", 3), progress=errand.tell)
    terms, pairs = giveaways(data, 2)
    names, people = data.vocabulary.to_pylist(), data.supports().tolist()
    personal = [name for name, n in zip(names, people, strict=True) if looks_personal(name) or names_somebody(name, n)]
    return {
        "facts": inspection.to_json(),
        "text": str(inspection),
        "giveaways": {"terms": [[term, n] for term, n in terms], "pairs": [[*pair, n] for pair, n in pairs]},
        "personal": personal[:20_000],
        "vocabulary": names[:20_000],
    } | (_columns(errand) if errand.data["kind"] == "long" else {})


def _columns(errand: Errand) -> Facts:
    """Return the roles of all columns, and the risk with those that are the same in all rows of a person (P3)."""
    from disjoin.model.column_roles import roles_in
    from disjoin.readers.people import people_in_rows, table_in
    from disjoin.report.profile import role_facts
    from disjoin.studio.tasks_on_tables import proposal, reading_of_columns

    reading = errand.data["reading"]
    table = table_in(errand.data["path"], **reading_of_columns(reading))
    if table is None:
        return {}
    found = {"columns": role_facts(roles_in(table))["columns"]}
    if reading.get("keep"):
        return found  # these columns are terms already
    people = people_in_rows(table, reading.get("id"), reading.get("terms"))
    return found | {"mixed": proposal(people)}


def survey(errand: Errand) -> Facts:
    from disjoin.advise.chart import chart_of
    from disjoin.advise.recommendation import about_the_part, facts_of
    from disjoin.advise.survey import Survey
    from disjoin.advise.survey import survey as surveyed
    from disjoin.advise.trial import Grid

    asked = errand.request
    data = errand.records()
    lists = ("ks", "ms", "clusterings", "sensitive")
    names: dict[str, Any] = {name: tuple(asked[name]) for name in lists if asked.get(name)}
    grid = Grid(**names, l=asked.get("l") or None)
    for size in [PART, None] if len(data) > 2.5 * PART else [None]:
        so_far: list[Tried] = []

        def heard(entry: Tried, so_far: list[Tried] = so_far, part: int | None = size) -> None:
            row = asdict(entry.point) | dict(entry.values) | {"failure": entry.failure or None}
            errand.tell.found("tried", in_cells(row | {"part": part}))
            so_far.append(entry)
            drawn = Survey("", part or len(data), len(data), 0, grid, tuple(so_far))
            if drawn.measured:
                errand.tell.drawn(lambda: chart_of(drawn, is_whole=False), about_the_part(drawn))

        found = surveyed(data, grid, size, of=errand.data["name"], progress=errand.tell, heard=heard)
    facts = facts_of(found)
    return {
        "rows": [in_cells(row) for row in facts["rows"]],
        "chart": picture(chart_of(found)),
        **{name: facts[name] for name in ("advice", "recommended", "notes", "columns")},
    }


SHOWN = ("pair_mass", "weighted_pair_error", "exposed", "singled_out")  # columns of the page


def in_cells(row: Facts) -> Facts:
    from disjoin.advise.trial import COLUMNS

    settings = {name: row[name] for name in ("clustering", "k", "m")}
    cells = [] if row["failure"] else [COLUMNS[name].written(row[name]) for name in SHOWN]
    name = f"{row['clustering']}, k = {row['k']}, m = {row['m']}"
    return row | {"name": name, "settings": settings, "cells": cells}


def picture(chart: Chart, words: str = "") -> Facts:
    from disjoin.charts.svg import drawing

    return {"title": chart.title, "svg": drawing(chart), "words": words}


def publish(errand: Errand) -> Facts:
    from disjoin.forms.registry import FORMS
    from disjoin.report.documents import summary_of
    from disjoin.report.facts import facts_of, reading_notes
    from disjoin.studio.plans import command_of, plan_of, saved_plan

    release = new_id()
    place = errand.home.release(release)
    plan = plan_of(errand.home, errand.data, errand.request, place / "release")
    notes = list[str]()

    @contextmanager
    def recorder(data: Transactions | Table | MixedRecords) -> Iterator[Callable[[Release, Path], object]]:
        notes.extend([*reading_notes(data), *plan.notes(data)])
        place.mkdir(mode=0o700)
        with _ledger(errand, data, plan.method, place / "release") as ledger:
            del data  # the method may need the memory
            yield (lambda release, path: None) if ledger is None else ledger.finish

    try:
        outcome = plan.run(errand.tell, recorder)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    report = facts_of(outcome.release)
    private = {
        "eyes_only": FORMS[report.form].eyes_only(outcome.release.published, outcome.private),
        "seconds": outcome.private.get("seconds", {}),
        "intake": dict(outcome.intake),
        "notes": notes,
        "plan": saved_plan(plan, errand.data),
        "command": command_of(plan, errand.data),
        "method": errand.request["method"],
    }
    errand.store.add_release(release, errand.job["data"], {"form": report.form, "sentence": report.sentence})
    known = errand.data.get("releases", {})
    errand.store.change_data(errand.job["data"], releases={**known, release: private})
    return {"release": release, "summary": summary_of(report)}


def _ledger(errand: Errand, data: Any, method: Method, place: Path) -> AbstractContextManager[Publishing | None]:
    """Check the ledger near a file that is read where it lies; an uploaded copy does not show where the file was."""
    from disjoin.ledger.ledger import Ledger

    source = errand.data["path"]
    ledger = None if Path(source).is_relative_to(errand.home.path) else Ledger.near(source)
    if ledger is None:
        return nullcontext()
    return ledger.publishing(data, method, place, again=bool(errand.request.get("again")))


def warm_up(errand: Errand) -> Facts:
    from disjoin.cli.warm_up import PARTS, warm_up

    compiled = 0
    for done, part in enumerate(PARTS):
        errand.tell("compiling", done, len(PARTS))
        compiled += warm_up(part).compiled
    errand.tell("compiling", len(PARTS), len(PARTS))
    return {"compiled": compiled}


def _later(module: str, *names: str) -> dict[str, Callable[[Errand], Facts]]:
    def work(name: str, errand: Errand) -> Facts:
        return dict(getattr(import_module(f"disjoin.studio.{module}"), name)(errand))

    return {name: partial(work, name) for name in names}


WORK: dict[str, Callable[[Errand], Facts]] = {
    "look": look,
    "inspect": inspect,
    "survey": survey,
    "publish": publish,
    "warm_up": warm_up,
    **_later("tasks_on_tables", "risk", "hierarchies", "trials"),
    **_later("tasks_on_releases", "check", "simulate", "mine", "rules", "reconstruct", "deposit", "dossier"),
}
