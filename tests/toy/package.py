"""What a package may add to disjoin: a command, an engine, a reader, a measure and an attacker."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import click

from disjoin.attack.overview import Attacker, Knowledge
from disjoin.measure import Finding, Measure
from disjoin.methods.settings import setting
from disjoin.model import Release, Transactions
from disjoin.pipeline import Outcome
from disjoin.plan import Plan
from disjoin.progress import Progress
from disjoin.readers.options import Options, Reader


@click.command("greet")
@click.argument("name")
def greet(name: str) -> None:
    """Greet NAME."""
    click.echo(f"Hello, {name}.")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An engine that publishes as this machine does, and reports how many workers it was given."""

    name: ClassVar[str] = "elsewhere"
    runs: ClassVar[tuple[str, ...]] = ("disassociation",)

    workers: int = setting(1, "elsewhere: how many workers it has", least=1, why="one does the work.")

    def in_folder(self, folder: Path) -> Elsewhere:
        return self

    def publish(self, plan: Plan, progress: Progress) -> Outcome:
        outcome = replace(plan, engine=None, destination=None).run(progress)
        return replace(outcome, private={**outcome.private, "workers": self.workers})


READER = Reader("one record per line, terms between plus signs", (), "toy.package:read_plus")


def read_plus(source: Any, options: Options) -> Transactions:
    return Transactions.from_sets(line.split("+") for _, line in source.lines())


MEASURE = Measure(
    name="toy_clusters",
    title="Clusters, counted by a toy",
    direction="lower",
    least=0,
    largest=None,
    unit="clusters",
    meaning="How many clusters there are.",
    compute=lambda evidence: Finding(len(evidence.published)),
)


@dataclass(frozen=True)
class Vocabulary:
    terms: int

    def sentence(self) -> str:
        return f"The release shows {self.terms} terms."

    def to_json(self) -> dict[str, Any]:
        return {"terms": self.terms}


def read_vocabulary(release: Release, given: Knowledge) -> Vocabulary:
    return Vocabulary(len(release.published.vocabulary))


ATTACKER = Attacker("toy_vocabulary", "Reading the vocabulary", read_vocabulary)
