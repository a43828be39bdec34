"""How well found roles agree with labels."""

from collections import Counter

from disjoin.model.column_roles import ColumnKind, Stop, roles_of

LETTERS = {
    ColumnKind.PERSON: "P",
    ColumnKind.EVENT: "V",
    ColumnKind.TERMS: "T",
    ColumnKind.DESCRIBES_PERSON: "D",
    ColumnKind.DESCRIBES_EVENT: "E",
    ColumnKind.MEASURE: "M",
    ColumnKind.SENSITIVE: "S",
    ColumnKind.FREE_TEXT: "F",
    ColumnKind.CONSTANT: "C",
}


def score(columns):
    """Count for one table of (header, values, label) people, those found and stopped, false alarms and right roles."""
    found = roles_of({header: [str(value) for value in values] for header, values, _ in columns})
    total = Counter(files=1)
    for role, (_, _, label) in zip(found.columns, columns, strict=True):
        accepted, letter = set(label.split("/")), LETTERS[role.role]
        is_right = letter in accepted or (role.is_sensitive and "S" in accepted) or (letter == "T" and "K" in accepted)
        if accepted == {"P"}:
            total.update(people=1, found=letter == "P", stopped=role.stops is not Stop.NONE)
        elif "P" not in accepted:
            total.update(others=1, right=is_right, alarms=letter == "P")
    return total


def missed(columns):
    """Return the headers of people's columns that could be published."""
    found = roles_of({header: [str(value) for value in values] for header, values, _ in columns})
    pairs = zip(found.columns, columns, strict=True)
    return [header for role, (header, _, label) in pairs if label == "P" and role.stops is Stop.NONE]


def with_headers(columns, headers):
    """Return the columns under other headers, numbered where one occurs twice."""
    names = [f"{name}_{place}" if name in headers[:place] else name for place, name in enumerate(headers)]
    return [(name, values, label) for name, (_, values, label) in zip(names, columns, strict=True)]


def bare(columns):
    """Return the columns under the headers c1, c2, ..."""
    return with_headers(columns, [f"c{place}" for place in range(1, len(columns) + 1)])
