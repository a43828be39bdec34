"""Doors to disk: the readers of records, and the writer and reader of releases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Reader:
    """Facts about a format, and where its code is; nothing heavy is imported before it is needed."""

    meaning: str
    options: tuple[str, ...]
    place: str  # "module:function", inside this room

    def load(self) -> Callable[..., Any]:
        """Import and return the function that reads the format."""
        module, _, function = self.place.partition(":")
        reader: Callable[..., Any] = getattr(import_module(f"{__name__}.{module}"), function)
        return reader


READERS: dict[str, Reader] = {
    "fimi": Reader("one record per line, terms between blanks", (), "baskets:read_fimi"),
    "basket": Reader(
        "CSV or TSV, one record per line, one term per field, quotes allowed", ("separator",), "baskets:read_basket"
    ),
    "long": Reader(
        "CSV, TSV or Parquet with a header, one (record id, term) pair per row",
        ("id_column", "term_column", "separator", "similar_ids", "per_record"),
        "tables:read_long",
    ),
    "spmf": Reader(
        "SPMF sequences: -1 ends an itemset, -2 a record, @ITEM lines name the items", (), "baskets:read_spmf"
    ),
    "jsonl": Reader(
        "JSON Lines: one array per line, or an object with an array member", ("field",), "jsonl:read_jsonl"
    ),
    "parquet": Reader(
        "Parquet with a list column, one record per row", ("field", "term_column"), "columns:read_parquet"
    ),
    "arrow": Reader(
        "Arrow IPC (Feather) with a list column, one record per row", ("field", "term_column"), "columns:read_arrow"
    ),
}
