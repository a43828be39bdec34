"""How to publish: one folder per method, and METHODS lists them all, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from disjoin.methods.apriori import Apriori
    from disjoin.methods.cahd import Cahd
    from disjoin.methods.diffpart import DiffPart
    from disjoin.methods.disassociation import Disassociation
    from disjoin.methods.generalization import Generalization

    METHODS: dict[str, type[Disassociation] | type[Cahd] | type[Generalization] | type[Apriori] | type[DiffPart]]

_HOMES = {
    "Disassociation": "disassociation",
    "Cahd": "cahd",
    "Generalization": "generalization",
    "Apriori": "apriori",
    "DiffPart": "diffpart",
}

__all__ = ["METHODS", "Apriori", "Cahd", "DiffPart", "Disassociation", "Generalization"]


def __getattr__(name: str) -> Any:
    if name == "METHODS":
        methods = [__getattr__(each) for each in _HOMES]
        found: Any = {method.name: method for method in methods}
    elif name in _HOMES:
        found = getattr(import_module(f"disjoin.methods.{_HOMES[name]}"), name)
    else:
        raise AttributeError(f"module 'disjoin.methods' has no attribute {name!r}")
    globals()[name] = found
    return found
