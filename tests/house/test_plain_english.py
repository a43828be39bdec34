"""Turns of phrase that make a reader stop do not come back: the mechanical ones, in source, docs and README."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FILES = [
    *(ROOT / "src").rglob("*.py"),
    *(ROOT / "src").rglob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
]
THINGS = "core|machine|term|row|record|line|method|file|column|leaf|cluster|group|person|node|field|basket|class"
THINGS += "|cell|element|article|value|patient|setting"
ENDS = r"(?! (?:has|have|is|may|can|in|of|with|that)\b)"  # a clause goes on: "in one record a term is rare"
SLIPS = {
    "per, as in one row per term": rf"\b(?:one|a|an) (?!with)\w+ a (?:{THINGS})\b{ENDS}",
    "per, as in one per core": rf"\b(?:one|once|twice|\d+ bytes) a (?:{THINGS})\b",
    "that many": r"\bso many\b(?! \w+ that\b)",
    "anyone who, or whoever": r"(?:\b(?:for|to) who\b|(?<=[.;:] )who (?:knows|finds|wants|receives|can|has) [^?.]*\.)",
}
JOINTS = r" *[\"']?\n *(?:#:? |[fr]?[\"'])?"  # of lines in a comment, a text, or a text in several pieces


def in_one_line(text):
    return re.sub(JOINTS, " ", text)


def slips(text, pattern):
    return re.findall(pattern, in_one_line(text), flags=re.IGNORECASE)


@pytest.mark.parametrize("better", SLIPS)
def test_a_text_does_not_make_the_reader_stop(better):
    found = {
        str(file.relative_to(ROOT)): here
        for file in FILES
        if (here := slips(file.read_text(encoding="utf-8"), SLIPS[better]))
    }
    assert found == {}, f"write: {better}"


@pytest.mark.parametrize(
    ("text", "better"),
    [
        ("a file with one row a term", "per, as in one row per term"),
        ('"a file with one row a "\n    "term"', "per, as in one row per term"),
        ("a row a leaf", "per, as in one row per term"),
        ("Threads (default: one a core)", "per, as in one per core"),
        ("# compiled once\n    # a machine", "per, as in one per core"),
        ("at most so many records have it", "that many"),
        ("for who writes Python", "anyone who, or whoever"),
        ("Nobody is alone. Who knows a person knows the rest.", "anyone who, or whoever"),
    ],
)
def test_such_a_slip_is_found(text, better):
    assert slips(text, SLIPS[better])


@pytest.mark.parametrize(
    "text", ["one row per term", "so many terms that it hurts", "anyone who knows it", "Guess. Who knows them? Nobody."]
)
def test_plain_english_is_left_alone(text):
    assert not [better for better, pattern in SLIPS.items() if slips(text, pattern)]
