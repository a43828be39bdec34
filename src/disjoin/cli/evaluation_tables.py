"""An evaluation on the screen: one row per measure, and the relative errors as a square."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disjoin.cli.screen import screen
from disjoin.escaping import legible

if TYPE_CHECKING:
    from rich.console import Console

    from disjoin.measure import Evaluation, EvaluationRow

HEAD = "For your eyes only: these numbers are facts about the original. Do not publish them with the release."
OF_CLUSTERS = "one reconstruction, from the mean of several, or from chunks alone"
WHENCE = {  # by the source that the rows name
    "generalised records": "generalised records, spread evenly over the terms that a node stands for",
    "noisy records": "the noisy records as they are",
}
BETTER = {"higher": "higher", "lower": "lower", "neither": ""}


def tell(evaluation: Evaluation) -> None:
    """Print the evaluation for people."""
    console = screen()
    errors = [row for row in evaluation.rows if row.unit == "error"]
    others = [row for row in evaluation.rows if row.unit != "error"]
    console.print(HEAD, style="bold", soft_wrap=True)
    if others:
        _print_rows(console, others)
    if errors:
        _print_errors(console, errors)
    _print_notes(console, evaluation)


def _print_rows(console: Console, rows: list[EvaluationRow]) -> None:
    from rich.table import Table

    drawn = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    drawn.add_column("measure", overflow="fold")
    drawn.add_column("name", no_wrap=True)
    drawn.add_column("value", justify="right", no_wrap=True)
    drawn.add_column("better", no_wrap=True)
    for row in rows:
        drawn.add_row(legible(row.title), legible(row.name), written(row), BETTER[row.direction])
    console.print()
    console.print(drawn)


def _print_errors(console: Console, rows: list[EvaluationRow]) -> None:
    """Draw one line for each range of ranks and one column for each source of supports."""
    from rich.table import Table

    ranges = {tuple(row.details["ranks_asked"]): tuple(row.details["ranks"]) for row in rows}
    sources = list(dict.fromkeys(row.details["source"] for row in rows))
    cells = {(tuple(row.details["ranks_asked"]), row.details["source"]): written(row) for row in rows}
    drawn = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    drawn.add_column("terms ranked", no_wrap=True)
    for source in sources:
        drawn.add_column(source.removesuffix(" reconstructions").removesuffix(" reconstruction"), justify="right")
    for asked, taken in sorted(ranges.items()):
        instead = "" if taken == asked else f" (for {_ranks(asked)})"
        drawn.add_row(f"{_ranks(taken)}{instead}", *(cells.get((asked, source), "") for source in sources))
    console.print()
    console.print("Relative error of the supports of pairs (re, lower is better)", style="bold")
    console.print(f"Supports come from {WHENCE.get(sources[0], OF_CLUSTERS)}.")
    console.print(drawn)
    if any(taken != asked for asked, taken in ranges.items()):
        console.print("There are too few terms for some ranges; others take their place, in proportion.")


def _ranks(ranks: tuple[int, ...]) -> str:
    return f"{ranks[0]}-{ranks[1]}"


def _print_notes(console: Console, evaluation: Evaluation) -> None:
    """Print every note once, with the names of the measures that it is about."""
    about: dict[str, list[str]] = {}
    for row in evaluation.rows:
        if row.unit == "error" and row.value is not None:
            continue  # the table says it; the pairs that are nowhere are in --json
        for note in row.notes:
            about.setdefault(note, []).append(row.name)
    if about or evaluation.notes:
        console.print()
    for note in evaluation.notes:
        console.print(legible(note))
    for note, names in about.items():
        which = ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
        console.print(legible(f"{which}: {note}"))


def written(row: EvaluationRow) -> str:
    """Return the value as people read it: shares and errors with four places, numbers whole."""
    if row.value is None:
        return "-"
    return f"{row.value:,}" if isinstance(row.value, int) else f"{row.value:.4f}"
