"""The Python of the how-to pages, of the hospital and of the formats runs on small data."""

import re
from pathlib import Path

import pytest

from disjoin.cli.main import run
from disjoin.generate.baskets import write_baskets
from disjoin.generate.census import write_census
from disjoin.generate.hospital import write_stays

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = ("how-to/risk", "how-to/evaluate", "how-to/analyse-a-release", "start/hospital", "formats/reading")


@pytest.mark.slow
@pytest.mark.every_page
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.filterwarnings("ignore")  # what the commands of the page warn of
def test_the_python_of_a_page_runs_on_small_data(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_baskets(300, 1, tmp_path / "baskets.csv")
    write_census(300, 1, tmp_path / "census.csv")
    write_stays(300, 1, tmp_path / "stays.csv")
    assert run(["disassociate", "baskets.csv", "-q", "-o", "release"]) == 0
    found = re.findall(r"^```python\n(.*?)^```", (DOCS / f"{name}.md").read_text(encoding="utf-8"), re.M | re.S)
    assert found
    for code in found:
        exec(compile(code, name, "exec"), {})
