"""How to publish: one folder per method. A third party adds one through the entry point group `disjoin.methods`."""

from disjoin.methods.cahd import Cahd
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.generalization import Generalization

METHODS: dict[str, type[Disassociation] | type[Cahd] | type[Generalization]] = {
    Disassociation.name: Disassociation,
    Cahd.name: Cahd,
    Generalization.name: Generalization,
}

__all__ = ["METHODS", "Cahd", "Disassociation", "Generalization"]
