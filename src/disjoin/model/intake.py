"""What a reader noticed on the way in."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class SharedRecords:
    """People who have several records each, by a column beside the record id; `accepted` if the caller knows."""

    column: str
    people: int
    records: int
    accepted: bool = False


@dataclass(frozen=True, slots=True)
class Intake:
    """What a reader noticed on the way in; for the data steward, never for a release."""

    format: str = "memory"
    blank_records: int = 0
    repeated_terms: int = 0
    skipped_blanks: int = 0  # cells
    named_blanks: int = 0  # cells, which became the term (blank)
    rows: int = 0  # of a long table
    id_column: str = ""  # of a long table
    is_per_person: bool = False  # whether the id column has the name of one that numbers people
    rows_without_id: int = 0  # left out
    merged_ids: int = 0  # ids that were another spelling of one that was there
    blank_like_ids: tuple[tuple[str, int], ...] = ()  # ids such as NULL, with their rows
    shared: SharedRecords | None = None
    ids: pa.Array | None = field(default=None, repr=False, compare=False)  # of a long table, for the steward's ledger
