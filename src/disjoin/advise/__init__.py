"""Advice: settings tried on the data owner's data, and one recommended. Results are private facts on the original."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from disjoin.methods.contract import Method
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import settled
from disjoin.methods.mixed import MixedDisassociation
from disjoin.model import Draft


def publisher_of(method: Method) -> Callable[..., Draft[Any]]:
    """Return `method.publish`, or a function with the same arguments that chooses a clustering first."""
    if not isinstance(method, (Disassociation, MixedDisassociation)) or method.clustering in settled():
        return method.publish
    from disjoin.advise.clustering_choice import choose_draft  # attacks and measures are loaded where they are needed

    return partial(method.publish, run=choose_draft)
