"""k^m-anonymity and k-anonymity for set-valued and tabular data, with an independent verifier.

    import disjoin

    data = disjoin.read("baskets.csv")                  # FIMI, SPMF, CSV, Parquet, JSON Lines; or a list of sets
    release = disjoin.disassociate(data, k=5, m=2)      # raises unless the result is proven k^m-anonymous
    release.write("release/")                           # a folder that may be published
    disjoin.verify("release/", original=data).holds     # an independent verdict

`disjoin.__all__` is the public interface (docs/reference/python.md); modules of the package are private. Names are
imported on first use.
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
    from disjoin.readers.detect import look
    from disjoin.readers.people import read_people
    from disjoin.readers.read import read
    from disjoin.readers.tables import read_table
    from disjoin.report.profile import inspect
    from disjoin.report.show import show

_NAMES = {  # by their module
    "disjoin.advise.survey": ("Survey",),
    "disjoin.api": ("cahd", "diffpart", "disassociate", "export", "generalize", "generalize_items", "mixed"),
    "disjoin.attack.uniqueness": ("uniqueness",),
    "disjoin.lab.comparison": ("Comparison", "compare"),
    "disjoin.ledger.ledger": ("Ledger",),
    "disjoin.measure": ("Evaluation",),
    "disjoin.methods.apriori": ("Apriori",),
    "disjoin.methods.cahd": ("Cahd",),
    "disjoin.methods.diffpart": ("DiffPart",),
    "disjoin.methods.disassociation": ("Disassociation",),
    "disjoin.methods.generalization": ("Generalization",),
    "disjoin.methods.mixed": ("MixedDisassociation",),
    "disjoin.model": (
        *("Clusters", "DifferentialPrivacy", "Generalized", "GeneralizedItems", "Groups", "Hierarchy", "KAnonymity"),
        *("KmAnonymity", "Mixed", "MixedAnonymity", "MixedRecords", "NoisyRecords", "PrivacyDegree", "Release"),
        *("Table", "Transactions", "Verdict", "Violation"),
    ),
    "disjoin.pipeline": ("evaluate", "load"),
    "disjoin.readers.columnar": ("read_one_hot",),
    "disjoin.readers.databases": ("Query",),
    "disjoin.readers.detect": ("FileKind", "look"),
    "disjoin.readers.people": ("read_people",),
    "disjoin.readers.read": ("read",),
    "disjoin.readers.tables": ("read_table",),
    "disjoin.report.profile": ("Inspection", "inspect"),
    "disjoin.report.show": ("show",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}
_VERBS = {"verify": "disjoin.pipeline", "advise": "disjoin.advise.survey"}  # callable subpackages: the function

__all__ = ["__version__"]
__all__ += ["DifferentialPrivacy", "KAnonymity", "KmAnonymity", "MixedAnonymity", "PrivacyDegree"]
__all__ += ["Hierarchy", "Ledger", "MixedRecords", "Query", "Release", "Table", "Transactions", "Verdict", "Violation"]
__all__ += ["CannotWrite", "DisjoinError", "DisjoinWarning", "GuaranteeUnreachable", "InvalidParameter", "MissingExtra"]
__all__ += ["NotAnonymous", "OutputExists", "PublishedBefore", "UnreadableInput"]
__all__ += ["hierarchy", "inspect", "look", "read", "read_one_hot", "read_people", "read_table"]
__all__ += ["advise", "cahd", "compare", "diffpart", "disassociate", "generalize", "generalize_items", "mixed"]
__all__ += ["evaluate", "export", "load", "show", "uniqueness", "verify"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name == "hierarchy":  # a module of functions, as in disjoin.hierarchy.build
        return importlib.import_module("disjoin.readers.hierarchies")
    raise AttributeError(f"module 'disjoin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


class _CallableRoom(ModuleType):
    """A subpackage that can also be called, as in `disjoin.verify("release/")`: the function of its name runs."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._verb(*arguments, **named)

    @property
    def _verb(self) -> Callable[..., Any]:
        name = self.__name__.removeprefix("disjoin.")
        function: Callable[..., Any] = getattr(importlib.import_module(_VERBS[name]), name)
        return function

    @property
    def __signature__(self) -> Any:
        """The signature that editors show."""
        from inspect import signature

        return signature(self._verb)


def _callable_room(name: str) -> Any:
    def room(door: ModuleType) -> ModuleType:
        found = importlib.import_module(f"disjoin.{name}")
        found.__class__ = _CallableRoom
        return found

    def announced(door: ModuleType, room: ModuleType) -> None:
        """Accept the import system's assignment of the subpackage; the property finds it anyway."""

    return property(room, announced)


class _FrontDoor(ModuleType):
    """The package; some names are both a subpackage and a function (docs/decisions/0003)."""

    verify, advise = map(_callable_room, _VERBS)


sys.modules[__name__].__class__ = _FrontDoor
