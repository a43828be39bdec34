"""One record per line: FIMI (terms between blanks) and basket files (terms between separators)."""

from __future__ import annotations

from disjoin.files.build_transactions import assemble
from disjoin.files.cells import Cells
from disjoin.files.options import Options
from disjoin.files.sources import Source
from disjoin.files.tokenizing import BLANK_SEPARATED, Bytes, TextLayout, delimited, number
from disjoin.files.tokens import EVERY_FIELD, EVERY_TOKEN
from disjoin.model import Intake, Transactions


def read_fimi(source: Source, options: Options) -> Transactions:
    """Read records of blank-separated terms."""
    return _read(source, source.text(), BLANK_SEPARATED, EVERY_TOKEN, "fimi", options)


def read_basket(source: Source, options: Options) -> Transactions:
    """Read records whose terms are the fields of a CSV or TSV line."""
    text, layout = delimited(source, options.separator_byte())
    return _read(source, text, layout, EVERY_FIELD, "basket", options)


def _read(source: Source, text: Bytes, layout: TextLayout, wanted: int, format: str, options: Options) -> Transactions:
    found = number(source, text, layout, wanted, takes_empty=options.takes_blanks)
    cells = Cells(found.terms, found.items, found.offsets)
    return assemble(cells, options, Intake(format, found.blank), source.error)
