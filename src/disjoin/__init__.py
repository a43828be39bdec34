"""k^m-anonymity and k-anonymity for set-valued and tabular data, with an independent verifier.

    import disjoin

    data = disjoin.read("baskets.csv")                  # FIMI, SPMF, CSV, Parquet, JSON Lines; or a list of sets
    release = disjoin.disassociate(data, k=5, m=2)      # raises unless the result is proven k^m-anonymous
    release.write("release/")                           # a folder that may be published
    disjoin.verify("release/", original=data).holds     # an independent verdict

Names are looked up when they are first used, so that importing the package costs next to nothing.
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
    from disjoin import hierarchy
    from disjoin.advise.survey import Survey, advise
    from disjoin.attack.uniqueness import uniqueness
    from disjoin.compare.comparison import Contest, compare
    from disjoin.exporting import export
    from disjoin.files.databases import Query
    from disjoin.files.one_hot import read_one_hot
    from disjoin.files.people import read_people
    from disjoin.files.reading import read
    from disjoin.files.table_reading import read_table
    from disjoin.inspection import Inspection, inspect
    from disjoin.ledger.ledger import Ledger
    from disjoin.looking import FileLook, look
    from disjoin.measure import Evaluation
    from disjoin.methods.apriori import Apriori
    from disjoin.methods.cahd import Cahd
    from disjoin.methods.diffpart import DiffPart
    from disjoin.methods.disassociation import Disassociation
    from disjoin.methods.generalization import Generalization
    from disjoin.methods.mixed import MixedDisassociation
    from disjoin.model import (
        Clusters,
        DifferentialPrivacy,
        Generalized,
        GeneralizedItems,
        Groups,
        Hierarchy,
        KAnonymity,
        KmAnonymity,
        Mixed,
        MixedAnonymity,
        MixedRecords,
        NoisyRecords,
        PrivacyDegree,
        Release,
        Table,
        Transactions,
        Verdict,
        Violation,
    )
    from disjoin.pipeline import evaluate, load, verify
    from disjoin.publishers import cahd, diffpart, disassociate, generalize, generalize_items, mixed
    from disjoin.showing import show

_HOMES = {
    "read": "disjoin.files.reading",
    "disassociate": "disjoin.publishers",
    "cahd": "disjoin.publishers",
    "generalize": "disjoin.publishers",
    "generalize_items": "disjoin.publishers",
    "diffpart": "disjoin.publishers",
    "mixed": "disjoin.publishers",
    "Apriori": "disjoin.methods.apriori",
    "DiffPart": "disjoin.methods.diffpart",
    "DifferentialPrivacy": "disjoin.model",
    "GeneralizedItems": "disjoin.model",
    "Mixed": "disjoin.model",
    "MixedAnonymity": "disjoin.model",
    "MixedDisassociation": "disjoin.methods.mixed",
    "MixedRecords": "disjoin.model",
    "NoisyRecords": "disjoin.model",
    "Query": "disjoin.files.databases",
    "export": "disjoin.exporting",
    "read_one_hot": "disjoin.files.one_hot",
    "read_people": "disjoin.files.people",
    "read_table": "disjoin.files.table_reading",
    "evaluate": "disjoin.pipeline",
    "load": "disjoin.pipeline",
    "inspect": "disjoin.inspection",
    "look": "disjoin.looking",
    "FileLook": "disjoin.looking",
    "Inspection": "disjoin.inspection",
    "show": "disjoin.showing",
    "Survey": "disjoin.advise.survey",
    "Contest": "disjoin.compare.comparison",
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
    "compare": "disjoin.compare.comparison",
}

__all__ = [
    "Apriori",
    "Cahd",
    "CannotWrite",
    "Clusters",
    "Contest",
    "DiffPart",
    "DifferentialPrivacy",
    "Disassociation",
    "DisjoinError",
    "DisjoinWarning",
    "Evaluation",
    "FileLook",
    "Generalization",
    "Generalized",
    "GeneralizedItems",
    "Groups",
    "GuaranteeUnreachable",
    "Hierarchy",
    "Inspection",
    "InvalidParameter",
    "KAnonymity",
    "KmAnonymity",
    "Ledger",
    "MissingExtra",
    "Mixed",
    "MixedAnonymity",
    "MixedDisassociation",
    "MixedRecords",
    "NoisyRecords",
    "NotAnonymous",
    "OutputExists",
    "PrivacyDegree",
    "PublishedBefore",
    "Query",
    "Release",
    "Survey",
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
    if name == "hierarchy":  # a room of functions: disjoin.hierarchy.build
        return importlib.import_module("disjoin.hierarchy")
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

    verify, advise, compare = map(_callable_room, _VERBS)


sys.modules[__name__].__class__ = _FrontDoor
