"""The largest number of records of a joint cluster that can have an itemset, as an integer program."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from disjoin.verify.clusters.compatibility import Part


class Program:
    """All reconstructions of one tree: which part and which term-chunk term goes to which slot (record of a leaf)."""

    def __init__(self, parts: list[Part], slots: list[int], terms: dict[int, frozenset[int]]) -> None:
        self._rows: list[tuple[list[int], list[int], float, float]] = []  # columns, coefficients, least, most
        self._slots = slots
        self._holders: dict[tuple[int, int], list[int]] = {}  # (slot, term): the variables that bring it
        self._columns = 0
        self._place_parts(parts)
        self._place_terms(terms)
        filled: list[list[int]] = [[] for _ in slots]
        for (slot, _), columns in self._holders.items():
            filled[slot] += columns
        for columns in filled:  # no record is empty
            self._require(columns, least=1)

    def _place_parts(self, parts: list[Part]) -> None:
        once: dict[tuple[int, int], list[int]] = {}
        for part in parts:
            columns = []
            for slot, leaf in enumerate(self._slots):
                if leaf in part.leaves:
                    columns.append(self._new(slot, part.terms))
                    once.setdefault((part.chunk, slot), []).append(columns[-1])
            self._require(columns, least=part.count, most=part.count)
        for columns in once.values():  # at most one part of a chunk in a record
            self._require(columns, most=1)

    def _place_terms(self, terms: dict[int, frozenset[int]]) -> None:
        for leaf, chunk in terms.items():
            for term in sorted(chunk):
                mine = [slot for slot, owner in enumerate(self._slots) if owner == leaf]
                self._require([self._new(slot, [term]) for slot in mine], least=1)

    def _new(self, slot: int, terms: Iterable[int]) -> int:
        for term in terms:
            self._holders.setdefault((slot, term), []).append(self._columns)
        self._columns += 1
        return self._columns - 1

    def _require(self, columns: list[int], least: float = -np.inf, most: float = np.inf) -> None:
        columns = sorted(set(columns))
        self._rows.append((columns, [1] * len(columns), least, most))

    def most_with(self, wanted: frozenset[int]) -> int:
        """Return the largest number of slots that have all wanted terms; 0 if there is no reconstruction."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        hits = range(self._columns, self._columns + len(self._slots))
        rows = list(self._rows)
        for slot, hit in enumerate(hits):
            for term in sorted(wanted):
                holders = self._holders.get((slot, term), [])
                rows.append(([hit, *holders], [1] + [-1] * len(holders), -np.inf, 0))
        triples = [
            (r, c, v) for r, (columns, values, _, _) in enumerate(rows) for c, v in zip(columns, values, strict=True)
        ]
        row, column, value = np.array(triples, dtype=np.int32).reshape(-1, 3).T  # older solvers take no wider indices
        matrix = csr_array((value.astype(float), (row, column)), shape=(len(rows), hits.stop))
        objective = np.zeros(hits.stop)
        objective[hits.start :] = -1
        answer = milp(
            objective,
            integrality=np.ones(hits.stop),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, [r[2] for r in rows], [r[3] for r in rows]),
        )
        return round(-answer.fun) if answer.success else 0
