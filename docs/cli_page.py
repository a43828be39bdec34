"""The page of all commands, from their --help. Options that several commands share are printed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from inspect import cleandoc

import click

from disjoin.cli.screen import setting_flag
from disjoin.methods import METHODS
from disjoin.methods.settings import settings_of

Record = tuple[str, str]  # an option as help shows it: how it is written, and its sentence

HEAD = """\
# Commands

Every command with its options, generated from `--help`, which says more. Options that several commands share are
listed once, under [Shared options](#shared-options).

|exit code|meaning|
|---|---|
|0|done; `verify`: the guarantee holds|
|2|wrong input, or a release that cannot be read|
|3|not anonymous; `verify`: the guarantee does not hold|
|4|the guarantee cannot be reached for this data|
|5|`verify`: the tables hold, but the texts of the release could not be compared|
|70|a defect of disjoin: one line names the place in the source and shows no data (`DISJOIN_TRACEBACK=1` adds the \
traceback, which may show data)|
|130, 143, 129|interrupted by Ctrl-C, SIGTERM, SIGHUP|

A command that stops leaves no unfinished output. After a kill or a power cut a hidden folder such as
`.release.1a2b3c4d.partial` may remain; the next command that writes there removes it and reports it.
"""

SHARED = {
    "Reading the input": (
        "[Formats](../formats/reading.md) explains these options with examples.",
        "--format --id --terms --field --separator --max-bytes --split --blank --blank-words --similar-ids "
        "--per-record --role --leave-out --sheet --encoding --db --sql --keep",
    ),
    "Output": ("The release folder. [Its format](../formats/release.md).", "--output --overwrite"),
    "Engine": (
        "Where the command runs. [Spark](../how-to/spark.md).",
        "--threads --engine --master --staging --shard-records --spark-conf",
    ),
    "Ledger": (
        "A private list of releases. [Publish again](../how-to/publish-again.md).",
        "--ledger --no-ledger --again --only-new",
    ),
    "Screen": ("What is printed.", "--quiet --json --help"),
}
MEMBERS = {title: names.split() for title, (_, names) in SHARED.items()}
HOMES = {name: title for title, names in MEMBERS.items() for name in names}
FEWEST = 2  # commands with the same words make an option a shared one


@dataclass(frozen=True)
class Entry:
    """A command with its own and its shared options."""

    name: str
    command: click.Command
    context: click.Context

    def records(self) -> Iterator[tuple[str, str, Record]]:
        """Return the name of each option, its section, and what help shows."""
        for one in self.command.get_params(self.context):
            if isinstance(one, click.Option) and (record := one.get_help_record(self.context)) is not None:
                yield max(one.opts, key=len), getattr(one, "section", ""), record


def command_line() -> str:
    """Return the page of all commands."""
    listed = list(entries())
    found = Counter((name, record) for entry in listed for name, _, record in entry.records())
    usual: dict[str, Record] = {}
    for (name, record), number in found.most_common():
        if name in HOMES and name not in usual and number >= FEWEST:
            usual[name] = record
    parts = [HEAD, *(_page(entry, usual) for entry in listed), *_shared(usual)]
    return "\n".join(parts)


def entries() -> Iterator[Entry]:
    """Return all commands, those of groups after their group."""
    from disjoin.cli.main import commands, disjoin

    wide = {"terminal_width": 100, "max_content_width": 100}
    top = disjoin.make_context("disjoin", [], resilient_parsing=True, **wide)
    yield Entry("disjoin", disjoin, top)
    for name in commands():
        command = disjoin.get_command(top, name)
        assert command is not None
        context = command.make_context(name, [], parent=top, resilient_parsing=True, **wide)
        yield Entry(f"disjoin {name}", command, context)
        if isinstance(command, click.Group):
            for below in command.list_commands(context):
                part = command.get_command(context, below)
                assert part is not None
                lowest = part.make_context(below, [], parent=context, resilient_parsing=True, **wide)
                yield Entry(f"disjoin {name} {below}", part, lowest)


def _page(entry: Entry, usual: dict[str, Record]) -> str:
    formatter = entry.context.make_formatter()
    pieces = " ".join(entry.command.collect_usage_pieces(entry.context))
    formatter.write(f"{entry.name} {pieces}\n")
    first = cleandoc(entry.command.help or "").split("\n\n")[0]
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(first)
    sections: dict[str, list[Record]] = {}
    shared: list[str] = []
    settings = _settings(entry.name)
    for name, section, record in entry.records():
        if name in settings:
            pass
        elif usual.get(name) == record:
            shared.append(name)
        else:
            sections.setdefault(section, []).append(record)
    title = "Options"
    for section, records in sections.items():
        with formatter.section(section or ("Other options" if len(sections) > 1 else title)):
            formatter.write_dl(records)
    lines = [f"\n## {entry.name}\n", "```", formatter.getvalue().strip(), "```"]
    if isinstance(entry.command, click.Group):
        return "\n".join(lines)
    if settings:
        link = f"[meaning and defaults](../methods/{_method(entry.name)}.md#parameters)"
        lines.append(f"\nSettings of the method ({link}): {_listed(settings)}.")
    return "\n".join([*lines, *_references(shared, usual)])


def _method(command: str) -> str:
    """Return the name of the method that a command publishes with, if it does."""
    return next((one.name for one in METHODS.listed.values() if f"disjoin {one.command}" == command), "")


def _settings(command: str) -> list[str]:
    """Return the options that are settings of a method; its page explains them."""
    name = _method(command)
    return [setting_flag(one).split("/")[0] for one in settings_of(METHODS[name])] if name else []


def _references(shared: Iterable[str], usual: dict[str, Record]) -> list[str]:
    """Return the line that names the shared options of a command."""
    groups: dict[str, list[str]] = {}
    for name in shared:
        groups.setdefault(HOMES[name], []).append(name)
    if set(groups) <= {"Screen"} and groups.get("Screen") == ["--help"]:
        return []
    parts = []
    for title in SHARED:
        names = [name for name in groups.get(title, []) if name != "--help"]
        every = [name for name in MEMBERS[title] if name in usual and name != "--help"]
        missing = [name for name in every if name not in names]
        if not names:
            continue
        link = f"[{title}](#{title.lower().replace(' ', '-')})"
        if len(missing) > len(names):
            link += f" (only {_listed(names)})"
        elif missing:
            link += f" (without {_listed(missing)})"
        parts.append(link)
    return [f"\nAlso: {', '.join(parts)}."] if parts else []


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _shared(usual: dict[str, Record]) -> Iterator[str]:
    yield "\n## Shared options\n"
    for title, (sentence, _) in SHARED.items():
        formatter = click.HelpFormatter(width=100, max_width=100)
        formatter.write_dl([usual[name] for name in MEMBERS[title] if name in usual])
        yield f"### {title}\n\n{sentence}\n\n```\n{formatter.getvalue().rstrip()}\n```\n"
