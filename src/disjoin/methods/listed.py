"""An entry of a list that people choose from: a name, a sentence, and code that is loaded when it is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Listed:
    """What a list says of an entry before any of its code is loaded.

    `home` is where the code is, as in "disjoin.methods.cahd:Cahd", or the code itself.
    """

    name: str
    sentence: str
    home: Any

    def load(self) -> Any:
        """Return the function or class.

        >>> Listed("square root", "what times itself is a number", "math:sqrt").load()(9)
        3.0
        """
        return loaded(self.home)


def loaded(home: Any) -> Any:
    """Return what "module:name" names; what is no text is the thing itself."""
    if not isinstance(home, str):
        return home
    module, name = home.split(":")
    return getattr(import_module(module), name)
