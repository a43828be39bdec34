"""Slow, obvious twins of the readers, and writers that make files for them; standard library only."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from typing import NamedTuple

BLANKS = " \t\r"


class Records(NamedTuple):
    """Terms of each record in source order and without repeats, and what was dropped."""

    rows: list[list[str]]
    blank: int
    repeated: int


class EmptyTermError(Exception):
    """A field without a term."""


def collected(rows: Iterable[list[str]]) -> Records:
    kept, blank, repeated = [], 0, 0
    for row in rows:
        distinct = list(dict.fromkeys(row))
        repeated += len(row) - len(distinct)
        blank += not row
        if row:
            kept.append(distinct)
    return Records(kept, blank, repeated)


def lines_of(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def fimi(text: str) -> Records:
    return collected([word for word in re.split(f"[{BLANKS}]", line) if word] for line in lines_of(text))


def plain_basket(text: str, separator: str = ",") -> Records:
    """Split a file without quotes; raise for an empty field."""
    blanks = BLANKS.replace(separator, "")
    rows = []
    for line in lines_of(text):
        fields = [field.strip(blanks) for field in line.split(separator)]
        if fields == [""]:
            rows.append([])
        elif "" in fields:
            raise EmptyTermError
        else:
            rows.append(fields)
    return collected(rows)


def long_table(pairs: Iterable[tuple[str, str]]) -> Records:
    rows: dict[str, list[str]] = {}
    for record, term in pairs:
        rows.setdefault(record, []).append(term)
    return collected(rows.values())


def write_fimi(rows: list[list[str]]) -> bytes:
    return "".join(" ".join(row) + "\n" for row in rows).encode()


def write_basket(rows: list[list[str]]) -> bytes:
    """Quote everything, so that blanks, separators, quotes and line ends are part of the terms."""
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def write_long(rows: list[list[str]]) -> bytes:
    """Spread the rows of a record over the file: first terms first, then second terms, and so on."""
    pairs = [(place, number, term) for number, row in enumerate(rows) for place, term in enumerate(row)]
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([("record", "term"), *((f"r{number}", term) for _, number, term in sorted(pairs))])
    return text.getvalue().encode()


def write_spmf(rows: list[list[str]]) -> bytes:
    numbers = {term: str(number) for number, term in enumerate(dict.fromkeys(t for row in rows for t in row))}
    header = ["@CONVERTED_FROM_TEXT", *(f"@ITEM={number}={term}" for term, number in numbers.items())]
    body = [" ".join(f"{numbers[term]} -1" for term in row) + " -2" for row in rows]
    return "".join(line + "\n" for line in header + body).encode()


def write_jsonl(rows: list[list[str]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def write_jsonl_objects(rows: list[list[str]]) -> bytes:
    return "".join(json.dumps({"id": n, "terms": row}) + "\n" for n, row in enumerate(rows)).encode()


def cells(rows: Iterable[tuple[str, list[str]]], way: str, words: set[str]) -> tuple[Records, int]:
    """Take the parts of cells, with blanks left out (`skip`) or named (`term`); return the records, and how many."""
    found: dict[str, list[str]] = {}
    blanks = 0
    for record, parts in rows:
        row = found.setdefault(record, [])
        for part in (part.strip() for part in parts):
            is_blank = part == "" or part.lower() in words
            blanks += is_blank
            if not is_blank or way == "term":
                row.append("(blank)" if is_blank else part)
    return collected(found.values()), blanks
