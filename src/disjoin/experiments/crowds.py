"""Groups for experiments with CAHD: in its orders and groupings, without regard to similarity, and all in one."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from disjoin.experiments.experiment import Measured
from disjoin.methods.cahd import GROUPINGS, ORDER_NAMES, Cahd
from disjoin.pipeline import drafted

if TYPE_CHECKING:
    from disjoin.methods.cahd.preparing import CahdRows, Prepared
    from disjoin.model import Groups, Transactions
    from disjoin.model.ragged import Ints64

USUAL_P = tuple(range(4, 21, 2))  # of the paper, as are these: alpha, the items of a query, and the queries
ALPHA, R, QUERIES = 3, 4, 100
BY_CONTENT, AT_RANDOM, ONE_GROUP = "content", "random", "one group"  # in place of an order of similarity
ANATOMY = "anatomy"  # in place of a grouping of the method


@dataclass(frozen=True, slots=True)
class Crowding:
    """How groups are formed.

    `order` is one of the method, `content`, `random`, or all records in `one group`; `grouping` is one of the method,
    or `anatomy`: in a random order, by sensitive items alone.
    """

    p: int
    alpha: int = ALPHA
    order: str = ORDER_NAMES[0]
    grouping: str = "blind"


def drawn_items(data: Transactions, number: int, largest_p: int, seed: int) -> tuple[str, ...]:
    """Draw sensitive items among those that allow `largest_p`, so that they serve for every lower p too."""
    from disjoin.methods.cahd.sensitive import marked

    drawn = marked(Cahd(p=largest_p, random_sensitive=number, seed=seed), data)
    return tuple(drawn.sensitive_terms())


def groups_formed(data: Transactions, sensitive: tuple[str, ...], how: Crowding, seed: int) -> Groups:
    """Form groups without the inspector, whose verdict no measure depends on; `seed` is that of a random order."""
    if how.order in ORDER_NAMES and how.grouping in GROUPINGS:
        method = Cahd(p=how.p, alpha=how.alpha, order=how.order, grouping=how.grouping, sensitive=sensitive)
        published: Groups = drafted(data, method).published
        return published
    return _formed_otherwise(data.with_sensitive(sensitive), how, seed)


def _formed_otherwise(data: Transactions, how: Crowding, seed: int) -> Groups:
    import numpy as np

    from disjoin.methods.cahd.cahd_groups import groups_of
    from disjoin.methods.cahd.preparing import prepared
    from disjoin.methods.cahd.run import draft_of

    found: Prepared = prepared(data)
    groups, number = np.zeros(len(data), dtype=np.int64), 1
    if how.order != ONE_GROUP:
        is_anatomy = how.grouping == ANATOMY
        order = _order(AT_RANDOM if is_anatomy else how.order, len(data), seed)
        rows = found.rows.in_order(order)
        groups[order], number = groups_of(_without_ordinary(rows) if is_anatomy else rows, how.p, how.alpha)
    return draft_of(found, groups, number).published


def _without_ordinary(rows: CahdRows) -> CahdRows:
    """Return rows that are all equally similar."""
    import numpy as np

    return replace(rows, ordinary=rows.ordinary.where(np.zeros(rows.ordinary.items.size, np.bool_)))


def _order(name: str, rows: int, seed: int) -> Ints64:
    """Return an order (new position -> old) of rows that are sorted by content."""
    import numpy as np

    assert name in (BY_CONTENT, AT_RANDOM), f"no order is called {name}"
    return np.random.default_rng(seed).permutation(rows) if name == AT_RANDOM else np.arange(rows)


def share_left_over(groups: Groups, p: int) -> float:
    """Return which share of all occurrences of sensitive items is in a group of more than p records."""
    import numpy as np

    entries = groups.secrets.lengths
    counts, sizes = groups.sensitive_counts, np.repeat(groups.sizes, entries)
    return float(counts[sizes > p].sum() / counts.sum())


def over_draws(name: str, values: list[float]) -> Measured:
    """Return the mean over draws of sensitive items, and the standard deviation as `spread`.

    >>> over_draws("kl", [1.0, 3.0])
    {'kl': 2.0, 'kl spread': 1.0}
    """
    return {name: statistics.fmean(values), f"{name} spread": statistics.pstdev(values)}
