"""What is promised, what is checked and what is not promised, in words for the person who receives a release."""

from __future__ import annotations

from typing import Any

from disjoin.escaping import legible

SHARED = (
    "A shared chunk speaks of all records of its joint cluster: it does not say which of the clusters in it a row "
    "comes from."
)

BY_CONSTRUCTION = (
    "The promise is about how the tables were made: it is proven on paper, and no inspection of the tables can show "
    "it. Inspected was their form."
)

FROM_THE_TABLES = "These figures follow from the published tables alone; anyone who has them can compute them again."

USUAL_BLANKS = ("NULL", "NA", "N/A", "NaN", "None", "-")  # words that people write where they know nothing


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the plural where there is not just one.

    >>> counted(1, "record"), counted(2000, "record"), counted(3, "class", "classes")
    ('1 record', '2,000 records', '3 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def setting(value: object) -> str:
    """Return the value of a parameter as words.

    >>> setting(True), setting(5), setting(["b", "a"]), setting(None)
    ('yes', '5', 'b, a', 'none')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(legible(str(part)) for part in value) or "none"
    return "none" if value is None else legible(str(value))


def some_percent(share: float) -> str:
    """Return a share as a percentage; what is not nothing does not look like it.

    >>> some_percent(0.25), some_percent(0.0001)
    ('25.0%', 'less than 0.1%')
    """
    return f"{share:.1%}" if not 0 < share < _SMALLEST else "less than 0.1%"


_SMALLEST = 0.0005  # what would be written as 0.1% at least


def is_none_of_possible(entry: dict[str, Any]) -> bool:
    """Tell whether a measure counted possible records, all or a sample (null: all), and found none."""
    return "sample" in entry and not entry["value"]


def share_in_words(entry: dict[str, Any]) -> str:
    """Return a measure of a report with its sign, as a percentage; or that nothing was found, or not computed.

    >>> share_in_words({"value": 0.25, "sign": "≤"}), share_in_words({"value": None, "sign": "≤"})
    ('≤25.0%', 'not computed')
    >>> share_in_words({"value": 0.0, "sign": "≈", "sample": {"looked_at": 300, "found": 0, "interval": [0, 0.0126]}})
    'none among 300'
    >>> share_in_words({"value": 0.0, "sign": "≈", "sample": None})
    'none'
    """
    if is_none_of_possible(entry):
        return f"none among {entry['sample']['looked_at']:,}" if entry["sample"] else "none"
    return "not computed" if entry["value"] is None else f"{entry['sign']}{entry['value']:.1%}"
