"""How well found roles agree with labels."""

from collections import Counter

from disjoin.model.column_roles import ColumnKind, Stop, roles_of
from labelled.headers import HEADERS, LANGUAGES

WAYS = (*LANGUAGES, "bare")
LETTERS = dict(zip(ColumnKind, "PVTDEMSFC", strict=True))


def score(columns):
    """Count in one table of (header, values, label) people, those found, and false alarms; name those missed."""
    found = roles_of({header: [str(value) for value in values] for header, values, _ in columns})
    total, missed = Counter(files=1), []
    for role, (header, _, label) in zip(found.columns, columns, strict=True):
        accepted, letter = set(label.split("/")), LETTERS[role.role]
        is_right = letter in accepted or (role.is_sensitive and "S" in accepted) or (letter == "T" and "K" in accepted)
        if accepted == {"P"}:
            total.update(people=1, found=letter == "P")
            missed += [header] if role.stops is not Stop.ALWAYS else []
        elif "P" not in accepted:
            total.update(others=1, right=is_right, alarms=letter == "P")
    return total, missed


def headed(columns, way):
    """Return columns of concepts under the headers of a language, or c1, c2, ...; numbered where one occurs twice."""
    names = [f"c{place}" if way == "bare" else HEADERS[concept][way] for place, (concept, *_) in enumerate(columns, 1)]
    single = [f"{name}_{place}" if name in names[:place] else name for place, name in enumerate(names)]
    return [(name, values, label) for name, (_, values, label) in zip(single, columns, strict=True)]
