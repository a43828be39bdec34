"""Interface of methods, and of the engine that runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeVar

from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.model import AnyGuarantee, Draft, Published

Source = TypeVar("Source")
Shard = TypeVar("Shard")
Result = TypeVar("Result")

# How work is spread over threads (`Engine.spread`, or `map`): results come in the order of the parts.
Spread = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


class Engine(Protocol):
    """Where work runs. A shard is a value: it has everything that its result depends on, work does not write into it,
    and results keep the order of the shards. So an engine may send shards to another process or machine."""

    def map(
        self,
        work: Callable[[Shard], Result],
        sources: Iterable[Source],
        done: Callable[[int], None] = ...,
        shard_of: Callable[[Source], Shard] = ...,
    ) -> list[Result]:
        """Return `work(shard_of(source))` for every source; by default the source is the shard. `work` is a function
        of a module, and `done` receives the number of finished shards. `shard_of` reads memory of the calling process:
        an engine of threads makes a shard in the thread that works on it."""

    def spread(self, work: Callable[[Shard], Result], parts: Iterable[Shard]) -> list[Result]:
        """Return `work(part)` for parts that share memory, by threads of the calling process."""


class Method(Protocol):
    """How to publish: frozen dataclasses that inherit from this one; their fields are the settings."""

    __slots__ = ()
    name: ClassVar[str]
    takes: ClassVar[Literal["records", "table", "mixed"]] = "records"  # `Transactions`, a `Table` or `MixedRecords`
    help: ClassVar[str]  # the text of its command's help; METHODS has the summary
    sharded: ClassVar[tuple[str, ...]] = ()  # the steps that run shard by shard, on any engine
    may_be_empty: ClassVar[bool] = False  # whether it publishes data without records

    @property
    def needs_written_order(self) -> bool:
        """Whether terms are needed in the order in which each record has them in the source."""
        return False

    @property
    def hierarchy_columns(self) -> tuple[str, ...]:
        """The columns whose hierarchies are read."""
        return ()

    def require_roles(self, data: Any) -> None:
        """Raise if the values of a published column identify people, or if people have several rows."""
        return

    def warnings(self, data: Any) -> list[str]:
        """Return what the user should know before using the result."""

    def prepared(self, data: Any) -> Any:
        """Return the data as the verifier needs the original: with the roles that the settings name."""

    def claim(self, draft: Draft[Any]) -> AnyGuarantee:
        """Return the guarantee of a draft of this method."""

    def parameters(self) -> Mapping[str, Any]:
        """Return the parameters as they are stored in a release."""

    @classmethod
    def contradictions(cls, guarantee: AnyGuarantee, stated: Mapping[str, Any], suppressed: int) -> list[str]:
        """Return the contradictions between stored parameters, or the number of suppressed records, and a guarantee."""

    def publish(self, data: Any, engine: Engine, progress: Progress = silent) -> Draft[Published]:
        """Run the method."""
