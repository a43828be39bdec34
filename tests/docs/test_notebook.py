"""The pages that are written like notebooks are run, cell by cell, and print what they show."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = DOCS / "start" / "received-a-release.md"
GROCERIES = "groceries_named.csv.gz"


@pytest.fixture(scope="module")
def notebook():
    spec = importlib.util.spec_from_file_location("run_notebook", DOCS / "run_notebook.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lies(outcomes):
    """The cells of which the page says something else than they print."""
    return [(cell.code, cell.said, cell.printed) for cell in outcomes if not cell.is_true]


@pytest.mark.every_page
@pytest.mark.slow
def test_the_tutorial_for_recipients_prints_what_it_shows(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcomes = list(notebook.outcomes(PAGE.read_text(encoding="utf-8")))
    assert sum(cell.said is not None for cell in outcomes) >= 9
    assert not any(cell.needs for cell in outcomes)
    assert not lies(outcomes)


@pytest.mark.every_page
def test_its_figures_of_real_groceries_are_true(notebook, datasets, tmp_path, monkeypatch):
    if not (datasets / GROCERIES).exists():
        pytest.skip(f"{GROCERIES} is not among the benchmark datasets")
    shutil.copy(datasets / GROCERIES, tmp_path)
    monkeypatch.chdir(tmp_path)
    outcomes = [cell for cell in notebook.outcomes(PAGE.read_text(encoding="utf-8")) if cell.needs == GROCERIES]
    assert outcomes
    assert not lies(outcomes)


def test_all_fenced_blocks_of_the_tutorial_are_cells_or_their_words(notebook):
    text = PAGE.read_text(encoding="utf-8")
    cells = list(notebook.CELL.finditer(text))
    assert text.count("```") == sum(2 if cell["printed"] is None else 4 for cell in cells)


@pytest.mark.every_page
@pytest.mark.slow
def test_the_page_on_omop_and_fhir_prints_what_it_shows(notebook, tmp_path, monkeypatch):
    pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    outcomes = list(notebook.outcomes((DOCS / "how-to" / "omop-and-fhir.md").read_text(encoding="utf-8")))
    assert any(cell.said for cell in outcomes)
    assert not lies(outcomes)


STORIES = sorted(path.stem for path in (DOCS / "gallery").glob("*.md") if path.stem != "index")


@pytest.mark.every_page
@pytest.mark.slow
@pytest.mark.parametrize("story", STORIES)
def test_a_story_of_the_gallery_prints_what_it_says(notebook, story, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcomes = list(notebook.outcomes((DOCS / "gallery" / f"{story}.md").read_text(encoding="utf-8")))
    assert any(cell.said for cell in outcomes)
    assert not lies(outcomes)


def test_there_are_six_stories_that_the_gallery_names(notebook):
    index = (DOCS / "gallery" / "index.md").read_text(encoding="utf-8")
    assert len(STORIES) == 6
    assert all(f"]({story}.md)" in index for story in STORIES)


@pytest.mark.parametrize("story", STORIES)
def test_a_story_is_a_notebook_whose_cells_are_those_of_the_page(notebook, story):
    text = (DOCS / "gallery" / f"{story}.md").read_text(encoding="utf-8")
    found = json.loads(notebook.as_notebook(text))
    cells = list(notebook.CELL.finditer(text))
    assert (found["nbformat"], found["nbformat_minor"]) == (4, 5)
    code = ["".join(cell["source"]) for cell in found["cells"] if cell["cell_type"] == "code"]
    assert [each.replace("!disjoin", "disjoin") for each in code] == [cell["code"].strip() for cell in cells]
    for each in (each for each in code if not each.startswith("!")):
        compile(each, story, "exec")
    assert len({cell["id"] for cell in found["cells"]}) == len(found["cells"])
    assert found["cells"][0]["source"][0].startswith("# ")


LYING = """\
```python
answer = 6 * 7
```

```python
print(answer,  "is it")
```

```text
{said} is it
```

<!-- needs nowhere.csv -->
```python
raise AssertionError
```
"""


@pytest.mark.parametrize(("said", "is_true"), [("42", True), ("43", False)])
def test_a_page_that_says_something_else_is_found_out(notebook, said, is_true):
    outcomes = list(notebook.outcomes(LYING.format(said=said)))
    assert [cell.is_true for cell in outcomes] == [True, is_true]


def test_a_page_is_rewritten_with_what_it_prints(notebook):
    assert notebook.rewritten(LYING.format(said="43\n44")) == LYING.format(said="42")


def test_a_command_that_fails_is_not_passed_over(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RuntimeError, match="disjoin support nothing"):
        list(notebook.outcomes("```\ndisjoin support nothing tea\n```\n"))
