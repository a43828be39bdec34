"""The commands that publish, one per method, and `disjoin run`: each builds a `Plan`, and runs it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli import options as shared
from disjoin.cli.screen import flag_of, option_words, print_json, say, screen, setting_flag, shown
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


ledger_options = shared.options(
    click.option(
        "--ledger",
        metavar="PATH",
        help="The private ledger to use (default: the one next to the input, or in a folder above it).",
    ),
    click.option("--no-ledger", is_flag=True, help="Do not check or update a ledger."),
    click.option("--again", is_flag=True, help="Publish data that the ledger already lists as published."),
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
        tell(outcome, plan)
        if publishing is not None:
            file, number = printable(publishing.ledger.path), publishing.entry.number
            say(f"Recorded as release {number} in the ledger {file}.")


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


def tell(outcome: Outcome, plan: Plan | None = None) -> None:
    """Print the summary: verdict, what is kept, what an attacker could still learn, private facts, the next step."""
    from disjoin.forms.registry import FORMS
    from disjoin.report.documents import summary_table
    from disjoin.report.facts import facts_of

    report, private = facts_of(outcome.release), outcome.private
    first, *others = FORMS[report.form].eyes_only(outcome.release.published, private) or [""]
    about = [*filter(None, [first]), *rare_words(private), *_intake_words(outcome.intake), *others]
    rows = [("Private", _in_short(about))] if about else []
    screen().print(summary_table(report, rows))
    steps = [_next_step(outcome, plan, report), f"open {outcome.path}/report.html"]
    fits = len("; ".join(steps)) <= screen().width - _LABEL
    say(f"{'Next':{_LABEL}}{'; '.join(steps) if fits else steps[0]}")
    if driver := private.get("driver"):  # of Spark
        per_record = driver["bytes"] / outcome.intake["records"]
        say(f"Through the driver: {driver['bytes']:,} bytes, {per_record:.1f} per record.")
        say(*filter(None, [driver["advice"]]))


_LABEL = 17  # cells of the labels of a summary
_SHORT = 125  # characters of private facts on the screen; --json has all


def _in_short(sentences: list[str]) -> str:
    shown = [sentences[0]]
    for sentence in sentences[1:]:
        if len(" ".join([*shown, sentence])) > _SHORT:
            return " ".join([*shown, "More: --json."])
        shown.append(sentence)
    return " ".join(shown)


def _next_step(outcome: Outcome, plan: Plan | None, report: Report) -> str:
    """Return the command that compares the release with its original, as it is typed."""
    from disjoin.forms.form import is_proven

    if not is_proven(report):
        return "for comparison only: do not publish it"
    if plan is None or not isinstance(plan.source, str) or plan.source == "-":
        return f"disjoin evaluate {shlex.quote(str(outcome.path))} --original FILE"
    reading = {name: value for name, value in plan.reading.items() if name not in ("hierarchies", "population")}
    flag = "--people" if reading.get("items") else "--original"
    words = ["disjoin", "evaluate", str(outcome.path), flag, plan.source]
    for name, value in reading.items():
        words += option_words(flag_of(name), value, is_repeated=True)
    return shlex.join(words)


def rare_words(private: Mapping[str, Any]) -> list[str]:
    """Return what a threshold of people cost: terms and occurrences, or values and cells."""
    found, words = private.get("rare", {}), []
    for what, fate in (("left_out", "left out"), ("replaced", "replaced")):
        if found.get(f"{what}_terms"):
            share = found[f"{what}_occurrences"] / found["occurrences"]
            terms, times = (
                counted(found[f"{what}_terms"], "rare term"),
                counted(found[f"{what}_occurrences"], "occurrence"),
            )
            words.append(f"{fate.capitalize()}: {terms}, {times} ({share:.2%}).")
    if found.get("records"):
        words.append(f"Records without any other term, left out: {found['records']:,}.")
    if found.get("cells"):
        words.append(f"Replaced: {counted(found['values'], 'rare value')} in {counted(found['cells'], 'cell')}.")
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
    help = "Where to run: on this machine or on Spark, with the same release."
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
        "--population",
        metavar="FILE",
        help="A table of the whole population, one row per person, from which the rows come.",
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
            click.option("--overwrite", is_flag=True, help="Replace an existing release."),
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
    """Publish as PLAN says, a TOML file with the tables [input], [method] and [output].

    Paths in PLAN are relative to its folder. [method] has the settings of the method's command. A plan can be kept and
    run again.
    """
    from disjoin.plan import Plan

    run_plan(Plan.from_file(plan), **saying)
