"""The tool behind `make mutants`: a weak test lets mutants live, a strong one kills them, names survive edits."""

import subprocess
import sys
import types
from pathlib import Path

from mutants.account import report
from mutants.campaign import KILLED, SURVIVED, UNSEEN, Results
from mutants.mutations import mutants_of
from mutants.patching import put_into

TOY = '''"""A toy."""


def is_crowd(people, k):
    """Whether there are enough."""
    return people >= max(k, 1)


def unused():
    """Nobody calls it."""
    return [1 for _ in range(3) if True]
'''
WEAK = "from toy import is_crowd\n\n\ndef test_many():\n    assert is_crowd(9, 3)\n"
STRONG = WEAK + "\n\ndef test_border():\n    assert is_crowd(3, 3) and not is_crowd(2, 3)\n"
TIRED = """from pathlib import Path

from toy import is_crowd

RUNS = Path(__file__).with_name("runs")


def test_that_fails_from_its_fourth_run_on():
    RUNS.write_text((RUNS.read_text() if RUNS.exists() else "") + "x")
    assert is_crowd(3, 3) and len(RUNS.read_text()) < 4
"""
RUN = """
import sys
from pathlib import Path
import pytest
from mutants.account import report
from mutants.campaign import Campaign, Results
from mutants.mutations import mutants_of

here = Path(sys.argv[1])
mutants, results = mutants_of(here / "toy.py", here), Results(here / "results.jsonl")
campaign = Campaign(mutants, "", results, budget=5, say=lambda words: None)
options = ["-q", "-p", "no:xdist", "-p", "no:cov", "-p", "no:cacheprovider"]
pytest.main([*options, str(here / "test_toy.py")], plugins=[campaign])
"""


def campaign(place: Path, tests: str) -> dict[str, str]:
    """Run a campaign over the toy; return how its mutants ended."""
    (place / "toy.py").write_text(TOY, encoding="utf-8")
    (place / "test_toy.py").write_text(tests, encoding="utf-8")
    (place / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    paths = [str(place), *filter(None, sys.path)]
    code = f"import sys; sys.path[:0] = {paths!r}\n{RUN}"
    subprocess.run([sys.executable, "-c", code, str(place)], check=True, cwd=place, stdout=subprocess.DEVNULL)
    results = Results(place / "results.jsonl")
    return {mutant.name: results.of(mutant)["status"] for mutant in mutants_of(place / "toy.py", place)}


def test_a_strong_test_kills_what_a_weak_one_lets_live(tmp_path):
    (tmp_path / "weak").mkdir()
    (tmp_path / "strong").mkdir()
    weak, strong = campaign(tmp_path / "weak", WEAK), campaign(tmp_path / "strong", STRONG)
    border = "toy.py::is_crowd: `people >= max(k, 1)` -> `people > max(k, 1)`"
    assert weak[border] == SURVIVED
    assert strong[border] == KILLED
    assert {status for name, status in strong.items() if "unused" in name} == {UNSEEN}


def test_a_test_that_fails_without_the_mutant_kills_nothing(tmp_path):
    found = campaign(tmp_path, TIRED)
    assert found["toy.py::is_crowd: `people >= max(k, 1)` -> `people > max(k, 1)`"] == KILLED
    assert found["toy.py::is_crowd: `max(k, 1)` -> `min(k, 1)`"] == UNSEEN


def test_names_and_digests_survive_edits_elsewhere(tmp_path):
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    before = {mutant.name: mutant.digest for mutant in mutants_of(tmp_path / "toy.py", tmp_path)}
    (tmp_path / "toy.py").write_text(
        TOY.replace("range(3)", "range(4)").replace("def is", "\n\n# Hm.\ndef is"), "utf-8"
    )
    after = {mutant.name: mutant.digest for mutant in mutants_of(tmp_path / "toy.py", tmp_path)}
    same = {name for name in before if "is_crowd" in name}
    assert len(same) == 2
    assert {name: before[name] for name in same} == {name: after[name] for name in same}
    assert not {before[name] for name in before if name not in same} & set(after.values())


def test_a_mutant_is_seen_by_whoever_has_the_function(tmp_path):
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    toy = types.ModuleType("toy")
    exec(TOY, vars(toy))
    held_elsewhere = toy.is_crowd
    [mutant] = [each for each in mutants_of(tmp_path / "toy.py", tmp_path) if "people > max" in each.name]
    assert held_elsewhere(3, 3)
    put_into(toy, mutant)
    assert not held_elsewhere(3, 3)


def test_only_mutants_that_are_killed_or_explained_end_well(tmp_path, capfd):
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    first, results = mutants_of(tmp_path / "toy.py", tmp_path)[0], Results(tmp_path / "results.jsonl")
    assert report([first], results, {}, []) == 1
    assert "0 survivors not explained, 1 not tried" in capfd.readouterr().out
    results.add(first, status=SURVIVED)
    assert report([first], results, {}, []) == 1
    assert report([first], results, {first.name: "the same"}, []) == 0
    assert "1 mutants: 0 killed (0 by a time limit), 1 equivalent" in capfd.readouterr().out
    assert report([first], results, {first.name: "the same"}, ["toy.py::gone"]) == 1
    results.add(first, status=KILLED, by="test_toy.py::test_border")
    assert report([first], results, {}, []) == 0
    assert report([first], results, {first.name: "the same"}, []) == 1
    assert "but killed by test_toy.py::test_border" in capfd.readouterr().out
