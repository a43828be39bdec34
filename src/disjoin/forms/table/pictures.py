"""Drawings of a generalised table for `disjoin show`."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.arrays.row_classes import counted_keys, numbered, row_keys
from disjoin.charts.text_drawing import TextColumn, coloured, draw_titled
from disjoin.forms.form import MANY, Show, largest_share, outside
from disjoin.model.generalized import Generalized
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of
from disjoin.model.spelling import first_alike, folded_value
from disjoin.model.table import Role, Table
from disjoin.text import counted, printable

if TYPE_CHECKING:
    from rich.console import Console


# The classes of a published table, and how certain each makes the sensitive values of its rows.


@dataclass(frozen=True, slots=True, eq=False)
class TableClasses:
    """Classes numbered by their values, column by column in the order of the table; in a class, rows in their order."""

    table: Table
    quasi: tuple[str, ...]
    class_of_row: Ints64  # (rows,)
    sizes: Ints64  # (classes,)
    rows: Ints64  # (rows,), class by class
    offsets: Ints64  # (classes + 1,), into `rows`

    def __len__(self) -> int:
        return int(self.sizes.size)

    @property
    def others(self) -> tuple[str, ...]:
        return tuple(name for name in self.table.schema.names if name not in self.quasi)

    def rows_of(self, number: int) -> Ints64:
        return self.rows[self.offsets[number] : self.offsets[number + 1]]

    def values_of(self, number: int) -> dict[str, str]:
        row = int(self.rows[self.offsets[number]])
        return {name: self.table.values_of(name)[int(self.table.codes_of(name)[row])].as_py() for name in self.quasi}


def classes_of(published: Generalized) -> TableClasses:
    """Return the classes of a table; without quasi-identifiers all rows are one class.

    >>> from disjoin.model.table import Role
    >>> table = Table.from_columns({"sex": ["m", "f", "m"]}, {"sex": Role.QUASI_IDENTIFIER})
    >>> classes_of(Generalized(table)).sizes.tolist()
    [1, 2]
    """
    table, quasi = published.table, published.quasi
    classes, number = numbered(*row_keys(*_codes(table, quasi)))
    sizes = np.bincount(classes, minlength=number)
    return TableClasses(table, quasi, classes, sizes, np.argsort(classes, kind="stable"), offsets_of(sizes))


def different_rows(classes: TableClasses, number: int) -> tuple[Ints64, Ints64]:
    """Return a row for each combination of other values that a class has, by these values, and how often it occurs."""
    rows = classes.rows_of(number)
    codes, bounds = _codes(classes.table, classes.others)
    keys, _ = row_keys([column[rows] for column in codes], bounds)
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return rows[first], counts


def _codes(table: Table, names: tuple[str, ...]) -> tuple[list[Ints32], list[int]]:
    """Return the codes of the columns, and bounds above them; one column of zeros where no column is named."""
    if not names:
        return [np.zeros(len(table), dtype=np.int32)], [1]
    return [table.codes_of(name) for name in names], [len(table.values_of(name)) for name in names]


WORST = 10  # values of a column with the largest shares
_CLOSE = 1e-9  # entropies that floats may put in the wrong order
_DIGITS, _TINY = 50, Decimal("1e-30")
_PLACES = Decimal("0.0001")

Shape = tuple[tuple[int, int], ...]  # (count, how many values have it)


class Entries(NamedTuple):
    """For every value in every class: the class, the value, and how many rows of the class have it."""

    classes: Ints64  # ascending
    values: Ints64
    counts: Ints64


def sensitive_facts(classes: TableClasses, name: str) -> dict[str, Any]:
    entries = entries_of(classes, name)
    starts = np.flatnonzero(np.diff(entries.classes, prepend=-1))
    different = np.diff(np.append(starts, entries.classes.size))
    most = np.maximum.reduceat(entries.counts, starts)
    count, size = largest_share(most, classes.sizes)
    alike = classes.sizes[different == 1]
    return {
        "column": name,
        "values": int(np.unique(entries.values).size),
        "largest_share": share(count, size),
        "least_values": int(different.min()),
        "least_effective_values": least_effective_values(classes.sizes, entries, starts),
        "alike": {"classes": alike.size, "rows": int(alike.sum())},
        "guessed": {"by_class": int(most.sum()), "by_table": int(np.bincount(entries.values, entries.counts).max())},
        "worst": worst_values(classes, name, entries),
    }


def entries_of(classes: TableClasses, name: str) -> Entries:
    """Return how often every value of a column occurs in every class; spellings of a value are the first of them."""
    words = first_alike(classes.table.values_of(name).to_pylist(), folded_value)[classes.table.codes_of(name)]
    bound = max(1, len(classes.table.values_of(name)))
    keys = classes.class_of_row * bound + words
    both, counts = counted_keys(keys, len(classes) * bound)
    return Entries(both // bound, both % bound, counts)


def share(count: int, size: int) -> dict[str, Any]:
    """Return a share of a class, exactly and to four places.

    >>> share(2, 6)
    {'count': 2, 'size': 6, 'exact': '1/3', 'rounded': 0.3333}
    """
    return {"count": count, "size": size, "exact": str(Fraction(count, size)), "rounded": round(count / size, 4)}


def worst_values(classes: TableClasses, name: str, entries: Entries) -> list[dict[str, Any]]:
    """Return the values with the largest shares of a class, each with its rows and the smallest such class."""
    sizes, counts = classes.sizes[entries.classes], entries.counts
    order = np.lexsort((sizes, -counts / sizes, entries.values))
    starts = np.flatnonzero(np.diff(entries.values[order], prepend=-1))
    rows, first = np.add.reduceat(counts[order], starts), order[starts]
    ranked = np.lexsort((entries.values[first], -rows, -counts[first] / sizes[first]))[:WORST]
    words = classes.table.values_of(name)
    return [
        {
            "value": words[int(entries.values[first[at]])].as_py(),
            "rows": int(rows[at]),
            "largest_share": share(int(counts[first[at]]), int(sizes[first[at]])),
        }
        for at in ranked
    ]


def least_effective_values(sizes: Ints64, entries: Entries, starts: Ints64) -> float:
    """Return the least exp(entropy) of a class, rounded down to four places; fifty digits make it exact everywhere."""
    counts = entries.counts[np.lexsort((entries.counts, entries.classes))]
    entropies = np.log(sizes) - np.add.reduceat(counts * np.log(counts), starts) / sizes
    least = np.flatnonzero(entropies <= entropies.min() + _CLOSE)
    ends = np.append(starts[1:], counts.size)
    different = {counts[a:b].tobytes() for a, b in zip(starts[least].tolist(), ends[least].tolist(), strict=True)}
    return min(_effective_values(shape) for shape in {_shape(np.frombuffer(found, np.int64)) for found in different})


def _shape(counts: Ints64) -> Shape:
    """Return how often each count occurs; the entropy is that of the shares, so the counts are made small."""
    distinct, times = np.unique(counts // np.gcd.reduce(counts), return_counts=True)
    return tuple(zip(distinct.tolist(), times.tolist(), strict=True))


def _effective_values(shape: Shape) -> float:
    """Return exp(entropy), rounded down, of `times` values with `count` rows each, for (count, times) in the shape.

    >>> _effective_values(((1, 1), (2, 1))), _effective_values(((1, 3),))
    (1.8898, 3.0)
    """
    with localcontext(Context(prec=_DIGITS)):
        size = Decimal(sum(count * times for count, times in shape))
        logs = sum((count * times * Decimal(count).ln() for count, times in shape), Decimal(0))
        exact = (size.ln() - logs / size).exp() + _TINY  # three equal values are 3, not a little less
        return float(exact.quantize(_PLACES, rounding=ROUND_FLOOR))


FEW = 10  # different rows, if all of them are not asked for
COLUMNS = 24  # of either kind: more than a reader compares


@dataclass(frozen=True, slots=True)
class ClassPicture:
    """A class: how many rows it has, what they share, and the first of its different rows with their counts."""

    number: int
    size: int
    shared: tuple[tuple[str, str], ...]  # quasi-identifier and value
    columns: tuple[str, ...]  # the others
    sensitive: tuple[bool, ...]  # whether each of them is
    rows: tuple[tuple[tuple[str, ...], int], ...]  # values and count
    more_rows: int = 0  # different ones
    more_columns: int = 0  # of both kinds

    @property
    def title(self) -> str:
        return f"class {self.number}: {counted(self.size, 'row')}"


def picture_of(classes: TableClasses, number: int, rows: int = FEW) -> ClassPicture:
    others = classes.others
    shown, more = others[:COLUMNS], max(0, len(others) - COLUMNS) + max(0, len(classes.quasi) - COLUMNS)
    firsts, counts = different_rows(classes, number) if others else (np.zeros(0, np.int64), np.zeros(0, np.int64))
    values = _columns(classes.table, shown, firsts[:rows])
    secret = classes.table.schema.with_role(Role.SENSITIVE)
    return ClassPicture(
        number=number,
        size=int(classes.sizes[number]),
        shared=tuple(classes.values_of(number).items())[:COLUMNS],
        columns=shown,
        sensitive=tuple(name in secret for name in shown),
        rows=tuple(zip(zip(*values, strict=True), counts[:rows].tolist(), strict=True)),
        more_rows=max(0, firsts.size - rows),
        more_columns=more,
    )


def _columns(table: Table, names: tuple[str, ...], rows: Ints64) -> list[list[str]]:
    return [table.values_of(name).take(pa.array(table.codes_of(name)[rows])).to_pylist() for name in names]


def typical_class(classes: TableClasses) -> int:
    usual = int(np.sort(classes.sizes)[len(classes) // 2])
    odd = 60 * (abs(classes.sizes - usual) > usual // 2) + 4 * np.minimum(outside(classes.sizes, 4, 10), 20)
    changed = sum((_generalised(classes, name).astype(np.int64) for name in classes.quasi), np.zeros_like(odd))
    odd += 40 * (changed == 0) + 20 * (changed == len(classes.quasi)) + 3 * outside(changed, 1, 3)
    telling = next(iter((*classes.table.schema.with_role(Role.SENSITIVE), *classes.others)), None)
    if telling is not None:
        different = np.bincount(entries_of(classes, telling).classes, minlength=len(classes))
        odd += 8 * np.minimum(outside(different, 2, 6), 20)
    return int(np.argmin(odd))


def _generalised(classes: TableClasses, name: str) -> Flags:
    """Return for every class whether its value of a quasi-identifier stands for several; any text is accepted."""
    table, tree = classes.table, classes.table.hierarchies.get(name)
    leaves = set() if tree is None else set(tree.names.slice(0, tree.n_leaves).to_pylist())
    values = table.values_of(name).to_pylist()
    several = np.array([v[:1] in ("[", "*") if tree is None else v not in leaves for v in values], dtype=np.bool_)
    return several[table.codes_of(name)[classes.rows[classes.offsets[:-1]]]]


def draw_class(classes: TableClasses, number: int, width: int = 80, rows: int = FEW) -> str:
    """Draw a class in `width` columns (40 at least) with up to `rows` different rows; values of a row go together."""
    picture = picture_of(classes, number, rows)
    shared = tuple(TextColumn(printable(name), (((value,), None),)) for name, value in picture.shared)
    counts = [TextColumn("rows", tuple((("",), count) for _, count in picture.rows))] if picture.columns else []
    others = [
        TextColumn(printable(name), tuple(((values[place],), None) for values, _ in picture.rows))
        for place, name in enumerate(picture.columns)
    ]
    more = ((picture.more_rows, ""), (picture.more_columns, " columns"))
    notes = [f"… and {left:,} more{what}" for left, what in more if left]
    return draw_titled(picture.title, [shared, (*counts, *others)], width, notes)


def as_json(classes: TableClasses, number: int) -> dict[str, Any]:
    names = classes.others
    facts = {"class": number, "size": int(classes.sizes[number]), "values": classes.values_of(number)}
    if not names:
        return facts | {"rows": [{"values": {}, "count": facts["size"]}]}
    rows, counts = different_rows(classes, number)
    values = (dict(zip(names, row, strict=True)) for row in zip(*_columns(classes.table, names, rows), strict=True))
    return facts | {"rows": [{"values": row, "count": n} for row, n in zip(values, counts.tolist(), strict=True)]}


def draw(console: Console, classes: TableClasses, numbers: list[int], *, full: bool) -> None:
    for number in numbers:
        console.print(coloured(draw_class(classes, number, console.width, MANY if full else FEW)))
    if full and (classes.sizes[numbers[0]] > MANY or len(classes.table.schema.names) > COLUMNS):
        console.print("Not all rows and columns are drawn; the JSON output has all of them.")


def find(classes: TableClasses, value: str) -> list[int]:
    is_found = np.zeros(len(classes), np.bool_)
    for name in classes.table.schema.names:
        code = classes.table.values_of(name).index(value).as_py()
        is_found[classes.class_of_row[classes.table.codes_of(name) == code]] = True
    found: list[int] = np.flatnonzero(is_found).tolist()
    return found


SHOW = Show(
    typical=lambda classes: [typical_class(classes)] if len(classes) else [],
    as_json=as_json,
    draw=draw,
    opened=classes_of,
    line=lambda classes, number: {"size": int(classes.sizes[number])},
    picture=picture_of,
    find=find,
)
