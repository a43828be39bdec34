"""make defaults: term and pair mass kept for cluster sizes and strategies, as the tables of docs/decisions/0002."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from disjoin.engine import Local
from disjoin.measure import exact_pair_mass, exact_term_mass
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import STRATEGY_NAMES
from disjoin.model import Transactions
from disjoin.readers.read import read

DATA = Path(os.environ.get("DISJOIN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
NAMES = ("wv1", "wv2", "retail", "online-retail", "groceries", "mushroom", "t10i4d100k")
SIZES = (4, 10, 20, 40, 100)


def masses(data: Transactions, method: Disassociation) -> str:
    published = replace(method, refine=False).publish(data, Local()).published
    return f"{exact_term_mass(published, data):.3f} / {exact_pair_mass(published, data):.4f}"


def table(title: str, columns: list[str], rows: dict[str, list[str]]) -> None:
    print(f"\n{title}\n\n| data | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    data = {name: read(DATA / f"{name}.dat.gz") for name in NAMES}
    for k in (2, 5, 25):
        rows = {
            name: [masses(records, Disassociation(k=k, m=2, max_cluster_size=size * k)) for size in SIZES]
            for name, records in data.items()
        }
        table(f"Term / pair mass kept, k = {k}, m = 2, by max_cluster_size / k", [f"{s} k" for s in SIZES], rows)
    rows = {
        name: [masses(records, Disassociation(k=5, m=2, strategy=strategy)) for strategy in STRATEGY_NAMES]
        for name, records in data.items()
    }
    table("Term / pair mass kept, k = 5, m = 2, max_cluster_size = 100, by strategy", list(STRATEGY_NAMES), rows)


if __name__ == "__main__":
    main()
