"""Complaints for people who have no command line: options by the names that pages give them, and buttons that say them.

A complaint names options, such as --blank skip. A page says “Leave blanks out” instead and has a button of that name.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

_NAMED = r"'?(.+?)'?"
_IN_PYTHON = r"(?: \(in Python \w+=[^)]+\))?"
# What stands in a complaint, what the button says, and what that changes: how the file is read, the method, who is who.
_WAYS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    (r"--blank skip", "Leave blanks out", {"reading": {"blank": "skip"}}),
    (r"--blank term", "Make blanks a term", {"reading": {"blank": "term"}}),
    (r"--blank-words usual", "NULL, NA and - are blank", {"reading": {"blank_words": "usual"}}),
    (r"--split none", "Each is one term", {"reading": {"split": "none"}}),
    (r"--split ([;,|/+&])", "Take them apart at {}", {"reading": {"split": "{}"}}),
    (r"--encoding (cp1252|utf-16)", "Read it as {}", {"reading": {"encoding": "{}"}}),
    (r"--per-record", "Protect each record on its own", {"reading": {"per_record": True}}),
    (rf"--id-column {_NAMED}(?= to protect people)", "{} says who it is", {"reading": {"id_column": "{}"}}),
    (
        rf"--person {_NAMED}(?=, and k counts people| \(people are counted)",
        "{} identifies the person of a row",
        {"person": "{}"},
    ),
    (rf"--id {_NAMED}(?= \(people are counted)", "{} identifies the person of a row", {"reading": {"id": "{}"}}),
    (r"--one-row-per-person", "Every row is another person", {"method": {"one_row_per_person": True}}),
    (r"--min-people N", "Publish only terms of 10 people or more", {"method": {"min_people": 10}}),
    (r"--whole-cells", "Each cell is one value", {"method": {"whole_cells": True}}),
    (rf"--sensitive-match loose{_IN_PYTHON}", "Other spellings too", {"method": {"sensitive_match": "loose"}}),
    (rf"--allow-missing-sensitive{_IN_PYTHON}", "Go on without them", {"method": {"allow_missing_sensitive": True}}),
)
_ARRAYS = re.compile(r"expected one member that is an array, found ([^\n]+)\. Name it with field \(--field\)")
_RIVALS = re.compile(r"Use (--(?:person|id) [^\n]+), so that people are counted")
_SHARED = re.compile(r"--role '?([^'\n]+=terms(?::[0-9]+)?)'?(?= if people share these terms)")
_TERMS_ALONE = re.compile(r"with disjoin mixed [^\n]*, or the terms alone with (--id-column [^\n]+)\.$", re.MULTILINE)
_ALIKE = "They are the same people", "They are different people"
_WORDS: tuple[tuple[str | re.Pattern[str], str], ...] = (  # of what pages have already
    (_RIVALS, "Name one of them as the column that identifies the person of a row, so that people are counted"),
    (_SHARED, "“People share these terms”"),
    (_TERMS_ALONE, "on the page of the data, or “Publish the terms alone”."),
    (r"--role (?:'[^'\n]+'|\S+)(?= if nobody| \(|\.(?:\s|$))", "“It identifies nobody” on the page of the data"),
    (r"with --identifiers (?:'[^'\n]+'|\S+?)(?=[.,](?:\s|$))", "with “names a person”"),
    (r"(?<=Leave it out) of the options", ""),
    (r"--similar-ids merge", f"“{_ALIKE[0]}”"),
    (r"--similar-ids keep", f"“{_ALIKE[1]}”"),
    (r"--again\b", "“Publish these people again”"),
    (r"--identifiers \S+ \(or --person \S+\)", "“names a person”"),
    (r"--others \S+", "“neither”"),
    (r"--quasi\b", "“somebody may know it”"),
    (r"--leave-out\b", "“Leave them out”"),
    (r"--sheet\b", "“Sheet”"),
    (r"--encoding\b", "“Encoding”"),
    (r"Name it with field \(--field\)", "Say which has the terms"),
    (r"--field\b", "“Member with the terms”"),
    (r"--separator\b", "“Between fields”"),
    (r" Its options: --clustering [^.\n]*\.", ""),
    (r"(?<= or) -m ([0-9])", r" m = \1"),
    (r"suppress = 0\.01", "up to 1% starred"),
)


def ways_out(words: str, kind: str = "") -> list[dict[str, Any]]:
    """Return what somebody can answer to a complaint about data of a kind: a button's words, and what it changes.

    >>> ways_out("found a blank. Say --blank skip to leave it out.")
    [{'say': 'Leave blanks out', 'reading': {'blank': 'skip'}}]
    """
    found = [(say, change, match) for form, say, change in _WAYS if (match := re.search(form, words))]
    ways = [{"say": _filled(say, match)} | _filled(change, match) for say, change, match in found]
    if named := _ARRAYS.search(words):
        ways += [{"say": f"The terms are in {name}", "reading": {"field": name}} for name in named[1].split(", ")]
    for say, value in zip(_ALIKE, ("merge", "keep"), strict=True):
        if f"--similar-ids {value}" in words:
            ways.append({"say": say, "method" if kind == "table" else "reading": {"similar_ids": value}})
    return ways + _about_roles(words, kind)


def _about_roles(words: str, kind: str) -> list[dict[str, Any]]:
    """Return answers to what was found in columns: which one identifies people, and what is published."""
    ways: list[dict[str, Any]] = []
    if shared := _SHARED.search(words):
        where = "method" if kind == "mixed" else "reading"
        ways.append({"say": "People share these terms", where: {"role": [shared[1]]}})
    if alone := _TERMS_ALONE.search(words):
        _, id_column, _, term_column = shlex.split(alone[1])
        ways.append({"say": "Publish the terms alone", "reading": {"id_column": id_column, "term_column": term_column}})
    if rivals := _RIVALS.search(words):
        for flag, name in pairwise(shlex.split(rivals[1])):
            if flag in ("--person", "--id"):
                change = {"person": name} if flag == "--person" else {"reading": {"id": name}}
                ways.append({"say": f"{name} identifies the person of a row", **change})
    return ways


def _filled(text: Any, match: re.Match[str]) -> Any:
    """Put what a complaint names into a text, or into the texts of a mapping."""
    if isinstance(text, Mapping):
        return {name: _filled(value, match) for name, value in text.items()}
    return text.replace("{}", match[1]) if isinstance(text, str) and "{}" in text else text


def in_plain_words(words: str) -> str:
    """Return a complaint with options as pages call them.

    >>> in_plain_words("found a blank. Say --blank skip to leave it out.")
    'found a blank. Say “Leave blanks out” to leave it out.'
    """
    for form, say, _ in _WAYS:
        words = re.sub(form, lambda match, say=say: f"“{_filled(say, match)}”", words)  # type: ignore[misc]
    for known, name in _WORDS:
        words = re.sub(known, name, words)
    return words
