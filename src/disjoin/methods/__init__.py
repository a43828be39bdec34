"""Registry of publishing methods, one folder each. A method is imported when it is used, so help is shown fast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from disjoin.methods.settings import LazyEntry
from disjoin.model.plugins import Registry


@dataclass(frozen=True, slots=True)
class MethodRecord(LazyEntry):
    """A method: its name in plans and releases, a sentence for the list of commands, its class and its result."""

    command: str  # the name of its command
    budget: str | None = None  # the setting that adds up over releases of the same people
    keeps_columns: bool = False  # whether columns other than the terms may become terms


class Methods(Mapping[str, type[Any]]):
    """Classes of methods by name, each imported on first use; `listed` has all records, `own` those of disjoin."""

    def __init__(self, *methods: MethodRecord) -> None:
        self.own = {method.name: method for method in methods}
        self.listed: Registry[MethodRecord] = Registry("disjoin.methods", (MethodRecord,), self.own)

    def __getitem__(self, name: str) -> type[Any]:
        method: type[Any] = self.listed[name].load()
        return method

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)


METHODS = Methods(
    MethodRecord(
        "disassociation",
        "Publish baskets, visits or logs with k^m-anonymity.",
        "disjoin.methods.disassociation:Disassociation",
        command="disassociate",
        keeps_columns=True,
    ),
    MethodRecord(
        "cahd", "Publish baskets, with sensitive items hidden in groups.", "disjoin.methods.cahd:Cahd", command="cahd"
    ),
    MethodRecord(
        "generalization",
        "Publish a table with k-anonymity, by generalisation.",
        "disjoin.methods.generalization:Generalization",
        command="generalize",
    ),
    MethodRecord(
        "apriori",
        "Publish baskets with rare terms generalised.",
        "disjoin.methods.apriori:Apriori",
        command="generalize-items",
    ),
    MethodRecord(
        "diffpart",
        "Publish synthetic baskets with differential privacy.",
        "disjoin.methods.diffpart:DiffPart",
        command="diffpart",
        budget="epsilon",
    ),
    MethodRecord(
        "mixed",
        "Publish people who have columns and a set of terms each.",
        "disjoin.methods.mixed:MixedDisassociation",
        command="mixed",
    ),
)
