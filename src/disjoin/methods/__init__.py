"""How to publish: one folder per method. A third party adds one through the entry point group `disjoin.methods`."""

from disjoin.methods.disassociation import Disassociation

METHODS = {Disassociation.name: Disassociation}

__all__ = ["METHODS", "Disassociation"]
