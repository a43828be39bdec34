"""The map of the source is true: rooms, who may import whom, where algorithms live, and the code of the toy."""

import re
import tomllib
from pathlib import Path

import pytest

from disjoin.cli.show import FEW, PARTS, ROWS
from disjoin.forms.registry import FORMS

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "disjoin"
MAP, GUIDE = (ROOT / "docs" / "how-to" / name for name in ("find-your-way.md", "add-a-method.md"))


def blocks(page, language=""):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def rooms():
    """Folders and modules right under disjoin; what begins with _ is none."""
    found = {p.name for p in SOURCE.iterdir() if p.is_dir() and (p / "__init__.py").is_file()}
    return found | {p.stem for p in SOURCE.glob("*.py") if not p.name.startswith("_")}


def contracts():
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return facts["tool"]["importlinter"]["contracts"]


def test_the_picture_has_the_layers_of_the_import_rules():
    [layers] = [contract["layers"] for contract in contracts() if contract["type"] == "layers"]
    expected = [re.sub(r"disjoin\.", "", layer) for layer in layers]
    [picture] = [block for block in blocks(MAP) if block.startswith("studio | spark ")]
    drawn = [re.split(r"\s{2,}", line)[0] for line in picture.splitlines()]
    assert drawn == expected


def test_every_room_is_in_the_picture_and_in_the_table():
    [picture] = [block for block in blocks(MAP) if block.startswith("studio | spark ")]
    drawn = {
        room
        for line in picture.splitlines()
        for room in re.split(r"\s{2,}", line)[0].replace(" : ", " | ").split(" | ")
    }
    listed = re.findall(r"^\| ((?:`\w+(?:/|\.py)`(?:, )?)+) \|", MAP.read_text(encoding="utf-8"), flags=re.MULTILINE)
    named = {re.sub(r"/$|\.py$", "", room) for cell in listed for room in re.findall(r"`([^`]+)`", cell)}
    assert drawn == rooms()
    assert named == rooms()


@pytest.mark.parametrize("page", [MAP, GUIDE], ids=["map", "guide"])
def test_every_path_that_is_named_is_there(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    homes = (SOURCE, ROOT, SOURCE / "measure", ROOT / "tests" / "toy", *SOURCE.glob("methods/*/"))
    paths = [
        path for path in re.findall(r"`([\w/]+(?:/|\.py|\.md))`", text) if path not in ("report.html", "README.md")
    ]
    assert len(paths) > 10
    assert [path for path in paths if not any((home / path).exists() for home in homes)] == []


def test_the_code_of_the_guide_is_that_of_the_toy():
    code = [file.read_text(encoding="utf-8") for file in (ROOT / "tests" / "toy").glob("*.py")]
    shown = blocks(GUIDE, "python")
    assert len(shown) >= 5
    assert [block for block in shown if not any(block in text for text in code)] == []


def test_the_files_of_noisy_records_are_counted_right():
    own = {name: len(list((SOURCE / name).glob("*.py"))) for name in ("forms/noisy", "methods/diffpart")}
    own["verify/noisy.py"] = int((SOURCE / "verify/noisy.py").is_file())
    text = " ".join(GUIDE.read_text(encoding="utf-8").split())
    for name, number in own.items():
        assert f"{number} in `{name}`" in text
    assert f"in `model/`: {sum(own.values()) + 2}." in text


NOISY = "|".join(
    (
        "NoisyRecords",
        "noisy_records",
        r"forms\.noisy",
        r"\bnoisy\.FORM\b",
        '"noisy"',
        "diffpart",
        "differential_?privacy",
    )
)
MUST_CHANGE = {"forms/registry.py", "methods/__init__.py", "model/guarantees.py"}


def test_no_shared_file_names_noisy_records_but_three_lists_and_what_the_guide_calls_an_offer():
    own = ("forms/noisy", "verify/noisy", "methods/diffpart", "model/noisy_records.py", "model/differential_privacy.py")
    shared = {
        file.relative_to(SOURCE).as_posix()
        for file in SOURCE.rglob("*.py")
        if re.search(NOISY, file.read_text(encoding="utf-8"), flags=re.IGNORECASE)
    }
    shared = {file for file in shared if not file.startswith(own)}
    offers = GUIDE.read_text(encoding="utf-8").split("| offer | where |")[1].split("## Tests")[0]
    named = {path.removeprefix("src/disjoin/") for path in re.findall(r"`([\w/]+\.py)`", offers)}
    named |= {f"measure/{path}" for path in named if "/" not in path}
    assert shared - named == MUST_CHANGE


def test_show_knows_the_parts_of_all_forms_before_it_loads_them():
    assert set(PARTS) == {form.part[0] for form in FORMS.values()}
    assert {form.show.first for form in FORMS.values()} == {FEW, ROWS}
