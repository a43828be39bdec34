"""What the commands of methods and `run` do with a plan, and what they say about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.database_options import optional_source_argument, source_argument
from disjoin.cli.options import (
    LedgerWish,
    ledger_options,
    only_given,
    options,
    output_options,
    plain_reading_options,
    reading_options,
    settings_options,
    speaking_options,
    table_options,
    threads_option,
)
from disjoin.cli.people_options import people_options, people_reading_options, people_source
from disjoin.cli.screen import print_json, say, say_styled, screen, shown
from disjoin.errors import InvalidParameter
from disjoin.files.databases import Query
from disjoin.methods import METHODS
from disjoin.methods.settings import settings_of

if TYPE_CHECKING:
    from disjoin.engines.spark.settings import SparkSettings
    from disjoin.model import MixedRecords, Report, Table, Transactions
    from disjoin.pipeline import Outcome
    from disjoin.plan import Plan


def tell_possible_blanks(data: Transactions | Table | MixedRecords) -> None:
    """Print, on standard error, the terms or values that may stand for blanks."""
    from disjoin.carrying_out import about_what_was_read

    for sentence in about_what_was_read(data):
        say(f"Note: {sentence[0].lower()}{sentence[1:]}", err=True)


UNPROVEN = ("Not proven.", "bold yellow")

population_option = click.option(
    "--population", metavar="FILE", help="Everybody whom the rows are a part of, a row per person."
)
ON_SPARK = ("disassociation",)  # methods that Spark runs, with the same outcome
BY_CONSTRUCTION = "Made as promised, and its form verified."


def plan_from(
    method: type[Any],
    source: str | Query,
    output: Path,
    options: dict[str, Any],
    *,
    overwrite: bool,
    threads: int = 0,
    spark: SparkSettings | None = None,
) -> Plan:
    """Return the plan that a command's options make: settings of the method, and how to read the source."""
    from disjoin.plan import Plan

    settings = {setting.name: options.pop(setting.name) for setting in settings_of(method)}
    return Plan(source, method(**settings), output, only_given(**options), overwrite, threads, spark)


def carry_out(plan: Plan, *, ledger: LedgerWish, quiet: bool, as_json: bool) -> None:
    """Read, publish, verify, write, and tell."""
    from disjoin.releases.door import check_destination

    check_destination(plan.destination, overwrite=plan.overwrite)  # before any work is done
    if plan.spark is not None:
        carry_out_on_spark(plan, plan.spark, ledger=ledger, quiet=quiet, as_json=as_json)
        return
    with shown(quiet=quiet) as progress:
        progress("reading", 0, 0)
        from disjoin.carrying_out import about_the_plan, input_of, intake_in
        from disjoin.pipeline import publish, write

        known = ledger.opened_for(plan.source)  # a damaged one is told before the data are read
        data = input_of(plan)
        progress("reading", 1, 1)
        tell_possible_blanks(data)
        for note in about_the_plan(plan, data):
            say(f"Warning: {note}", err=True)
        with ledger.told(known, data, plan) as run:
            outcome = publish(data, plan.method, progress=progress, threads=plan.threads)
            intake = intake_in(data)
            del data  # what is written is read and inspected again, and needs the room
            progress("writing", 0, 0)
            path = write(outcome.release, plan.destination, overwrite=plan.overwrite)
            run.finish(outcome.release, path)
    if as_json:
        print_json(facts(intake, outcome, path) | run.facts())
    elif not quiet:
        tell(intake, outcome, path)
        run.tell()


def carry_out_on_spark(plan: Plan, settings: SparkSettings, *, ledger: LedgerWish, quiet: bool, as_json: bool) -> None:
    """Do what `carry_out` does, where the records are."""
    from disjoin.carrying_out import published_on_spark
    from disjoin.cli.lightness import travel_with_everything
    from disjoin.pipeline import write

    travel_with_everything()
    if ledger.opened_for(plan.source) is not None:
        raise InvalidParameter(
            "a ledger is kept on the machine that reads the records, and Spark reads them elsewhere: say --no-ledger, "
            "or use --engine local."
        )
    with shown(quiet=quiet) as progress:
        outcome, notes = published_on_spark(plan, settings, progress)
        for note in notes:
            say(f"Warning: {note}", err=True)
        path = write(outcome.release, plan.destination, overwrite=plan.overwrite)
    intake = outcome.private["input"]
    if as_json:
        print_json(facts(intake, outcome, path))
    elif not quiet:
        tell(intake, outcome, path)
        driver = outcome.private["driver"]
        say(f"Through the driver: {driver['bytes']:,} bytes, {driver['bytes'] / intake['records']:.1f} per record.")
        if driver["advice"]:
            say(driver["advice"])


def facts(intake: Mapping[str, Any], outcome: Outcome, path: Path) -> dict[str, Any]:
    """Return what the data steward may know: the public facts, and apart from them the private ones."""
    from disjoin.report.facts import facts_of

    return {
        "release": str(path),
        "input": dict(intake),
        "public": json.loads(facts_of(outcome.release).to_json()),
        "private": dict(outcome.private),
    }


def tell(intake: Mapping[str, Any], outcome: Outcome, path: Path) -> None:
    """Print a summary for people."""
    from disjoin.forms.registry import FORMS
    from disjoin.report.facts import facts_of
    from disjoin.report.summary import summary_table

    release, private = outcome.release, outcome.private
    console = screen()
    report = facts_of(release)
    say_styled(*_headline(report))
    console.print(summary_table(report))
    form = FORMS[report.form]
    eyes_only = [*form.eyes_only(release.published, private), *rare_words(private), *_intake_words(intake)]
    if eyes_only:
        console.print("For your eyes only, as it would weaken the release if published:", style="bold")
    for words in eyes_only:
        console.print(f"  {words}", soft_wrap=True)
    console.print(f"The release is in {path}; open {path / 'report.html'} to see it.", soft_wrap=True)


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
    from disjoin.words import counted

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


engine_options = options(
    click.option(
        "--engine",
        type=click.Choice(["local", "spark"]),
        default="local",
        show_default=True,
        help="Where it runs: on this machine, or on Apache Spark. What comes out is the same.",
    ),
    click.option("--master", metavar="URL", help="Spark: its master (default: SPARK_MASTER, or this machine)."),
    click.option(
        "--staging", metavar="DIR", help="Spark: a private folder that all its machines see; the records pass through."
    ),
    click.option(
        "--shard-records", type=click.IntRange(1), metavar="N", help="Spark: records per task (default: 4,000,000)."
    ),
    click.option("--spark-conf", metavar="NAME=VALUE", multiple=True, help="Spark: a setting of its own; repeat it."),
)


def spark_settings(given: dict[str, Any]) -> SparkSettings | None:
    """Take the options about the engine out of all that were given; None if it is this machine."""
    engine = given.pop("engine", "local")
    about = {name: given.pop(name, None) for name in ("master", "staging", "shard_records")}
    conf = given.pop("spark_conf", ())
    if engine == "spark":
        from disjoin.engines.spark.settings import SparkSettings

        return SparkSettings(**about, conf=tuple(conf))
    for name, value in (*about.items(), ("spark_conf", conf)):
        if value:
            raise InvalidParameter(f"--{name.replace('_', '-')} is for --engine spark: add that, or leave it out.")
    return None


def command_of(name: str) -> click.Command:
    """Return the command that publishes by a method: its words, its settings, and the options for what it takes."""
    method = METHODS[name]
    is_mixed = method.takes == "mixed"

    def command(
        source: str | Query | None, output: Path, overwrite: bool, quiet: bool, as_json: bool, **rest: Any
    ) -> None:
        ledger, threads, spark = LedgerWish.taken_from(rest), rest.pop("threads", 0), spark_settings(rest)
        given = people_source(source, rest) if is_mixed else source
        assert given is not None, "FILE is required, or another place is"
        plan = plan_from(method, given, output, rest, overwrite=overwrite, threads=threads, spark=spark)
        carry_out(plan, ledger=ledger, quiet=quiet, as_json=as_json)

    decorated = options(
        optional_source_argument() if is_mixed else source_argument(),
        *([people_options] if is_mixed else []),
        settings_options(method),
        output_options,
        {"table": options(table_options, population_option), "mixed": people_reading_options}.get(
            method.takes, reading_options if METHODS.listed[name].keeps_columns else plain_reading_options
        ),
        *([threads_option] if method.sharded else []),
        *([engine_options] if name in ON_SPARK else []),
        ledger_options,
        speaking_options,
    )
    return click.command(METHODS.listed[name].command, help=method.help)(decorated(command))
