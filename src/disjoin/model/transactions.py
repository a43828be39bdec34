"""Transactions: set-valued records such as baskets, visits, clicks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.errors import InvalidParameter, UnreadableInput, kind_of, require_installed, require_kind
from disjoin.model.card import NO_VALUES, card
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.ragged import Ints32, Ints64, Ragged, counts_of, frozen, offsets_of, strings
from disjoin.text import is_utf8

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class SharedRecords:
    """People with several records each, by a column next to the record id; `accepted` if the caller knows."""

    column: str
    people: int
    records: int
    accepted: bool = False


@dataclass(frozen=True, slots=True)
class Intake:
    """A reader's notes; for the data owner, never for a release."""

    format: str = "memory"
    blank_records: int = 0
    repeated_terms: int = 0
    skipped_blanks: int = 0  # cells
    named_blanks: int = 0  # cells, which became the term (blank)
    rows: int = 0  # of a long table
    id_column: str = ""  # of a long table
    term_column: str = ""  # of a long table
    is_per_person: bool = False  # whether the header of the id column names people
    is_guessed: bool = False  # whether the columns of ids and terms were guessed, not named
    describing: tuple[str, ...] = ()  # columns that are constant in a record, and are left out
    terms_identify: str = ""  # why the terms seem to identify people or events; empty if they do not
    terms_role: str = ""  # the data owner's choice that overrides this
    rows_without_id: int = 0  # rows left out
    merged_ids: int = 0  # ids that were another spelling of an earlier one
    blank_like_ids: tuple[tuple[str, int], ...] = ()  # ids such as NULL, with their rows
    shared: SharedRecords | None = None
    kept: tuple[str, ...] = ()  # columns that became terms, and how
    ids: pa.Array | None = field(default=None, repr=False, compare=False)  # of a long table, for the ledger


@dataclass(frozen=True, slots=True, eq=False)
class Transactions:
    """Records as sets of terms, in compressed sparse rows.

    `items[offsets[i]:offsets[i + 1]]` are the terms of record `i`, ascending and without repeats. An item is the
    position of its term in `vocabulary`, which is in code-point order. No record is empty. `written` has the items of
    each record in the order of the source, if requested, for the tie rule `first`. `hierarchy` has categories of terms.

    >>> data = Transactions.from_sets([{"tea"}, {"tea", "milk"}])
    >>> len(data), data.vocabulary.to_pylist(), data[1].tolist()
    (2, ['milk', 'tea'], [0, 1])
    """

    offsets: Ints64  # (n + 1,)
    items: Ints32  # (occurrences,)
    vocabulary: pa.StringArray  # (terms,)
    sensitive: NDArray[np.bool_] | None = None  # (terms,)
    written: Ints32 | None = None  # (occurrences,)
    intake: Intake = Intake()
    hierarchy: Hierarchy | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "vocabulary", strings(self.vocabulary))
        kinds = {"offsets": np.int64, "items": np.int32, "sensitive": np.bool_, "written": np.int32}
        for name, kind in kinds.items():
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen(getattr(self, name), kind))

    @classmethod
    def from_sets(cls, records: Iterable[Iterable[str | int]], *, keep_order: bool = False) -> Transactions:
        """Encode Python collections of terms; empty ones are dropped and counted."""
        require_kind(
            records, Iterable, "a collection of records", "Give a list of sets, or read them with disjoin.read."
        )
        rows: list[list[str]] = []
        blank = repeated = 0
        for number, record in enumerate(records):
            if not isinstance(record, Iterable):
                raise InvalidParameter(f"record {number} must be a collection of terms, found {kind_of(record)}.")
            terms = [_term(term, number) for term in record]
            row = list(dict.fromkeys(terms))
            repeated += len(terms) - len(row)
            blank += not row
            if row:
                rows.append(row)
        vocabulary = sorted({term for row in rows for term in row})
        rank = {term: position for position, term in enumerate(vocabulary)}
        return cls(
            offsets=offsets_of([len(row) for row in rows]),
            items=np.array([item for row in rows for item in sorted(rank[term] for term in row)], dtype=np.int32),
            vocabulary=pa.array(vocabulary, pa.string()),
            written=np.array([rank[term] for row in rows for term in row], np.int32) if keep_order else None,
            intake=Intake("memory", blank, repeated),
        )

    def __repr__(self) -> str:
        return f"Transactions({len(self):,} records, {self.n_terms:,} terms)"  # never the data: it may be logged

    def _repr_html_(self) -> str:
        numbers = {"records": len(self), "terms": self.n_terms, "term occurrences": self.items.size}
        numbers["largest record"] = self.records.longest
        return card("Transactions", NO_VALUES, [(name, f"{number:,}") for name, number in numbers.items()])

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __getitem__(self, record: int) -> Ints32:
        return self.records[record]

    def __iter__(self) -> Iterator[Ints32]:
        records = self.records
        return (records[record] for record in range(len(self)))

    @property
    def records(self) -> Ragged:
        return Ragged(self.offsets, self.items)

    @property
    def n_terms(self) -> int:
        return len(self.vocabulary)

    def to_sets(self) -> list[frozenset[str]]:
        """Return the records as sets of strings (for small data and tests)."""
        names = self.vocabulary.to_pylist()
        return [frozenset(names[item] for item in record) for record in self]

    def to_arrow(self) -> pa.Table:
        """Return the records as a table with one column, `terms` (sorted lists of strings), which `disjoin.read` reads.

        >>> Transactions.from_sets([{"tea"}, {"tea", "milk"}]).to_arrow()["terms"].to_pylist()
        [['tea'], ['milk', 'tea']]
        """
        # Large types: many records together may have more than 2 GB of text.
        terms = self.vocabulary.cast(pa.large_string()).take(pa.array(self.items))
        return pa.table({"terms": pa.LargeListArray.from_arrays(pa.array(self.offsets), terms)})

    def to_pandas(self) -> Any:  # pandas has no types of its own
        """Return a pandas frame with one list of terms per record, in the column `terms`."""
        require_installed("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return a polars frame with one list of terms per record, in the column `terms`."""
        found: pl.DataFrame = require_installed("polars").from_arrow(self.to_arrow())
        return found

    def to_matrix(self) -> Any:  # scipy has no types of its own
        """Return a sparse matrix of zeros and ones: a row per record, a column per term of `vocabulary`.

        >>> Transactions.from_sets([{"tea"}, {"tea", "milk"}]).to_matrix().toarray().tolist()
        [[0, 1], [1, 1]]
        """
        from scipy import sparse

        ones = np.ones(self.items.size, dtype=np.int8)
        return sparse.csr_array((ones, self.items, self.offsets), shape=(len(self), self.n_terms))

    def supports(self) -> Ints64:
        """Count, for every term, the records that contain it.

        >>> Transactions.from_sets([{"tea"}, {"tea", "milk"}]).supports().tolist()
        [1, 2]
        """
        return counts_of(self.items, self.n_terms)

    def sensitive_terms(self) -> tuple[str, ...]:
        if self.sensitive is None:
            return ()
        return tuple(self.vocabulary[int(term)].as_py() for term in np.flatnonzero(self.sensitive))

    def with_sensitive(self, terms: Iterable[str]) -> Transactions:
        """Return the same records with these terms marked sensitive; terms that do not occur are ignored."""
        require_kind(terms, Iterable, "a list of terms")
        wanted = [*terms]
        for term in wanted:
            require_kind(term, str, "terms that are strings")
        known = {*wanted}
        marks = np.fromiter((term in known for term in self.vocabulary.to_pylist()), np.bool_, self.n_terms)
        return replace(self, sensitive=marks)

    def with_hierarchy(self, hierarchy: Hierarchy | None) -> Transactions:
        """Return the same records with the categories of their terms."""
        require_kind(hierarchy, (Hierarchy, type(None)), "a Hierarchy of terms")
        return replace(self, hierarchy=hierarchy)

    def without(self, terms: Iterable[str]) -> Transactions:
        """Return the records without these terms; records without other terms are left out, and counted as blank.

        >>> Transactions.from_sets([{"tea", "card 471"}, {"card 471"}]).without(["card 471"]).to_sets()
        [frozenset({'tea'})]
        """
        unwanted, names = set(terms), self.vocabulary.to_pylist()
        if lost := unwanted.difference(names):
            many = "1 term" if len(lost) == 1 else f"{len(lost):,} terms"
            raise InvalidParameter(f"{many} to leave out do not occur in the data. Check the spelling.")
        is_kept = np.fromiter((name not in unwanted for name in names), np.bool_, len(names))
        numbers = (np.cumsum(is_kept) - 1).astype(np.int32)
        here = is_kept[self.items]
        lengths = np.bincount(self.records.owners()[here], minlength=len(self)).astype(np.int64)
        rows = np.flatnonzero(lengths)
        ids = self.intake.ids
        return replace(
            self,
            offsets=offsets_of(lengths[rows]),
            items=numbers[self.items[here]],
            vocabulary=self.vocabulary.filter(pa.array(is_kept)),
            sensitive=None if self.sensitive is None else self.sensitive[is_kept],
            written=None if self.written is None else numbers[self.written[is_kept[self.written]]],
            intake=replace(
                self.intake,
                blank_records=self.intake.blank_records + len(self) - rows.size,
                ids=ids.take(pa.array(rows)) if ids is not None and len(ids) == len(self) else ids,
            ),
        )


def _term(term: object, record: int) -> str:
    if isinstance(term, (int, np.integer)) and not isinstance(term, bool):
        return str(term)
    if not isinstance(term, str):
        raise InvalidParameter(f"record {record}: a term must be a string, found {kind_of(term)}; convert it first.")
    if not term:
        raise UnreadableInput(f"record {record} contains an empty term; remove it or give it a name.")
    if not is_utf8(term):
        raise UnreadableInput(f"record {record} contains a term that is not valid Unicode text; correct it.")
    return term
