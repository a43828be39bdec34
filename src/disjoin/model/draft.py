"""What a method hands to the inspector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from disjoin.model.arrays import Ints64
from disjoin.model.published import Published

Form = TypeVar("Form", bound=Published, covariant=True)


@dataclass(frozen=True, slots=True, eq=False)
class Draft(Generic[Form]):
    """Published data, and beside it what only the steward may see.

    `part_of_record` (records,) says to which leaf, group or row each record went, -1 for a suppressed one: it lets the
    inspector compare with the original and never leaves the house. None, where no record can be followed: then none
    counts as suppressed. `private` are facts for the steward's screen. `parameters` are those to store in a release,
    where the method has chosen some itself.
    """

    published: Form
    part_of_record: Ints64 | None = field(repr=False)
    sensitive: tuple[str, ...] = field(default=(), repr=False)  # published terms that are sensitive
    private: Mapping[str, Any] = field(default_factory=dict, repr=False)
    parameters: Mapping[str, Any] | None = None

    @property
    def suppressed_records(self) -> int:
        """How many records were left out."""
        return 0 if self.part_of_record is None else int((self.part_of_record < 0).sum())
