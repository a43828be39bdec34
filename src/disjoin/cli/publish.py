"""The commands that publish, one per method, and `disjoin run`: each builds a `Plan`, and runs it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli import options as shared
from disjoin.cli.screen import print_json, say, say_styled, screen, setting_flag, shown
from disjoin.engine import ENGINES, RemoteEngine
from disjoin.errors import InvalidParameter
from disjoin.methods import METHODS
from disjoin.methods.settings import settings_of
from disjoin.readers.databases import Query
from disjoin.text import counted, printable, quoted

if TYPE_CHECKING:
    from disjoin.ledger.ledger import Ledger, Publishing
    from disjoin.model import MixedRecords, Release, Report, Table, Transactions
    from disjoin.pipeline import Outcome
    from disjoin.plan import Plan

UNPROVEN = ("Not proven.", "bold yellow")
BY_CONSTRUCTION = "Made as promised, and its form verified."

ledger_options = shared.options(
    click.option(
        "--ledger", metavar="PATH", help="The private ledger (default: the one beside the input, or in a folder above)."
    ),
    click.option("--no-ledger", is_flag=True, help="Do not check or update a ledger."),
    click.option("--again", is_flag=True, help="Publish although the ledger knows some of the data from before."),
    click.option(
        "--only-new",
        is_flag=True,
        help="Publish only people whose ids no earlier release of the ledger contains. "
        "A person who is missing was published before, and the attacker can know that.",
    ),
)
LEDGER = ("ledger", "no_ledger", "again", "only_new")


def tell_possible_blanks(data: Transactions | Table | MixedRecords) -> None:
    from disjoin.report.facts import reading_notes

    for sentence in reading_notes(data):
        say(f"Note: {sentence[0].lower()}{sentence[1:]}", err=True)


def run_plan(
    plan: Plan, *, quiet: bool, as_json: bool, ledger: str | None, no_ledger: bool, again: bool, only_new: bool
) -> None:
    from disjoin.release.reader import check_destination

    publishing: Publishing | None = None

    @contextmanager
    def recorder(data: Transactions | Table | MixedRecords) -> Iterator[Callable[[Release, Path], object]]:
        nonlocal publishing
        tell_possible_blanks(data)
        _warn(plan.notes(data))
        if known is None:
            del data  # what waits here would keep it in memory until the release is written
            yield lambda release, path: None
            return
        with known.publishing(data, plan.method, destination, again=again) as publishing:
            del data  # the method may need the memory
            _warn(publishing.overlaps)
            yield publishing.finish

    assert plan.destination is not None, "a command writes a release"
    _require_consistent(ledger, no_ledger=no_ledger, again=again, only_new=only_new)
    destination = check_destination(plan.destination, overwrite=plan.overwrite)  # before any work is done
    known = (
        None if no_ledger else _ledger_near(plan.source, ledger, again=again, only_new=only_new)
    )  # a damaged one is reported at once
    if plan.engine is not None:
        _prepare_engine(plan.engine, known)
    with shown(quiet=quiet) as progress:
        select = partial(_new_people, known, plan) if known is not None and only_new else None
        outcome = plan.run(progress, recorder, select)
        _warn(outcome.private.get("warnings", ()))
    if as_json:
        print_json(_facts(outcome, publishing))
    elif not quiet:
        tell(outcome)
        if publishing is not None:
            file, number = printable(publishing.ledger.path), publishing.entry.number
            say(f"The ledger {file} knows it as release {number}.")


def _require_consistent(ledger: str | None, *, no_ledger: bool, again: bool, only_new: bool) -> None:
    if no_ledger and (ledger is not None or again or only_new):
        other = "--ledger" if ledger is not None else "--again" if again else "--only-new"
        raise InvalidParameter(f"{other} needs a ledger and --no-ledger uses none: use only one of them.")
    if again and only_new:
        raise InvalidParameter("--again publishes people a second time and --only-new does not: use only one of them.")


def _new_people(
    ledger: Ledger, plan: Plan, data: Transactions | Table | MixedRecords
) -> Transactions | Table | MixedRecords:
    """Return the data without people of earlier releases, and report how many these are."""
    from disjoin.model import Role, Table

    prepared = plan.method.prepared(data)
    identifiers = prepared.schema.with_role(Role.IDENTIFIER) if isinstance(prepared, Table) else ()
    found, left_out = ledger.only_new(data, identifiers=identifiers)
    say(f"Note: {left_out:,} of {len(data):,} rows or records were published before and are left out.", err=True)
    return found


def _ledger_near(source: object, path: str | None, *, again: bool, only_new: bool) -> Ledger | None:
    from disjoin.ledger.ledger import Ledger

    near = source if isinstance(source, str) else "-"  # of a query: the ledger of the working directory
    ledger = Ledger.near(near) if path is None else Ledger.open(path)
    if ledger is None and (again or only_new):
        option = "--again" if again else "--only-new"
        raise InvalidParameter(
            f"{option} needs a ledger, and there is none next to {quoted(str(source))} or above. "
            f"Name it with --ledger, or leave {option} out."
        )
    return ledger


def _warn(notes: Iterable[object]) -> None:
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


def _facts(outcome: Outcome, publishing: Publishing | None) -> dict[str, Any]:
    """Return what the data owner may know: the public facts, and apart from them the private ones."""
    from disjoin.report.facts import facts_of

    facts: dict[str, Any] = {
        "release": str(outcome.path),
        "input": dict(outcome.intake),
        "public": json.loads(facts_of(outcome.release).to_json()),
        "private": dict(outcome.private),
    }
    if publishing is None:
        return facts
    entry = publishing.entry
    return facts | {"ledger": {"file": str(publishing.ledger.path), "release": entry.number, "again": entry.again}}


def tell(outcome: Outcome) -> None:
    from disjoin.forms.registry import FORMS
    from disjoin.report.documents import summary_table
    from disjoin.report.facts import facts_of

    release, private, path = outcome.release, outcome.private, outcome.path
    console = screen()
    report = facts_of(release)
    say_styled(*_headline(report))
    console.print(summary_table(report))
    eyes_only = FORMS[report.form].eyes_only(release.published, private)
    eyes_only = [*eyes_only, *rare_words(private), *_intake_words(outcome.intake)]
    if eyes_only:
        console.print("For your eyes only, as it would weaken the release if published:", style="bold")
    for words in eyes_only:
        console.print(f"  {words}", soft_wrap=True)
    console.print(f"The release is in {path}; open {path}/report.html to see it.", soft_wrap=True)
    if driver := private.get("driver"):  # of Spark
        per_record = driver["bytes"] / outcome.intake["records"]
        say(f"Through the driver: {driver['bytes']:,} bytes, {per_record:.1f} per record.")
        say(*filter(None, [driver["advice"]]))


def _headline(report: Report) -> tuple[str | tuple[str, str], ...]:
    from disjoin.forms.form import is_proven
    from disjoin.forms.registry import FORMS

    form = FORMS[report.form]
    if is_proven(report):
        return ((BY_CONSTRUCTION if form.by_construction else "Verified.", "bold green"),)
    return UNPROVEN, form.unproven.headline


def rare_words(private: Mapping[str, Any]) -> list[str]:
    """Return what a threshold of people cost: terms and occurrences, or values and cells."""
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
    from disjoin.report.facts import people_words, treated_words

    if "format" not in intake:  # a table
        return []
    words = [f"Read: {people_words(intake)}."] if intake.get("rows") else []
    return [*words, *(f"{sentence}." for sentence in treated_words(intake))]


def engine_options(work: str) -> shared.Decorator:
    """Make the options about engines that run some work, a method or inspect; none if only this machine does."""
    engines = _engines_for(work)
    if not engines:
        return shared.options()
    help = "Where it runs: on this machine, or elsewhere. The release is the same."
    choice = shared.choice_option("--engine", choices=["local", *engines], default="local", help=help)
    return shared.options(choice, *map(shared.settings_options, engines.values()))


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
            flag = setting_flag(next(iter(changed)))
            raise InvalidParameter(f"{flag} is for --engine {name}: add that, or leave it out.")
    return found


def command_of(name: str) -> click.Command:
    method, listed = METHODS[name], METHODS.listed[name]
    is_mixed = method.takes == "mixed"

    def command(source: str | Query | None, output: Path, overwrite: bool, **rest: Any) -> None:
        from disjoin.plan import Plan

        saying = shared.taken(rest, ("quiet", "as_json", *LEDGER))
        threads, engine = rest.pop("threads", 0), engine_from(name, rest)
        given = shared.people_source(source, rest) if is_mixed else source
        assert given is not None, "FILE is required, or another place is"
        settings = shared.taken(rest, [setting.name for setting in settings_of(method)])
        run_plan(
            Plan(given, method(**settings), output, shared.only_given(**rest), overwrite, threads, engine), **saying
        )

    population = click.option(
        "--population", metavar="FILE", help="Everybody whom the rows are a part of, a row per person."
    )
    of_records = shared.reading_options if listed.keeps_columns else shared.plain_reading_options
    reading = {"table": shared.options(shared.table_options, population), "mixed": shared.people_reading_options}
    decorated = shared.options(
        shared.source_argument(is_required=not is_mixed),
        shared.section("Files of people", shared.people_options) if is_mixed else shared.options(),
        shared.section("Guarantee and method", shared.settings_options(method)),
        shared.section(
            "Output",
            shared.path_option("--output", "-o", required=True, help="The release folder to write."),
            click.option("--overwrite", is_flag=True, help="Replace a release that is there."),
        ),
        shared.section("Reading the input", reading.get(method.takes, of_records)),
        shared.section(
            "Where it runs", shared.threads_option if method.sharded else shared.options(), engine_options(name)
        ),
        shared.section("Ledger", ledger_options),
        shared.speaking_options,
    )
    return click.command(listed.command, cls=shared.SectionedCommand, help=method.help)(decorated(command))


@click.command("run")
@click.argument("plan", type=click.Path(path_type=Path))
@ledger_options
@shared.speaking_options
def run_command(plan: Path, **saying: Any) -> None:
    """Do what PLAN says: a TOML file with the tables [input], [method] and [output].

    Paths in it are relative to its folder. A plan does what the command of its method does with the settings of
    [method], and it can be kept and repeated.
    """
    from disjoin.plan import Plan

    run_plan(Plan.from_file(plan), **saying)
