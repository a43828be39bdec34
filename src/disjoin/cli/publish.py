"""The commands that publish, one per method, and `disjoin run`: each builds a plan and runs it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.options import (
    LedgerOptions,
    LedgerRun,
    ledger_options,
    only_given,
    optional_source_argument,
    options,
    output_options,
    people_options,
    people_reading_options,
    people_source,
    plain_reading_options,
    reading_options,
    settings_options,
    source_argument,
    speaking_options,
    table_options,
    threads_option,
)
from disjoin.cli.screen import print_json, say, say_styled, screen, shown
from disjoin.engine import ENGINES, RemoteEngine
from disjoin.errors import InvalidParameter
from disjoin.methods import METHODS
from disjoin.methods.settings import settings_of
from disjoin.readers.databases import Query

if TYPE_CHECKING:
    from disjoin.ledger.ledger import Ledger
    from disjoin.model import MixedRecords, Release, Report, Table, Transactions
    from disjoin.pipeline import Outcome
    from disjoin.plan import Plan


def tell_possible_blanks(data: Transactions | Table | MixedRecords) -> None:
    """Print, on standard error, the terms or values that may stand for blanks."""
    from disjoin.report.facts import reading_notes

    for sentence in reading_notes(data):
        say(f"Note: {sentence[0].lower()}{sentence[1:]}", err=True)


UNPROVEN = ("Not proven.", "bold yellow")

population_option = click.option(
    "--population", metavar="FILE", help="Everybody whom the rows are a part of, a row per person."
)
BY_CONSTRUCTION = "Made as promised, and its form verified."


def plan_from(
    method: type[Any],
    source: str | Query,
    output: Path,
    options: dict[str, Any],
    *,
    overwrite: bool,
    threads: int = 0,
    engine: RemoteEngine | None = None,
) -> Plan:
    """Return the plan that a command's options make: settings of the method, and how to read the source."""
    from disjoin.plan import Plan

    settings = {setting.name: options.pop(setting.name) for setting in settings_of(method)}
    return Plan(source, method(**settings), output, only_given(**options), overwrite, threads, engine)


def run_plan(plan: Plan, *, ledger: LedgerOptions, quiet: bool, as_json: bool) -> None:
    """Run a plan; print its warnings, and a summary or the facts as JSON."""
    from disjoin.release.reader import check_destination

    run = LedgerRun()

    @contextmanager
    def recorder(data: Transactions | Table | MixedRecords) -> Iterator[Callable[[Release, Path], object]]:
        nonlocal run
        tell_possible_blanks(data)
        _warn(plan.notes(data))
        with ledger.told(known, data, plan) as run:
            del data  # the method may need the memory
            yield run.finish

    assert plan.destination is not None, "a command writes a release"
    check_destination(plan.destination, overwrite=plan.overwrite)  # before any work is done
    known = ledger.opened_for(plan.source)  # a damaged one is reported before the data are read
    if plan.engine is not None:
        _prepare_engine(plan.engine, known)
    with shown(quiet=quiet) as progress:
        outcome = plan.run(progress, recorder)
        _warn(outcome.private.get("warnings", ()))
    if as_json:
        print_json(facts(outcome) | run.facts())
    elif not quiet:
        tell(outcome)
        run.tell()


def _warn(notes: Iterable[str]) -> None:
    """Print warnings on standard error."""
    for note in notes:
        say(f"Warning: {note}", err=True)


def _prepare_engine(engine: RemoteEngine, ledger: Ledger | None) -> None:
    """Allow all imports, which Spark needs; raise if a ledger is to be kept, because the records are read elsewhere."""
    from disjoin.cli.startup import unblock_optional_imports

    unblock_optional_imports()
    if ledger is not None:
        raise InvalidParameter(
            f"a ledger is kept on the machine that reads the records, and {engine.name} reads them elsewhere: use "
            "--no-ledger, or --engine local."
        )


def facts(outcome: Outcome) -> dict[str, Any]:
    """Return what the data owner may know: the public facts, and apart from them the private ones."""
    from disjoin.report.facts import facts_of

    return {
        "release": str(outcome.path),
        "input": dict(outcome.intake),
        "public": json.loads(facts_of(outcome.release).to_json()),
        "private": dict(outcome.private),
    }


def tell(outcome: Outcome) -> None:
    """Print a summary for people."""
    from disjoin.forms.registry import FORMS
    from disjoin.report.documents import summary_table
    from disjoin.report.facts import facts_of

    release, private, path = outcome.release, outcome.private, outcome.path
    console = screen()
    report = facts_of(release)
    say_styled(*_headline(report))
    console.print(summary_table(report))
    form = FORMS[report.form]
    eyes_only = [*form.eyes_only(release.published, private), *rare_words(private), *_intake_words(outcome.intake)]
    if eyes_only:
        console.print("For your eyes only, as it would weaken the release if published:", style="bold")
    for words in eyes_only:
        console.print(f"  {words}", soft_wrap=True)
    console.print(f"The release is in {path}; open {path}/report.html to see it.", soft_wrap=True)
    if "driver" in private:
        _tell_traffic(private["driver"], outcome.intake["records"])


def _tell_traffic(driver: Mapping[str, Any], records: int) -> None:
    """Print how many bytes passed through the driver of Spark."""
    say(f"Through the driver: {driver['bytes']:,} bytes, {driver['bytes'] / records:.1f} per record.")
    if driver["advice"]:
        say(driver["advice"])


def _headline(report: Report) -> tuple[str | tuple[str, str], ...]:
    """Say first what the check means."""
    from disjoin.forms.form import is_proven
    from disjoin.forms.registry import FORMS

    form = FORMS[report.form]
    if is_proven(report):
        return ((BY_CONSTRUCTION if form.by_construction else "Verified.", "bold green"),)
    return UNPROVEN, form.unproven.headline


def rare_words(private: Mapping[str, Any]) -> list[str]:
    """Return what a threshold of people cost: terms and occurrences, or values and cells."""
    from disjoin.text import counted

    found, words = private.get("rare", {}), []
    for what, fate in (("left_out", "left out"), ("replaced", "replaced")):
        if found.get(f"{what}_terms"):
            share = found[f"{what}_occurrences"] / found["occurrences"]
            terms, times = counted(found[f"{what}_terms"], "term"), counted(found[f"{what}_occurrences"], "occurrence")
            words.append(f"Had by too few people, and {fate}: {terms}, {times} ({share:.2%} of all).")
    if found.get("records"):
        words.append(f"Records without any other term, left out: {found['records']:,}.")
    if found.get("cells"):
        words.append(f"Values of too few people, replaced: {found['values']:,}, in {counted(found['cells'], 'cell')}.")
    return words


def _intake_words(intake: Mapping[str, Any]) -> list[str]:
    """Say what was read, and what was not taken over."""
    from disjoin.report.facts import people_words, treated_words

    if "format" not in intake:  # a table
        return []
    words = [f"Read: {people_words(intake)}."] if intake.get("rows") else []
    return [*words, *(f"{sentence}." for sentence in treated_words(intake))]


def engine_options(work: str) -> Callable[[Any], Any]:
    """Make the options about engines that run some work, a method or inspect; none if only this machine does."""
    engines = _engines_for(work)
    if not engines:
        return options()
    return options(
        click.option(
            "--engine",
            type=click.Choice(["local", *engines]),
            default="local",
            show_default=True,
            help="Where it runs: on this machine, or elsewhere. The release is the same.",
        ),
        *(settings_options(engine) for engine in engines.values()),
    )


def _engines_for(work: str) -> dict[str, type[RemoteEngine]]:
    return {name: engine for name, engine in ENGINES.items() if work in engine.runs}


def engine_from(work: str, given: dict[str, Any]) -> RemoteEngine | None:
    """Take the options about engines out of all that were given; None for this machine."""
    chosen, found = given.pop("engine", "local"), None
    for name, engine in _engines_for(work).items():
        about = {each: given.pop(each.name, each.default) for each in settings_of(engine)}
        changed = {each: value for each, value in about.items() if value is not None and value != each.default}
        if name == chosen:
            found = engine(**{each.name: value for each, value in changed.items()})
        elif changed:
            raise InvalidParameter(f"{next(iter(changed)).flag} is for --engine {name}: add that, or leave it out.")
    return found


def command_of(name: str) -> click.Command:
    """Return the command that publishes by a method: its words, its settings, and the options for what it takes."""
    method = METHODS[name]
    is_mixed = method.takes == "mixed"

    def command(
        source: str | Query | None, output: Path, overwrite: bool, quiet: bool, as_json: bool, **rest: Any
    ) -> None:
        ledger, threads, engine = LedgerOptions.taken_from(rest), rest.pop("threads", 0), engine_from(name, rest)
        given = people_source(source, rest) if is_mixed else source
        assert given is not None, "FILE is required, or another place is"
        plan = plan_from(method, given, output, rest, overwrite=overwrite, threads=threads, engine=engine)
        run_plan(plan, ledger=ledger, quiet=quiet, as_json=as_json)

    decorated = options(
        optional_source_argument() if is_mixed else source_argument(),
        *([people_options] if is_mixed else []),
        settings_options(method),
        output_options,
        {"table": options(table_options, population_option), "mixed": people_reading_options}.get(
            method.takes, reading_options if METHODS.listed[name].keeps_columns else plain_reading_options
        ),
        *([threads_option] if method.sharded else []),
        engine_options(name),
        ledger_options,
        speaking_options,
    )
    return click.command(METHODS.listed[name].command, help=method.help)(decorated(command))


# disjoin run plan.toml


@click.command("run")
@click.argument("plan", type=click.Path(path_type=Path))
@ledger_options
@speaking_options
def run_command(plan: Path, quiet: bool, as_json: bool, **rest: Any) -> None:
    """Do what PLAN says: a TOML file with the tables [input], [method] and [output].

    Paths in it are relative to its folder. A plan does what the command of its method does with the settings of
    [method], and it can be kept and repeated.
    """
    from disjoin.plan import Plan

    run_plan(Plan.from_file(plan), ledger=LedgerOptions.taken_from(rest), quiet=quiet, as_json=as_json)
