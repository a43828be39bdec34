"""How to publish: one folder per method. A third party adds one through the entry point group `disjoin.methods`."""

from disjoin.methods.cahd import Cahd
from disjoin.methods.disassociation import Disassociation

METHODS: dict[str, type[Disassociation] | type[Cahd]] = {
    Disassociation.name: Disassociation,
    Cahd.name: Cahd,
}

__all__ = ["METHODS", "Cahd", "Disassociation"]
