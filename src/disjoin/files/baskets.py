"""One record per line: FIMI (terms between blanks), basket files (terms between separators) and SPMF."""

from __future__ import annotations

from disjoin.files.build_transactions import Cells, RowBuilder, assemble
from disjoin.files.options import Options
from disjoin.files.sources import Source
from disjoin.files.tokens import BLANK_SEPARATED, EVERY_FIELD, EVERY_TOKEN, Bytes, TextLayout, delimited, number
from disjoin.files.wording import quoted
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


_ITEMSET_END, _RECORD_END = "-1", "-2"
_ITEM = "@ITEM="


def read_spmf(source: Source, options: Options) -> Transactions:
    """Read SPMF sequences (the itemsets of one are joined) or SPMF transactions (without -1 and -2)."""
    rows = RowBuilder()
    names: dict[str, str] = {}
    is_sequence = False
    for line, text in source.lines():
        if "\0" in text:
            raise source.binary(line)
        text = text.strip(" \t\r")
        if text.startswith(_ITEM):
            item, name = _named(source, text, line)
            names[item] = name
        elif not text.startswith(("@", "#", "%")):
            tokens = [token for token in text.replace("\t", " ").replace("\r", " ").split(" ") if token]
            is_sequence = is_sequence or _RECORD_END in tokens
            _require_end(source, tokens, is_sequence, line)
            _add(rows, tokens)
    terms = [names.get(item, item) for item in rows.codes]
    _require_distinct(source, list(rows.codes), terms)
    return rows.finish(options, source.error, format="spmf", names=terms)


def _add(rows: RowBuilder, tokens: list[str]) -> None:
    """Add the records of one line: usually one, but -2 decides."""
    items = [token for token in tokens if token != _ITEMSET_END]
    first = 0
    for _ in range(items.count(_RECORD_END)):
        end = items.index(_RECORD_END, first)
        rows.add(items[first:end])
        first = end + 1
    if first < len(items) or not tokens:
        rows.add(items[first:])


def _named(source: Source, text: str, line: int) -> tuple[str, str]:
    item, equals, name = text.removeprefix(_ITEM).partition("=")
    if not (equals and item.strip() and name.strip(" \t")):
        raise source.error("expected @ITEM=number=name, found less. Give the item a number and a name.", line)
    return item.strip(), name.strip(" \t")


def _require_end(source: Source, tokens: list[str], is_sequence: bool, line: int) -> None:
    if tokens and tokens[-1] != _RECORD_END and (is_sequence or _ITEMSET_END in tokens):
        raise source.error("expected -2 at the end of the record, found something else. Was the file cut short?", line)


def _require_distinct(source: Source, items: list[str], terms: list[str]) -> None:
    owners: dict[str, str] = {}
    for item, term in zip(items, terms, strict=True):
        if term in owners:
            both = f"{quoted(owners[term])} and {quoted(item)}"
            raise source.error(f"the items {both} have the same name. Give them different names.")
        owners[term] = item
