"""Measure found roles on the labelled tables: `PYTHONPATH=src:tests python -m labelled.measuring` prints a table."""

import sys
from collections import Counter

from labelled import labelled_tables, tables_not_tuned_on
from labelled.scoring import WAYS, headed, score

SEEDS = range(5)
OTHERS = [way for way in WAYS if way not in ("en", "fi", "bare")]


def line(what, headers, tables):
    """Print a row: people's columns that could be published, false alarms per table, other roles that are right."""
    total, missed = Counter(), 0
    for columns in tables:
        found, lost = score(columns)
        total, missed = total + found, missed + len(lost)
    alarms, right = total["alarms"] / total["files"], total["right"] / total["others"]
    sys.stdout.write(f"| {what} | {headers} | {missed} of {total['people']} | {alarms:.2f} | {right:.1%} |\n")


def labelled(seeds, ways):
    """Yield the tables that the detector is tuned on, under the headers of some languages."""
    for seed in seeds:
        for _, columns in labelled_tables.tables(seed):
            yield from (headed(columns, way) for way in ways)


def held_out(is_bare):
    """Yield the tables that nothing is tuned on, with their own headers or none."""
    for seed in SEEDS:
        for _, columns in tables_not_tuned_on.tables(seed):
            yield [(f"c{n}", *rest) if is_bare else (name, *rest) for n, (name, *rest) in enumerate(columns, 1)]


if __name__ == "__main__":
    line("tuned on, five seeds", "English", labelled(SEEDS, ["en"]))
    line("tuned on, one seed", f"{len(OTHERS)} other languages", labelled([0], OTHERS))
    line("tuned on, five seeds", "Finnish", labelled(SEEDS, ["fi"]))
    line("tuned on, five seeds", "c1, c2, ...", labelled(SEEDS, ["bare"]))
    line("not tuned on, five seeds", "their own", held_out(is_bare=False))
    line("not tuned on, five seeds", "c1, c2, ...", held_out(is_bare=True))
