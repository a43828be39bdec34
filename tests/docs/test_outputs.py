"""Every output that a page shows is the output that its commands have."""

from pathlib import Path

import pytest

from helpers.pages import make_reference, outputs

ROOT = Path(__file__).parent.parent.parent
FIRST_PAGES = ("README.md", "docs/start/first-release.md")
TOOL = make_reference()
PAGES = [path.relative_to(ROOT).as_posix() for path in TOOL.with_outputs()]
REFRESH = "run python docs/make_reference.py --outputs"


def is_as_shown(name):
    page = (ROOT / name).read_text(encoding="utf-8")
    assert outputs().refreshed(page, name) == page, f"{REFRESH} {name}"


@pytest.mark.parametrize("name", [name for name in PAGES if name in FIRST_PAGES])
def test_the_outputs_of_a_first_page_are_those_of_its_commands(name):
    is_as_shown(name)


@pytest.mark.slow
@pytest.mark.every_page
@pytest.mark.parametrize("name", [name for name in PAGES if name not in FIRST_PAGES])
def test_the_outputs_of_a_page_are_those_of_its_commands(name):
    is_as_shown(name)


PAGE = """\
```csv data/people.csv
name,age
```
```console
$ cat \\
  data/people.csv
old
$ python -c "print('a'); print('b'); print('c')"
x
...
z

$ ls nowhere  # exit code 2
```
"""


def test_the_tool_writes_files_and_refreshes_outputs():
    found = outputs().refreshed(PAGE)
    assert "  data/people.csv\nname,age\n$ python" in found
    assert "\na\n...\nc\n" in found
    assert "nowhere" in found.split("# exit code 2\n")[1]
    assert outputs().refreshed(found) == found
    assert found.startswith(PAGE[: PAGE.index("old")])


def test_the_tool_runs_nothing_below_the_last_output():
    page = "```console\n$ disjoin --version\n```\n```\ndisjoin nothing\n```\n"
    assert outputs().refreshed(page).endswith("```\ndisjoin nothing\n```\n")


def test_the_tool_refuses_other_programs_and_unexpected_exit_codes():
    with pytest.raises(ValueError, match="is not run"):
        outputs().refreshed("```console\n$ rm file\n```\n")
    with pytest.raises(ValueError, match="ended with 2, not 0"):
        outputs().refreshed("```console\n$ ls nowhere\n```\n")
    with pytest.raises(ValueError, match="begins with"):
        outputs().refreshed("```console\ndisjoin --help\n```\n")
