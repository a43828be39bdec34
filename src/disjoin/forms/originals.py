"""What an original must be, and what may be asked of it, before anything is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disjoin.errors import InvalidParameter
from disjoin.model.transactions import Transactions

if TYPE_CHECKING:
    from disjoin.measure import Settings
    from disjoin.model.hierarchy import Hierarchy


def require_records(original: Any) -> Transactions:
    """Return the original if it is records that are sets."""
    if not isinstance(original, Transactions):
        raise InvalidParameter("the original of this release must be records that are sets, got a table.")
    return original


def require_unasked(what: str, hierarchy: Hierarchy | None, settings: Settings) -> None:
    """Raise for choices that make no difference."""
    if hierarchy is not None:
        raise InvalidParameter(f"no measure of {what} looks at a hierarchy of terms. Leave it out.")
    if settings.k is not None:
        raise InvalidParameter(f"no measure of {what} asks which terms are in k records. Leave k out.")
