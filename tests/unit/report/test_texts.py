"""Texts of the forms: each is used, complete, and free of flags, which only commands name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import disjoin.forms
from disjoin.forms.form import texts_of

FOLDER = Path(disjoin.forms.__file__).parent
NAMES = sorted(file.parent.name for file in FOLDER.glob("*/texts.txt"))


def test_every_form_has_texts():
    assert sorted(file.parent.name for file in FOLDER.glob("*/__init__.py")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_texts_are_used_and_complete(name):
    texts = texts_of(f"disjoin.forms.{name}")
    lines = (FOLDER / name / "texts.txt").read_text(encoding="utf-8").splitlines()
    assert list(texts) == [line.removeprefix("=== ") for line in lines if line.startswith("===")]
    assert all(text == text.strip() != "" for text in texts.values())
    code = "".join(file.read_text(encoding="utf-8") for file in [FOLDER / "form.py", *FOLDER.glob(f"{name}/*.py")])
    code += "".join(file.read_text(encoding="utf-8") for file in FOLDER.glob("mixed/*.py") if name == "clusters")
    assert [title for title in texts if f'"{title}"' not in code and f"'{title}'" not in code] == []


@pytest.mark.parametrize("name", NAMES)
def test_texts_name_no_flags(name):
    texts = texts_of(f"disjoin.forms.{name}")
    assert [title for title, text in texts.items() if title != "sql" and re.search(r"(?<!\S)--[a-z]", text)] == []
