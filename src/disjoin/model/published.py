"""What is published, whatever its form: every noun of published data is one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

from disjoin.model.verdict import Violation


class Published:
    """Published data; a form's noun says what its form is called and which module of the inspector judges it."""

    __slots__ = ()

    form: ClassVar[str]
    in_words: ClassVar[str]  # what a release of this form has
    inspection: ClassVar[str]  # a module with an INSPECTION

    @property
    def extent(self) -> dict[str, int]:
        """How much there is of it, in a few numbers for everybody."""
        raise NotImplementedError

    def with_anomalies(self, found: tuple[Violation, ...]) -> Self:
        """Return the same with more of what a reader saw in files and the noun cannot express."""
        noun: Any = self
        return replace(noun, anomalies=(*noun.anomalies, *found))  # type: ignore[no-any-return]


def forms_in_words() -> dict[str, str]:
    """Return what releases of each form have, by the name of the form."""
    return {noun.form: noun.in_words for noun in Published.__subclasses__()}
