"""k^m-anonymity and k-anonymity for set-valued and tabular data, with an independent verifier.

    import disjoin

    data = disjoin.read("baskets.csv")                  # FIMI, SPMF, CSV, Parquet, JSON Lines; or a list of sets
    release = disjoin.disassociate(data, k=5, m=2)      # raises unless the result is proven k^m-anonymous
    release.write("release/")                           # a folder that may be published
    disjoin.verify("release/", original=data).holds     # an independent verdict

`disjoin.__all__` is the public interface (docs/reference/python.md); modules of the package are private. Names are
loaded when they are first used.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from disjoin._version import __version__
from disjoin.errors import (
    CannotWrite,
    DisjoinError,
    DisjoinWarning,
    GuaranteeUnreachable,
    InvalidParameter,
    MissingExtra,
    NotAnonymous,
    OutputExists,
    PublishedBefore,
    UnreadableInput,
)

if TYPE_CHECKING:
    from disjoin.advise.survey import advise
    from disjoin.api import cahd, diffpart, disassociate, export, generalize, generalize_items, mixed
    from disjoin.attack.uniqueness import uniqueness
    from disjoin.lab.comparison import compare
    from disjoin.ledger.ledger import Ledger
    from disjoin.model import (
        DifferentialPrivacy,
        Hierarchy,
        KAnonymity,
        KmAnonymity,
        MixedAnonymity,
        MixedRecords,
        PrivacyDegree,
        Release,
        Table,
        Transactions,
        Verdict,
        Violation,
    )
    from disjoin.pipeline import evaluate, load, verify
    from disjoin.readers import hierarchies as hierarchy
    from disjoin.readers.columnar import read_one_hot
    from disjoin.readers.databases import Query
    from disjoin.readers.look import look
    from disjoin.readers.people import read_people
    from disjoin.readers.read import read
    from disjoin.readers.tables import read_table
    from disjoin.report.profile import inspect
    from disjoin.report.show import show

_HOMES = {
    "read": "disjoin.readers.read",
    "disassociate": "disjoin.api",
    "cahd": "disjoin.api",
    "generalize": "disjoin.api",
    "generalize_items": "disjoin.api",
    "diffpart": "disjoin.api",
    "mixed": "disjoin.api",
    "Apriori": "disjoin.methods.apriori",
    "DiffPart": "disjoin.methods.diffpart",
    "DifferentialPrivacy": "disjoin.model",
    "GeneralizedItems": "disjoin.model",
    "Mixed": "disjoin.model",
    "MixedAnonymity": "disjoin.model",
    "MixedDisassociation": "disjoin.methods.mixed",
    "MixedRecords": "disjoin.model",
    "NoisyRecords": "disjoin.model",
    "Query": "disjoin.readers.databases",
    "export": "disjoin.api",
    "read_one_hot": "disjoin.readers.columnar",
    "read_people": "disjoin.readers.people",
    "read_table": "disjoin.readers.tables",
    "evaluate": "disjoin.pipeline",
    "load": "disjoin.pipeline",
    "inspect": "disjoin.report.profile",
    "look": "disjoin.readers.look",
    "FileKind": "disjoin.readers.look",
    "Inspection": "disjoin.report.profile",
    "show": "disjoin.report.show",
    "Survey": "disjoin.advise.survey",
    "Comparison": "disjoin.lab.comparison",
    "compare": "disjoin.lab.comparison",
    "uniqueness": "disjoin.attack.uniqueness",
    "Disassociation": "disjoin.methods.disassociation",
    "Cahd": "disjoin.methods.cahd",
    "Evaluation": "disjoin.measure",
    "Transactions": "disjoin.model",
    "Clusters": "disjoin.model",
    "Generalized": "disjoin.model",
    "Groups": "disjoin.model",
    "Hierarchy": "disjoin.model",
    "KAnonymity": "disjoin.model",
    "Table": "disjoin.model",
    "Generalization": "disjoin.methods.generalization",
    "KmAnonymity": "disjoin.model",
    "Ledger": "disjoin.ledger.ledger",
    "PrivacyDegree": "disjoin.model",
    "Release": "disjoin.model",
    "Verdict": "disjoin.model",
    "Violation": "disjoin.model",
}
_VERBS = {  # rooms that can be called, and where the function is
    "verify": "disjoin.pipeline",
    "advise": "disjoin.advise.survey",
}

__all__ = [
    "CannotWrite",
    "DifferentialPrivacy",
    "DisjoinError",
    "DisjoinWarning",
    "GuaranteeUnreachable",
    "Hierarchy",
    "InvalidParameter",
    "KAnonymity",
    "KmAnonymity",
    "Ledger",
    "MissingExtra",
    "MixedAnonymity",
    "MixedRecords",
    "NotAnonymous",
    "OutputExists",
    "PrivacyDegree",
    "PublishedBefore",
    "Query",
    "Release",
    "Table",
    "Transactions",
    "UnreadableInput",
    "Verdict",
    "Violation",
    "__version__",
    "advise",
    "cahd",
    "compare",
    "diffpart",
    "disassociate",
    "evaluate",
    "export",
    "generalize",
    "generalize_items",
    "hierarchy",
    "inspect",
    "load",
    "look",
    "mixed",
    "read",
    "read_one_hot",
    "read_people",
    "read_table",
    "show",
    "uniqueness",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name == "hierarchy":  # a module of functions: disjoin.hierarchy.build
        return importlib.import_module("disjoin.readers.hierarchies")
    raise AttributeError(f"module 'disjoin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


class _CallableRoom(ModuleType):
    """A room that can also be called, as in `disjoin.verify("release/")`: that runs the function of its name."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._verb(*arguments, **named)

    @property
    def _verb(self) -> Callable[..., Any]:
        name = self.__name__.removeprefix("disjoin.")
        function: Callable[..., Any] = getattr(importlib.import_module(_VERBS[name]), name)
        return function

    @property
    def __signature__(self) -> Any:
        """What editors show of the call."""
        from inspect import signature

        return signature(self._verb)


def _callable_room(name: str) -> Any:
    def room(door: ModuleType) -> ModuleType:
        found = importlib.import_module(f"disjoin.{name}")
        found.__class__ = _CallableRoom
        return found

    def announced(door: ModuleType, room: ModuleType) -> None:
        """Let the import system announce the room; the property finds it anyway."""

    return property(room, announced)


class _FrontDoor(ModuleType):
    """The package; some names are both a room and what people expect to call (docs/decisions/0003)."""

    verify, advise = map(_callable_room, _VERBS)


sys.modules[__name__].__class__ = _FrontDoor
