"""From records to noisy records: partitions are divided until rows are left."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from disjoin.compiling.decision import prepare
from disjoin.methods.diffpart.dividing import Account, Row, Rules, divide, whole
from disjoin.methods.diffpart.domain import Known, known_records
from disjoin.methods.diffpart.noise import KIND, Source, opendp_source
from disjoin.methods.diffpart.taxonomy import Taxonomy
from disjoin.model import Bag, Draft, NoisyRecords, Transactions
from disjoin.model.differential_privacy import SEEN
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.diffpart import DiffPart

INTERPRETED = 20e-6  # seconds per occurrence
AT_A_TIME = 16  # partitions between two signs of life


def noisy_records(method: DiffPart, data: Transactions, progress: Progress) -> Draft[NoisyRecords]:
    """Divide the records by a tree over the domain, and list what noisy counts leave."""
    source = opendp_source() if method.noise is None else method.noise.source()
    prepare(INTERPRETED * data.items.size)
    known = known_records(data, method.domain)
    rows, facts = _divided(method, known, source, progress)
    names = known.terms.to_pylist()
    bag = Bag.from_rows(([names[item] for item in items], count) for items, count in rows)
    facts |= {
        "noise": KIND if method.noise is None else f"{method.noise.kind}, for experiments",
        "terms": SEEN if method.domain == SEEN else "given",
        "domain": len(known.terms),
        "outside_terms": known.outside_terms,
        "outside_occurrences": known.outside_occurrences,
        "outside_records": known.outside_records,
    }
    return Draft(NoisyRecords(bag), part_of_record=None, private=facts)


def _divided(method: DiffPart, known: Known, source: Source, progress: Progress) -> tuple[list[Row], dict[str, Any]]:
    """Return the rows, and in numbers how they came about.

    Depth first: what waits are siblings along one path, which share no records, so they need little room.
    """
    if not len(known.terms):
        return [], {"partitions": 0, "pruned": 0, "least_spent": 0.0, "most_spent": 0.0}
    tree = Taxonomy(len(known.terms), method.fan_out)
    rules = Rules(tree, known, source, float(method.prune), float(method.keep))
    waiting, rows = [whole(rules, Account(method.epsilon))], list[Row]()
    done = pruned = 0
    spent: set[Fraction] = set()
    while waiting:
        division = divide(waiting.pop(), rules)
        waiting += division.partitions
        rows += division.rows
        pruned += division.subsets - len(division.partitions) - len(division.rows)
        if not division.partitions:  # here a path ends
            spent.add(division.account.spent)
        done += 1
        if done % AT_A_TIME == 0:
            progress("dividing", done, 0, f"{len(waiting):,} to go, {len(rows):,} rows")
    progress("dividing", done, done, f"{len(rows):,} rows")
    facts = {"least_spent": float(min(spent)), "most_spent": float(max(spent))}
    return rows, {"partitions": done, "pruned": pruned, **facts}
