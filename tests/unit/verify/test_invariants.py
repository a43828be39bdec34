"""What is checked is data beside each inspection: every name once, and every name that a table or a report uses."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from disjoin.forms.registry import FORMS
from disjoin.verify.inspection import FILES, all_invariants, inspection_of, inspections


def test_no_name_means_two_things():
    """Mixed data has clusters in it, and what is asked of these; else every form has names of its own."""
    found = {each for form in FORMS.values() for each in inspection_of(form.noun).invariants}
    names = [each.name for each in found]
    assert len({*names, FILES.name}) == len(names) + 1
    assert {*names, FILES.name} <= set(all_invariants())
    assert len(inspections()) >= len(FORMS)


@pytest.mark.parametrize("form", FORMS.values(), ids=lambda form: form.name)
def test_what_a_broken_table_is_called_is_an_invariant_of_its_form(form):
    alone = {each.name for each in inspection_of(form.noun).invariants if each.needs == "release"}
    assert {table.broken for table in form.tables.values()} <= alone


@pytest.mark.parametrize("form", FORMS.values(), ids=lambda form: form.name)
def test_every_name_in_the_code_of_an_inspection_is_one_of_its_invariants(form):
    """A finding under a name that nobody explains would be a riddle."""
    known = {each.name for each in inspection_of(form.noun).invariants}
    module = Path(str(import_module(form.noun.inspection).__file__))
    is_alone = module.name == f"{form.name}.py"
    texts = [
        node.value
        for file in ([module] if is_alone else module.parent.glob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert {text for text in texts if re.fullmatch(r"[A-Z]\d{1,2}", text)} <= known


@pytest.mark.parametrize("form", FORMS.values(), ids=lambda form: form.name)
def test_what_needs_the_original_breaks_the_promise_or_the_fit(form):
    for each in inspection_of(form.noun).invariants:
        assert each.breaks != "fit" or each.needs == "original"
        assert each.sentence.endswith(".") and each.in_words({"k": 5, "m": 2})
