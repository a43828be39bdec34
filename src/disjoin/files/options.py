"""What a caller may say about a file, checked before it is opened."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields

import numpy as np

from disjoin.errors import InvalidParameter, described
from disjoin.files import READERS
from disjoin.files.wording import quoted
from disjoin.model.guarantee import require_integer

_NAMED_SEPARATORS = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";"}


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `read`; those that do not go together are refused when they are born."""

    id_column: str | None = None
    term_column: str | None = None
    field: str | None = None
    separator: str | None = None
    keep_order: bool = False
    max_bytes: int = 0

    def __post_init__(self) -> None:
        require_texts(
            id_column=self.id_column, term_column=self.term_column, field=self.field, separator=self.separator
        )
        if not isinstance(self.keep_order, (bool, np.bool_)):
            raise InvalidParameter(f"keep_order must be true or false, got {described(self.keep_order)}.")
        require_integer("max_bytes", self.max_bytes, 1, "it is the largest size that a file may unpack to.")
        if self.field is not None and (self.id_column is not None or self.term_column is not None):
            raise InvalidParameter(
                "field names a list of terms, id_column and term_column the columns of a long table: "
                "give one or the other, not both."
            )
        if self.separator is not None:
            separator = _NAMED_SEPARATORS.get(self.separator, self.separator)
            if len(separator) != 1 or not separator.isascii() or separator in '"\r\n\0':
                raise InvalidParameter(
                    f"separator must be one ASCII character such as ',' or ';' (or 'tab'), "
                    f"got {quoted(self.separator)}."
                )
            object.__setattr__(self, "separator", separator)

    @property
    def is_long(self) -> bool:
        """Whether the columns of a long table are named."""
        return self.id_column is not None or self.term_column is not None

    def separator_byte(self) -> bytes:
        """Return the separator, a comma unless said otherwise."""
        return (self.separator or ",").encode()

    def require_fit(self, format: str) -> None:
        """Raise if the format does not exist or cannot use one of the given options."""
        require_texts(format=format)
        if format not in READERS:
            raise InvalidParameter(f"there is no format {quoted(format)}. Choose one of {_listed(READERS)}.")
        allowed = {*READERS[format].options, "keep_order", "max_bytes"}
        for option in fields(self):
            if getattr(self, option.name) is not None and option.name not in allowed:
                users = [name for name, reader in READERS.items() if option.name in reader.options]
                raise InvalidParameter(
                    f"the format {format} has no use for {option.name} (only {_listed(users)}). Leave it out."
                )


def require_texts(**options: object) -> None:
    """Raise unless every option is a string or absent."""
    for name, value in options.items():
        if value is not None and not isinstance(value, str):
            raise InvalidParameter(f"{name} must be a text, got {described(value)}.")


def _listed(names: Collection[str]) -> str:
    return ", ".join(names)
