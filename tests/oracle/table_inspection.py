"""The invariants T1-T7, U1-U3 and X1 word by word on rows as dicts (sections D.4, D.7, D.8). Standard library only."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

from oracle.closeness import equal_distance, largest_gain, recursive_ratio

Row = dict[str, str]
Paths = dict[str, list[tuple[str, ...]]]  # by column: from each leaf to the root


@dataclass
class Sheet:
    """Rows, what their columns are to an attacker, and the hierarchies."""

    rows: list[Row]
    roles: dict[str, str]  # by column, in order: quasi-identifier, sensitive, identifier or other
    paths: Paths = field(default_factory=dict)

    def having(self, role: str) -> list[str]:
        return [name for name, found in self.roles.items() if found == role]


# ------------------------------------------------------------------ T1-T7


def violated(sheet: Sheet, guarantee: Any) -> set[str]:
    """Return the names of the invariants that do not hold."""
    if not sheet.rows:
        return {"T1"}
    holds = {"T1": is_well_formed(sheet, guarantee), "T2": is_readable(sheet), "T7": is_ascending(sheet)}
    if {*guarantee.quasi, *guarantee.sensitive} <= set(sheet.roles):
        holds |= keeps(sheet.rows, guarantee)
    return {name for name, held in holds.items() if not held}


def is_well_formed(sheet: Sheet, guarantee: Any) -> bool:
    return (
        set(sheet.having("quasi-identifier")) == set(guarantee.quasi)
        and set(sheet.having("sensitive")) == set(guarantee.sensitive)
        and not sheet.having("identifier")
        and all(value for row in sheet.rows for value in row.values())
    )


def is_readable(sheet: Sheet) -> bool:
    for name in sheet.having("quasi-identifier"):
        for row in sheet.rows:
            paths = sheet.paths.get(name)
            if paths is not None and not any(row[name] in path for path in paths):
                return False
            if paths is None and row[name] not in ("?", "*") and interval(row[name]) is None:
                return False
    return True


def is_ascending(sheet: Sheet) -> bool:
    keys = [[row[name] for name in sheet.roles] for row in sheet.rows]
    return all(before <= after for before, after in pairwise(keys))


def keeps(rows: list[Row], guarantee: Any) -> dict[str, bool]:
    classes = classes_of(rows, guarantee.quasi)
    columns = [[word(row[name]) for row in members] for members in classes for name in guarantee.sensitive]
    holds = {"T3": all(len(members) >= guarantee.k for members in classes)}
    if guarantee.alpha is not None:
        holds["T4"] = all(n <= guarantee.alpha * len(values) for values in columns for n in Counter(values).values())
    if guarantee.l > 1:
        holds["T5"] = all(len(set(values)) >= guarantee.l for values in columns)
    if guarantee.entropy_l is not None:
        holds["T6"] = all(is_even(values, guarantee.entropy_l) for values in columns)
    return holds


def word(text: str) -> str:
    """What a reader takes a value for, whatever its spelling; the spellings here have no invisible letters."""
    return unicodedata.normalize("NFKC", text).casefold().strip()


def classes_of(rows: list[Row], quasi: Any) -> list[list[Row]]:
    classes: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        classes.setdefault(tuple(row[name] for name in quasi), []).append(row)
    return list(classes.values())


def is_even(values: list[str], least: Fraction) -> bool:
    """-sum(p ln p) >= ln l, raised to the power of n times the number of values: whole numbers only."""
    n, counts = len(values), Counter(values).values()
    return Fraction(n) ** n >= least**n * math.prod(c**c for c in counts)


def facts_of(rows: list[Row], guarantee: Any) -> dict[str, Any]:
    classes = classes_of(rows, guarantee.quasi)
    facts: dict[str, Any] = {"classes": len(classes), "largest_k": min(map(len, classes))}
    if guarantee.sensitive:
        shares = {}
        for name in guarantee.sensitive:
            tops = [Fraction(max(Counter(word(row[name]) for row in c).values()), len(c)) for c in classes]
            shares[name] = [max(tops).numerator, max(tops).denominator]
        columns = [[word(row[name]) for row in c] for c in classes for name in guarantee.sensitive]
        facts["smallest_alpha"] = shares
        facts["largest_l"] = min(len(set(values)) for values in columns)
        facts["largest_entropy_l"] = most_even(columns) / 10_000
        facts["closeness"] = {
            name: closeness([[word(row[name]) for row in c] for c in classes]) for name in guarantee.sensitive
        }
        texts = {name: {row[name] for row in rows} for name in guarantee.sensitive}
        counts = {name: [len(found), len({word(text) for text in found})] for name, found in texts.items()}
        if any(one != other for one, other in counts.values()):
            facts["folded"] = {name: both for name, both in counts.items() if both[0] != both[1]}
    facts["other_columns"] = [name for name in rows[0] if name not in (*guarantee.quasi, *guarantee.sensitive)]
    return facts


def closeness(classes: list[list[str]]) -> dict[str, Any]:
    """Return the least t and beta that hold, and what c must be above for l = 2."""
    whole = [value for values in classes for value in values]
    ratios = [recursive_ratio(values, 2) for values in classes]
    found = {
        "t": max(equal_distance(values, whole) for values in classes),
        "beta": max(largest_gain(values, whole) for values in classes),
        "c": None if None in ratios else max(ratio for ratio in ratios if ratio is not None),
    }
    return {name: None if value is None else [value.numerator, value.denominator] for name, value in found.items()}


def most_even(columns: list[list[str]]) -> int:
    """Return the largest l that all columns are as even as, in ten-thousandths, rounded down; found by halving."""
    low, high = 10_000, 10_000 * max(map(len, columns)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        is_kept = all(is_even(values, Fraction(middle, 10_000)) for values in columns)
        low, high = (middle, high) if is_kept else (low, middle)
    return low


def links(rows: list[Row], x: Any, y: Any) -> int:
    """Return with how many different y, whatever their spelling, the x that has fewest goes."""
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in x), set()).add(tuple(word(row[name]) for name in y))
    return min(map(len, found.values()))


# ------------------------------------------------------------------ U1-U3


def violated_beside(sheet: Sheet, original: Sheet, quasi: Any, parts: list[int] | None = None) -> set[str]:
    """Return the names of the broken invariants against the original; `parts` has the published row of each row."""
    found = set()
    expected = set(original.roles) - set(original.having("identifier"))
    if set(sheet.roles) != expected or len(sheet.rows) != len(original.rows):
        found.add("U1")
    common = [name for name in sheet.roles if name in original.roles]

    def becomes(source: Row, row: Row) -> bool:
        return all(
            includes(row[name], source[name], sheet.paths.get(name)) if name in quasi else row[name] == source[name]
            for name in common
        )

    if parts is not None:
        if sorted(parts) != list(range(len(sheet.rows))) or len(parts) != len(original.rows):
            found.add("U1")
        if len(parts) == len(original.rows) and all(-1 <= part < len(sheet.rows) for part in parts):
            pairs = [(source, part) for source, part in zip(original.rows, parts, strict=True) if part >= 0]
            return found | (set() if all(becomes(source, sheet.rows[part]) for source, part in pairs) else {"U2"})
    if len(sheet.rows) == len(original.rows):
        fits = [[n for n, row in enumerate(sheet.rows) if becomes(source, row)] for source in original.rows]
        if not has_matching(fits):
            found.add("U3")
    return found


def includes(published: str, value: str, paths: list[tuple[str, ...]] | None) -> bool:
    if published == value:
        return True
    if paths is None:
        around, inside = interval(published), interval(value)
        return published == "*" or (
            around is not None and inside is not None and around[0] <= inside[0] and inside[1] <= around[1]
        )
    leaves = {name: {path[0] for path in paths if name in path} for name in (published, value)}
    if not leaves[published]:
        return published == "*"
    if not leaves[value]:
        return value == "?" and published == paths[0][-1]
    return leaves[value] <= leaves[published]


def interval(text: str) -> tuple[Fraction, Fraction] | None:
    inside = text[1:-1].split(", ") if text[:1] == "[" and text[-1:] == "]" else [text, text]
    try:
        ends = [Fraction(part) for part in inside if part.strip("+-.0123456789") == ""]
    except ValueError:
        return None
    if len(inside) != 2 or len(ends) != 2 or (text[:1] == "[" and not ends[0] < ends[1]):
        return None
    return ends[0], ends[1]


def has_matching(fits: list[list[int]]) -> bool:
    """Return whether each source gets a separate row among those that fit; one augmenting path at a time."""
    taken: dict[int, int] = {}

    def place(source: int, seen: set[int]) -> bool:
        for row in fits[source]:
            if row not in seen:
                seen.add(row)
                if row not in taken or place(taken[row], seen):
                    taken[row] = source
                    return True
        return False

    return all(place(source, set()) for source in range(len(fits)))


# ------------------------------------------------------------------ how it should be, and how not

PATHS: Paths = {
    "town": [
        ("Aachen", "Rhine", "Germany", "*"),
        ("Bonn", "Rhine", "Germany", "*"),
        ("Celle", "Heath", "Germany", "*"),
        ("Paris", "Seine", "France", "*"),
        ("?", "?", "?", "*"),
    ],
    "sex": [("f", "any"), ("m", "any")],
}
ROLES = {"town": "quasi-identifier", "age": "quasi-identifier", "sex": "quasi-identifier"}
ROLES |= {"disease": "sensitive", "ward": "other"}
QUASI = ("town", "age", "sex")
LEAVES = {name: [path[0] for path in paths] for name, paths in PATHS.items()}
LEAVES |= {
    "age": ["7", "19", "20", "20.5", "103", "?"],
    "disease": ["flu", "cold", "gout", "Flu ", "\uff23\uff2f\uff2c\uff24"],
    "ward": ["1", "2"],
}


def random_original(random: Random, most: int = 9) -> Sheet:
    rows = [{name: random.choice(LEAVES[name]) for name in ROLES} for _ in range(random.randint(2, most))]
    return Sheet(rows, dict(ROLES), PATHS)


def publish(original: Sheet, random: Random, k: int) -> tuple[Sheet, list[int]]:
    """Generalise rows in random classes of k or more; return also where each row went."""
    order = random.sample(range(len(original.rows)), len(original.rows))
    cuts = [order[start : start + k] for start in range(0, len(order), k)]
    if len(cuts) > 1 and len(cuts[-1]) < k:
        cuts[-2:] = [cuts[-2] + cuts[-1]]
    made: list[Row] = [{}] * len(order)
    for members in cuts:
        shared = {name: common([original.rows[n][name] for n in members], original.paths.get(name)) for name in QUASI}
        for number in members:
            made[number] = {**original.rows[number], **shared}
    places = sorted(range(len(made)), key=lambda n: list(made[n].values()))
    parts = [places.index(number) for number in range(len(made))]
    return Sheet([made[number] for number in places], dict(original.roles), original.paths), parts


def common(values: list[str], paths: list[tuple[str, ...]] | None) -> str:
    """Return the narrowest value that includes all of these."""
    if len(set(values)) == 1:
        return values[0]
    if paths is not None:
        return next(
            name
            for name in next(p for p in paths if p[0] == values[0])
            if all(includes(name, v, paths) for v in values)
        )
    if "?" in values:
        return "*"
    ends = sorted(values, key=Fraction)
    return f"[{ends[0]}, {ends[-1]}]"


STRANGE = ["", "?", "*", "Rhine", "Germany", "any", "7", "[7, 20]", "[20, 7]", "[7, 7]", "nonsense", "flu", "[19, 103]"]


def spoiled(sheet: Sheet, random: Random) -> Sheet:
    """Return the rows with something changed, which may or may not matter."""
    rows = [dict(row) for row in sheet.rows]
    what, name = random.randrange(6), random.choice(list(sheet.roles))
    one, other = random.choice(rows), random.choice(rows)
    if what == 0:
        one[name] = random.choice(STRANGE + LEAVES[name])
    elif what == 1:
        one[name], other[name] = other[name], one[name]
    elif what == 2 and len(rows) > 1:
        rows.remove(one)
    elif what == 3:
        rows.append(dict(one))
        rows.sort(key=lambda row: list(row.values()))
    elif what == 4:
        random.shuffle(rows)
    else:
        for row in rows:
            row[name] = one[name]
    return Sheet(rows, sheet.roles, sheet.paths)


# ------------------------------------------------------------------ U4 and U5: people


def people_violated(rows: list[Row], original: list[Row], parts: list[int], guarantee: Any) -> set[str]:
    """Return which of U4 and U5 are broken; `parts` has the published row of each row of the original."""
    members: dict[tuple[str, ...], list[Row]] = {}
    for source, part in zip(original, parts, strict=True):
        if part >= 0:
            members.setdefault(tuple(rows[part][name] for name in guarantee.quasi), []).append(source)
    found = set()
    for own in members.values():
        people = {row[guarantee.person] for row in own}
        if len(people) < guarantee.k:
            found.add("U4")
        for name in guarantee.sensitive:
            for value in {row[name] for row in own}:
                holders = {row[guarantee.person] for row in own if row[name] == value}
                if guarantee.alpha is not None and len(holders) > guarantee.alpha * len(people):
                    found.add("U5")
                if len(people - holders) < guarantee.l - 1:
                    found.add("U5")
    return found
