"""The reference is complete and its examples are true: everything that has a name is on its page."""

import doctest
import inspect
import re
from pathlib import Path

import pytest

import disjoin
from disjoin.forms.registry import FORMS
from disjoin.methods import METHODS
from disjoin.methods.settings import settings_of
from disjoin.plan import READING, READING_PEOPLE, READING_TABLES, Plan
from disjoin.readers.options import Options
from disjoin.report.documents import summary_of
from disjoin.report.facts import facts_of
from disjoin.spark.settings import SparkSettings
from disjoin.verify.clusters.inspection import ALONE as ALWAYS_CHECKED
from disjoin.verify.inspection import FILES, inspection_of
from helpers.pages import cli_page

DOCS = Path(__file__).parent.parent.parent / "docs"
VERBS = ("verify", "advise", "compare")  # rooms that can be called
TINY = [["tea", "milk"], ["tea", "jam"], ["milk", "jam"], ["tea", "milk"], ["tea"], ["milk"]]


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(name, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page(name), flags=re.MULTILINE | re.DOTALL)


def rows(name):
    """The first cells of a page's tables."""
    return set(re.findall(r"^\| ?`?(?!-)([^`|]+?)`? ?\|", page(name), flags=re.MULTILINE))


def test_the_examples_of_the_python_page_are_true(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = "\n".join(blocks("reference/python.md", "pycon"))
    test = doctest.DocTestParser().get_doctest(examples, {}, "python.md", "python.md", 0)
    assert len(test.examples) > 20
    said = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert not said, "".join(said)


def test_every_public_name_is_on_the_python_page():
    text = page("reference/python.md")
    for name in disjoin.__all__:
        assert re.search(rf"(^### `disjoin\.{name}\b|^\|`{name}`\|)", text, flags=re.MULTILINE), name


PUBLISHERS = ("disassociate", "cahd", "generalize", "generalize_items", "diffpart", "mixed")


@pytest.mark.parametrize("name", [n for n in disjoin.__all__ if inspect.isfunction(getattr(disjoin, n)) or n in VERBS])
def test_the_python_page_lists_the_arguments_of_a_function(name):
    [heading] = re.findall(rf"^### `disjoin\.{name}\((.*)\)`$", page("reference/python.md"), flags=re.MULTILINE)
    listed = re.sub(r"\([^()]*\)", "()", heading).split(", ")
    names = [argument.split("=")[0] for argument in listed if argument != "*"]
    known = list(inspect.signature(getattr(disjoin, name)).parameters)
    if name in PUBLISHERS:  # their settings are in the generated table on the page of the method
        assert names == [*known[: len(names) - 1], "..."]
    else:
        assert names == known


def test_the_exit_codes_on_the_python_page_are_right():
    listed = dict(re.findall(r"^\|`(\w+)`\|(\d+)\|", page("reference/python.md"), flags=re.MULTILINE))
    errors = {n: getattr(disjoin, n) for n in disjoin.__all__ if isinstance(getattr(disjoin, n), type)}
    assert listed == {n: str(e.exit_code) for n, e in errors.items() if issubclass(e, disjoin.DisjoinError)}


def test_every_invariant_that_is_checked_has_a_row():
    release = disjoin.disassociate(TINY, k=2, m=2)
    beside = disjoin.verify(release, original=TINY, exact=True)
    checked = {*ALWAYS_CHECKED, *release.verdict.checked, *beside.checked}
    assert {"O2", "O5", "O7", "G1"} <= checked  # both ways of checking were taken
    assert checked <= rows("reference/invariants.md")
    known = {each.name for form in FORMS.values() for each in inspection_of(form.noun).invariants}
    assert rows("reference/invariants.md") - {"name"} == known | {FILES.name}


def test_the_columns_of_the_original_say_what_is_checked_when():
    release = disjoin.disassociate(TINY, k=2, m=2)
    beside = disjoin.verify(release, original=TINY)
    cells = re.findall(r"^\|(O\d)\|[^|]+\|([^|]*)\|([^|]*)\|$", page("reference/invariants.md"), flags=re.MULTILINE)
    assert len(cells) == 7
    assert {name for name, made, _ in cells if made.strip()} == {n for n in release.verdict.checked if n[0] == "O"}
    assert {name for name, _, later in cells if later.strip()} == {n for n in beside.checked if n[0] == "O"}


def test_every_setting_of_a_plan_is_on_its_page():
    for name, method in METHODS.items():
        assert f"(../methods/{name}.md#parameters)" in page("reference/plan.md")
        assert "\n## Parameters\n" in page(f"methods/{name}.md")
        assert {setting.name for setting in settings_of(method)} <= rows(f"methods/{name}.md")
    spark = {setting.name for setting in settings_of(SparkSettings)}
    tables = {"path", "name", "overwrite", "threads", *spark, "keep", *READING, *READING_TABLES, *READING_PEOPLE}
    assert rows("reference/plan.md") == tables | {"setting"}
    assert set(READING) <= {"format", "leave_out", *Options.__dataclass_fields__}  # both are read by `read` itself


@pytest.mark.parametrize("number", range(4))
def test_the_plans_on_the_page_can_be_read(number, tmp_path):
    text = blocks("reference/plan.md", "toml")[number]
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    for name in ("sensitive.txt", "items.txt"):
        (tmp_path / name).write_text(" HIV \n\nhepatitis, C\n", encoding="utf-8")
    plan = Plan.from_file(tmp_path / "plan.toml")
    assert plan.destination.is_relative_to(tmp_path)
    named = ("diagnosis",) if plan.method.takes == "table" else ("HIV", "hepatitis, C")
    assert getattr(plan.method, "sensitive", ()) == (named if "sensitive" in text else ())


def test_every_option_of_every_command_is_in_the_reference():
    text = page("reference/cli.md")
    for entry in cli_page().entries():
        for name, _, _ in entry.records():
            assert re.search(rf"(?<![\w-]){name}(?![\w-])", text), (entry.name, name)


def test_every_line_of_the_summary_is_explained():
    labels = {label for label, _ in summary_of(facts_of(disjoin.disassociate([["tea"]] * 9, k=3)))}
    assert labels | {"Private", "Next"} <= rows("reference/reading-a-report.md")


def test_the_figures_of_the_measures_are_those_of_figure_2():
    records = ["itunes flu madonna ikea ruby", "madonna flu viagra ruby audi sony", "itunes madonna audi ikea sony"]
    records += ["itunes flu viagra", "itunes flu madonna audi sony"]
    measures = facts_of(disjoin.disassociate([record.split() for record in records], k=3, m=2)).measures
    sections = re.split(r"^## ", page("measures/clusters.md"), flags=re.MULTILINE)
    for name, measure in measures.items():
        [section] = [section for section in sections if section.startswith(f"{name}\n")]
        assert f"{measure['value']:.4f}" in section
        assert measure["sign"] in section


def test_every_test_that_the_page_of_attacks_names_is_there():
    named = re.findall(r"`(tests/[^`]+)`", page("reference/security.md"))
    assert len(named) > 15
    assert [path for path in named if not (DOCS.parent / path).exists()] == []
