"""Spreadsheets of Excel and OpenDocument, converted to CSV text, so that all rules for text files apply to sheets."""

from __future__ import annotations

import csv
import io
import mmap
import warnings
import zipfile
from collections.abc import Callable
from datetime import datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from disjoin.errors import DisjoinWarning, MissingExtra, Placeholder, Remedy, UnreadableInput
from disjoin.parquet.untrusted_child import most_unpacked
from disjoin.text import counted, listed, quoted

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

    from disjoin.readers.table_text import Fail

SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_ZIP, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MOST_EXACT = 10**15


def is_spreadsheet(data: mmap.mmap | bytearray, suffix: str) -> bool:
    if bytes(data[:8]) == _OLD:
        return True
    if bytes(data[:4]) != _ZIP or suffix in SUFFIXES:
        return bytes(data[:4]) == _ZIP
    try:
        names = {*zipfile.ZipFile(_file(data)).namelist()}
    except (zipfile.BadZipFile, OSError, ValueError):
        return False
    return "xl/workbook.xml" in names or "xl/workbook.bin" in names or {"content.xml", "mimetype"} <= names


def sheet_as_csv(data: mmap.mmap | bytearray, name: str, sheet: str | None, max_bytes: int) -> bytearray:
    """Return a sheet as CSV; raise unless it is named or the only one, and has no merged cells.

    Whole numbers have no `.0`, dates are ISO 8601. Errors and formulas without a value become empty cells; a warning
    gives their number.
    """
    from disjoin.readers.table_text import text_of  # late: it imports sources, which import this module

    _require_bounded(data, name, max_bytes)
    with _opened(data, name) as book:
        chosen = book.get_sheet_by_name(_chosen(book, name, sheet))
        if merged := chosen.merged_cell_ranges:
            message = (
                f"the sheet {quoted(chosen.name)} has merged cells in row {merged[0][0][0] + 1:,}, so the "
                "row of a value is unknown. Unmerge them and fill in what each row means."
            )
            raise UnreadableInput(message, source=name)
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        empty, has_begun = 0, False
        for number, row in enumerate(chosen.iter_rows(), start=1):
            fail = partial(UnreadableInput, source=name, line=number)
            cells = [_cell(value, fail, text_of) for value in row]
            writer.writerow(cells if any(cells) else [])
            has_begun |= any(cells)
            empty += cells.count("") if has_begun else 0  # an empty row may be one of formulas
    if empty:
        warnings.warn(
            f"{counted(empty, 'cell')} of the sheet {quoted(chosen.name)} are empty. Errors such as #N/A, and formulas "
            "whose values were never stored, also appear empty. If the sheet has such cells, save it again and check.",
            DisjoinWarning,
            stacklevel=2,
        )
    return bytearray(written.getvalue().encode())


def _file(data: mmap.mmap | bytearray) -> io.BytesIO:
    return io.BytesIO(bytes(data))


def _require_bounded(data: mmap.mmap | bytearray, name: str, max_bytes: int) -> None:
    """Raise if a packed workbook states a larger unpacked size than its own size allows."""
    if bytes(data[:4]) != _ZIP:
        return
    limit = min(max_bytes, most_unpacked(len(data)))
    try:
        size = sum(part.file_size for part in zipfile.ZipFile(_file(data)).infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
        raise _damaged(name) from None
    if size > limit:
        message = f"the workbook unpacks to {size:,} bytes, but the limit is {limit:,}. Export the sheet as CSV."
        raise UnreadableInput(message, source=name)


def _opened(data: mmap.mmap | bytearray, name: str) -> CalamineWorkbook:
    try:
        from python_calamine import CalamineError, CalamineWorkbook, PasswordError
    except ImportError:
        needed = "reading spreadsheets needs python-calamine, which is not installed: pip install 'disjoin[sheets]'"
        raise MissingExtra(f"{needed}, or export the sheet as CSV.") from None
    try:
        return CalamineWorkbook.from_filelike(_file(data))
    except PasswordError:
        message = "the workbook has a password. Save it without one, or export the sheet as CSV."
        raise UnreadableInput(message, source=name) from None
    except CalamineError:
        raise _damaged(name) from None


def _damaged(name: str) -> UnreadableInput:
    message = "expected a whole workbook, found one that is damaged. Copy or download it again, or export it as CSV."
    return UnreadableInput(message, source=name)


def _chosen(book: CalamineWorkbook, name: str, wanted: str | None) -> str:
    names = book.sheet_names
    if wanted is None and len(names) != 1:
        message = f"expected one sheet, found {len(names):,}: {listed(names)}."
        raise UnreadableInput(message, source=name, remedies=[Remedy("sheet", Placeholder("NAME"), "name the sheet")])
    if wanted is not None and wanted not in names:
        message = f"expected a sheet {quoted(wanted)}, found none. The sheets are: {listed(names)}."
        raise UnreadableInput(message, source=name)
    return names[0] if wanted is None else wanted


def _cell(value: Any, fail: Fail, text_of: Callable[[str, Any, Fail], str]) -> str:
    """Return a cell as text; numbers of more than 15 digits are refused, because spreadsheets do not store these."""
    if isinstance(value, str):
        return value.replace("\r\n", "\n").replace("\0", "")
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) >= _MOST_EXACT:
        raise fail("a number has more than 15 digits, but spreadsheets store 15. Store such a column as text.")
    if isinstance(value, datetime) and value.time() == time(0):
        value = value.date()
    if isinstance(value, timedelta):
        return str(value)
    return text_of("a sheet", value, fail)
