"""What every method offers, and what it may ask of the engine that runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from disjoin.model import Draft, Promise, Published
from disjoin.progress import Progress, silent

Shard = TypeVar("Shard")
Result = TypeVar("Result")


class Engine(Protocol):
    """Where work runs: one verb. A shard's result depends on the shard alone, and results keep the shards' order."""

    def map(
        self, work: Callable[[Shard], Result], shards: Iterable[Shard], done: Callable[[int], None] = ...
    ) -> list[Result]:
        """Return `work(shard)` for every shard; `done` is told how many are finished."""


class Method(Protocol):
    """How to publish. Implementations are frozen dataclasses whose fields are the parameters."""

    name: ClassVar[str]
    takes: ClassVar[Literal["records", "table"]]  # sets (`Transactions`), or a `Table`

    def warnings(self, data: Any) -> list[str]:
        """Say what the user should know before relying on the outcome."""

    def prepared(self, data: Any) -> Any:
        """Return the data as the inspector wants the original: with the roles that the settings name."""

    def claim(self, draft: Draft[Any]) -> Promise:
        """Return the promise that this method makes for a draft of its own."""

    def parameters(self) -> Mapping[str, Any]:
        """Return the parameters as they are stored in a release."""

    @classmethod
    def contradictions(cls, promise: Promise, stated: Mapping[str, Any], suppressed: int) -> list[str]:
        """Return in what stored parameters, or the number of records left out, contradict a promise."""

    def publish(self, data: Any, engine: Engine, progress: Progress = silent) -> Draft[Published]:
        """Do the work."""
