"""How to publish: one folder per method, and METHODS lists them all."""

from disjoin.methods.apriori import Apriori
from disjoin.methods.cahd import Cahd
from disjoin.methods.diffpart import DiffPart
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.generalization import Generalization

METHODS: dict[str, type[Disassociation] | type[Cahd] | type[Generalization] | type[Apriori] | type[DiffPart]] = {
    Disassociation.name: Disassociation,
    Cahd.name: Cahd,
    Generalization.name: Generalization,
    Apriori.name: Apriori,
    DiffPart.name: DiffPart,
}

__all__ = ["METHODS", "Apriori", "Cahd", "DiffPart", "Disassociation", "Generalization"]
