"""Base of published data; drafts of methods; verdicts of the verifier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from disjoin.model.card import card
from disjoin.model.parameters import Guarantee
from disjoin.text import printable

if TYPE_CHECKING:
    import pyarrow as pa

    from disjoin.model.ragged import Bag, Ints32, Ints64

SHOWN = 5  # violations on the card of a verdict


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken invariant: its name, place, the finding, and terms as an example."""

    invariant: str
    place: str
    message: str
    example: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Violation({self.invariant!r}, {_printable(self.place)!r})"  # its example may be secret

    def __str__(self) -> str:
        shown = f" ({', '.join(_printable(term) for term in self.example)})" if self.example else ""
        return f"{self.without_example()}{shown}"

    def without_example(self) -> str:
        """Return the violation without terms and cells, which may be from the original."""
        return f"{self.invariant} at {_printable(self.place)}: {_printable(self.message, 400)}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"example": list(self.example)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a verification; it holds if and only if there are no violations.

    `checked` names the tested invariants; `facts` has values measured during the test.
    """

    guarantee: Guarantee
    violations: tuple[Violation, ...]
    checked: tuple[str, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        found = f"{len(self.violations):,} violation{'' if len(self.violations) == 1 else 's'}"
        return f"Verdict({'holds' if self.holds else found}, {self.guarantee!r}, {len(self.checked):,} checked)"

    def _repr_html_(self) -> str:
        words = "It holds." if self.holds else "It does not hold."
        found = [violation.without_example() for violation in self.violations[:SHOWN]]
        more = [f"... and {len(self.violations) - SHOWN:,} more."] if len(self.violations) > SHOWN else []
        numbers = [("invariants checked", f"{len(self.checked):,}"), ("violations", f"{len(self.violations):,}")]
        sentence = f"{words} {self.guarantee.sentence()}"
        return card("Verdict", sentence, numbers, is_verified=self.holds, notes=[*found, *more])

    def __bool__(self) -> bool:
        return self.holds

    @property
    def holds(self) -> bool:
        """Whether there are no violations; a guarantee that is not proven requires less than a proof."""
        return not self.violations

    def to_json(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "guarantee": self.guarantee.to_json(),
            "violations": [violation.to_json() for violation in self.violations],
            "checked": list(self.checked),
            "facts": dict(self.facts),
        }


def _printable(term: str, longest: int = 60) -> str:
    """Return a term without characters that control a terminal, because a release may be from an untrusted source."""
    shown = printable(term)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


class Published(ABC):
    """Base of published data; a form has its name and the module of the verifier that checks it.

    Nothing is guaranteed before verification. `anomalies` are contents of files that the form cannot express.
    """

    __slots__ = ()

    form: ClassVar[str]
    in_words: ClassVar[str]  # the contents of a release of this form
    inspection: ClassVar[str]  # a module with an INSPECTION
    is_exact: ClassVar[bool] = True  # whether its counts are those of the original

    @property
    @abstractmethod
    def extent(self) -> dict[str, int]:
        """The size of the published data in a few numbers, which are public."""

    def __eq__(self, other: object) -> bool:
        """Compare what is published: all fields except those with `compare=False`."""
        if type(self) is not type(other):
            return False
        noun: Any = self
        pairs = ((getattr(self, part.name), getattr(other, part.name)) for part in fields(noun) if part.compare)
        return all(one.tolist() == two.tolist() if hasattr(one, "tolist") else one == two for one, two in pairs)

    def __hash__(self) -> int:
        return hash((self.form, *self.extent.values()))

    def with_anomalies(self, found: tuple[Violation, ...]) -> Self:
        noun: Any = self
        return replace(noun, anomalies=(*noun.anomalies, *found))  # type: ignore[no-any-return]


class PublishedRecords(Published):
    """Published records, each a set, with their counts."""

    __slots__ = ()

    records: Bag

    def __len__(self) -> int:
        return len(self.records)

    @property
    def n_records(self) -> int:
        """The number of records; for noisy ones, not the number in the original."""
        return self.records.n_records

    @property
    def extent(self) -> dict[str, int]:
        return {"records": self.n_records, "terms": len(self.records.vocabulary)}


class FlatArrays(Published):
    """Published data in flat arrays: those named in `wide` are of int64, those in `narrow` of int32."""

    __slots__ = ()

    wide: ClassVar[tuple[str, ...]]
    narrow: ClassVar[tuple[str, ...]]

    vocabulary: pa.StringArray
    sizes: Ints64
    items: Ints32
    counts: Ints64

    def __post_init__(self) -> None:
        import numpy as np  # late: verdicts are read without arrays

        from disjoin.model.ragged import frozen, strings

        object.__setattr__(self, "vocabulary", strings(self.vocabulary))
        for name in (*self.wide, *self.narrow):
            kind = np.int64 if name in self.wide else np.int32
            object.__setattr__(self, name, frozen(getattr(self, name), kind))

    def __repr__(self) -> str:
        parts = f"{len(self):,} {self.in_words}, {self.n_records:,} records, {len(self.vocabulary):,} terms"
        return f"{type(self).__name__}({parts})"

    def __len__(self) -> int:
        return self.sizes.size

    @property
    @abstractmethod
    def n_records(self) -> int: ...

    @property
    def extent(self) -> dict[str, int]:
        return {"records": self.n_records, "terms": len(self.vocabulary)}

    def terms_of(self, items: Ints32) -> tuple[str, ...]:
        return tuple(self.vocabulary[int(item)].as_py() for item in items)


def nouns() -> list[type[Published]]:
    bases = (FlatArrays, Published, PublishedRecords)
    found = [noun for base in bases for noun in base.__subclasses__() if noun not in bases]
    return list({noun.form: noun for noun in found}.values())


def forms_in_words() -> dict[str, str]:
    return {noun.form: noun.in_words for noun in nouns()}


Form = TypeVar("Form", bound=Published, covariant=True)


@dataclass(frozen=True, slots=True, eq=False)
class Draft(Generic[Form]):
    """Published data, with facts that only the data owner may see.

    `part_of_record` (records,) is the leaf, group or row of each record, -1 for a suppressed one, for the verifier
    only; None if records cannot be followed. `parameters` are those that the method chose itself.
    """

    published: Form
    part_of_record: Ints64 | None = field(repr=False)
    sensitive: tuple[str, ...] = field(default=(), repr=False)  # published terms that are sensitive
    private: Mapping[str, Any] = field(default_factory=dict, repr=False)
    parameters: Mapping[str, Any] | None = None

    @property
    def suppressed_records(self) -> int:
        return 0 if self.part_of_record is None else int((self.part_of_record < 0).sum())
