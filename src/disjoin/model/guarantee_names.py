"""What the literature calls a promise: 5-anonymous, 3-diverse."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any


def names_of(guarantee: Mapping[str, Any]) -> str:
    """Return the names of a promise, as its JSON states it.

    >>> names_of({"type": "k-anonymity", "k": 5, "l": 3, "t": "1/5"})
    '5-anonymous, 3-diverse, 0.2-close'
    >>> names_of({"type": "km-anonymity", "k": 5, "m": 2})
    'k^m-anonymous (k = 5, m = 2)'
    """
    kind = guarantee.get("type")
    if kind == "k-anonymity":
        return ", ".join(_of_a_table(guarantee))
    if kind == "km-anonymity":
        more = f", {guarantee['l']}-diverse" if "l" in guarantee else ""
        return f"k^m-anonymous (k = {guarantee['k']}, m = {guarantee['m']}){more}"
    if kind == "privacy-degree":
        return f"privacy degree {guarantee['p']}"
    if kind == "differential-privacy":
        return f"{_number(guarantee['epsilon'])}-differentially private"
    return ""


def _of_a_table(guarantee: Mapping[str, Any]) -> list[str]:
    found = [f"{guarantee['k']}-anonymous"]
    if "alpha" in guarantee:
        found = [f"({_number(guarantee['alpha'])},{guarantee['k']})-anonymous"]
    if "c" in guarantee:
        found.append(f"recursively ({_number(guarantee['c'])},{guarantee['l']})-diverse")
    elif "l" in guarantee:
        found.append(f"{guarantee['l']}-diverse")
    named = {"entropy_l": "entropy {}-diverse", "t": "{}-close", "beta": "{}-like", "delta": "{}-disclosure private"}
    return found + [words.format(_number(guarantee[name])) for name, words in named.items() if name in guarantee]


def _number(written: Any) -> str:
    return f"{float(Fraction(str(written))):g}"
