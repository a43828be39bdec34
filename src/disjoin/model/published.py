"""What is published, whatever its form: every noun of published data is one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from disjoin.model.verdict import Violation

if TYPE_CHECKING:
    from disjoin.model.bag import Bag


class Published(ABC):
    """Published data; a form's noun says what its form is called and which module of the inspector judges it."""

    __slots__ = ()

    form: ClassVar[str]
    in_words: ClassVar[str]  # what a release of this form has
    inspection: ClassVar[str]  # a module with an INSPECTION
    is_exact: ClassVar[bool] = True  # whether its counts are those of the original

    @property
    @abstractmethod
    def extent(self) -> dict[str, int]:
        """How much there is of it, in a few numbers for everybody."""

    def with_anomalies(self, found: tuple[Violation, ...]) -> Self:
        """Return the same with more of what a reader saw in files and the noun cannot express."""
        noun: Any = self
        return replace(noun, anomalies=(*noun.anomalies, *found))  # type: ignore[no-any-return]


class PublishedRecords(Published):
    """Published records, each a set, with how often it occurs."""

    __slots__ = ()

    records: Bag


def nouns() -> list[type[Published]]:
    """Return the nouns of all forms that are known."""
    found = [*Published.__subclasses__(), *PublishedRecords.__subclasses__()]
    return list({noun.form: noun for noun in found if noun is not PublishedRecords}.values())


def forms_in_words() -> dict[str, str]:
    """Return what releases of each form have, by the name of the form."""
    return {noun.form: noun.in_words for noun in nouns()}
