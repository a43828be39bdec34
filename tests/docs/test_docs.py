"""The commands and examples of the README, tutorials and reference run."""

import re
import shlex
from pathlib import Path

import pytest

from disjoin.cli.main import commands as known_commands
from disjoin.cli.main import run
from disjoin.generate.baskets import write_baskets, write_departments
from disjoin.generate.census import write_census, write_hierarchies
from helpers.pages import make_reference

ROOT = Path(__file__).parent.parent.parent
FIRST_PAGES = ("README.md", "docs/start/first-release.md")
OTHER_PAGES = (
    "docs/explanation/choosing-settings.md",
    "docs/methods/cahd.md",
    "docs/methods/generalization.md",
    "docs/methods/apriori.md",
    "docs/methods/clusterings.md",
    "docs/methods/resistance.md",
    "docs/methods/diffpart.md",
)
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / ".github").rglob("*.md"), *(ROOT / "docs").rglob("*.md")])


def blocks(page, *languages):
    """The fenced blocks of a page in these languages, from the top; without a language, blocks that name none."""
    found = re.findall(r"^```([^`\n]*)\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [text for language, text in found if language in (languages or ("",))]


def commands(page):
    """The `disjoin ...` lines of a page, without prompts and comments."""
    found = blocks(page, "", "console")
    lines = [line.split("  #")[0].removeprefix("$ ").strip() for block in found for line in block.splitlines()]
    return [line for line in lines if line.startswith("disjoin ")]


def test_the_python_of_the_readme_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    [code] = blocks(ROOT / "README.md", "python")
    exec(compile(code, "README.md", "exec"), {})
    shown = code.splitlines()[-1].removeprefix("# ").removesuffix(" ...")
    assert shown.startswith("True An attacker who knows up to 2 terms")
    assert capsys.readouterr().out.startswith(shown)


@pytest.mark.slow
@pytest.mark.every_page
@pytest.mark.parametrize("page", [*FIRST_PAGES, *OTHER_PAGES])
def test_the_commands_of_a_page_run_in_order(page, tmp_path, monkeypatch, capsys):
    run_in_order(page, commands(ROOT / page), tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("page", FIRST_PAGES)
def test_the_commands_of_a_first_page_run_in_order_on_a_fortieth_of_the_records(page, tmp_path, monkeypatch, capsys):
    lines = commands(ROOT / page)
    fewer = [re.sub(r"(?<=--records )\d+", lambda found: str(int(found[0]) // 40), line) for line in lines]
    assert fewer != lines
    run_in_order(page, fewer, tmp_path, monkeypatch, capsys)


def run_in_order(page, found, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert found
    if not any("-o baskets.csv" in line for line in found):
        write_baskets(1500, 1, tmp_path / "baskets.csv")
    if any("items.txt" in line for line in found):
        (tmp_path / "items.txt").write_text("beer\nnuts\n")
    if any("items.csv" in line for line in found) and not any("generate baskets" in line for line in found):
        write_departments(tmp_path / "items.csv")
    if any(" census.csv" in line for line in found) and not any("-o census.csv" in line for line in found):
        write_census(600, 1, tmp_path / "census.csv")
        write_hierarchies(tmp_path / "hierarchies")
    for plan in blocks(ROOT / page, "toml"):
        (tmp_path / "plan.toml").write_text(plan)
    for line in found:
        assert run(shlex.split(line)[1:]) == 0, (line, capsys.readouterr().err)


@pytest.mark.filterwarnings("ignore:published as they are")
def test_the_six_people_who_are_published_twice_are_published_like_that():
    import disjoin

    text = (ROOT / "docs" / "how-to" / "publish-again.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if re.match(r"\| \d", line)]
    people = {"age": [row[0] for row in rows], "illness": [row[1] for row in rows]}
    candidates = []
    for k, place in ((2, 3), (3, 6)):
        published = disjoin.generalize(people, k, ["age"], others="illness").published.table.to_arrow().to_pydict()
        assert [list(row) for row in zip(*published.values(), strict=True)] == [row[place : place + 2] for row in rows]
        crowd = next(row[place] for row in rows if row[0] == "38")
        candidates.append({row[place + 1] for row in rows if row[place] == crowd})
    assert candidates == [{"asthma", "gout"}, {"cold", "flu", "gout"}]
    assert candidates[0] & candidates[1] == {"gout"}


def test_generated_pages_are_current():
    module = make_reference()
    for path, text in module.pages().items():
        # Blanks may differ: versions of the library that formats the help lay it out differently.
        assert path.read_text(encoding="utf-8").split() == text.split(), (
            f"run python docs/make_reference.py ({path.name})"
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_every_command_is_in_the_reference():
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    for name in known_commands():
        assert f"## disjoin {name}\n" in page


def test_every_format_has_a_paragraph():
    from disjoin.readers.options import READERS

    page = (ROOT / "docs" / "formats" / "reading.md").read_text(encoding="utf-8")
    for name in READERS:
        assert f"`{name}`" in page


def test_every_invariant_that_the_proof_uses_is_checked():
    import disjoin

    records = [["a", "b"], ["a"], ["b"], ["c"]] * 9
    checked = disjoin.verify(disjoin.disassociate(records, k=3, slack=1, cover_aware=1)).checked
    proof = (ROOT / "src/disjoin/methods/disassociation/PROOF.md").read_text(encoding="utf-8")
    used = set(re.findall(r"\bV\d+\b", proof))
    assert used <= set(checked)
    assert {f"V{n}" for n in range(1, 10)} - used <= {"V1"}  # V1, the shape, is what all of it speaks about


def test_the_python_of_the_page_on_hierarchies_prints_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "formats" / "hierarchies.md"
    [code], [said] = blocks(page, "python"), blocks(page, "text")
    exec(compile(code, page.name, "exec"), {})
    assert capsys.readouterr().out == said


@pytest.mark.slow
@pytest.mark.every_page
@pytest.mark.parametrize("name", ["explanation/choosing-settings"])
def test_the_python_of_a_page_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_baskets(300, 1, tmp_path / "baskets.csv")
    write_census(300, 1, tmp_path / "census.csv")
    *_, code = blocks(ROOT / "docs" / f"{name}.md", "python")
    exec(compile(code, name, "exec"), {})
    assert capsys.readouterr().out
