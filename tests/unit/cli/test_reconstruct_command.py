"""disjoin reconstruct: what it writes, says and refuses."""

import json
from collections import Counter

import pytest

import disjoin
from disjoin.cli import analyse
from disjoin.cli.main import run
from disjoin.generate.baskets import write_baskets
from disjoin.release import reconstructions as worlds
from oracle.worlds import misfits


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    write_baskets(60, 3, folder / "baskets.csv")
    assert run(["disassociate", str(folder / "baskets.csv"), "-k", "3", "-o", str(folder / "release"), "--quiet"]) == 0
    return folder / "release"


def told(capfd, *arguments):
    code = run(["reconstruct", *(str(argument) for argument in arguments)])
    out, err = capfd.readouterr()
    return code, out, err


@pytest.mark.parametrize("format", ["parquet", "csv", "fimi"])
def test_files_hold_what_python_gives(format, capfd, tmp_path):
    visits = [{"flu", "fever"}, {"flu", "cough"}, {"flu", "fever", "cough"}, {"fever", "cough"}, {"flu", "rash"}] * 4
    made = disjoin.disassociate(visits, k=3, m=2)
    made.write(tmp_path / "r")
    code, _, err = told(capfd, tmp_path / "r", "-n", 3, "--seed", 7, "-o", tmp_path / "w", "--format", format)
    assert (code, err) == (0, "")
    for number, world in enumerate(made.reconstruct(3, seed=7)):
        written = disjoin.read(tmp_path / "w" / f"reconstruction-{number}.{format}")
        assert Counter(written.to_sets()) == Counter(world.to_sets())


def test_worlds_fit_the_release_and_it_is_said_what_they_are(capfd, release, tmp_path):
    code, out, _ = told(capfd, release, "-o", tmp_path / "w", "--rare", "uniform")
    assert code == 0
    assert "1 possible original of 60 records" in out
    assert "not the original" in out
    world = disjoin.read(tmp_path / "w" / "reconstruction-0.parquet")
    assert misfits(disjoin.load(release).published.to_nested(), world.to_sets()) == []


def test_json_tells_the_facts_and_quiet_tells_nothing(capfd, release, tmp_path):
    code, out, _ = told(capfd, release, "-n", 2, "-o", tmp_path / "w", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["files"] == ["reconstruction-0.parquet", "reconstruction-1.parquet"]
    assert (facts["records"], facts["seed"], facts["format"], facts["rare"]) == (60, 0, "parquet", "once")
    assert told(capfd, release, "-o", tmp_path / "q", "--quiet") == (0, "", "")


def test_the_same_seed_writes_the_same_bytes(capfd, release, tmp_path):
    for name in ("a", "b"):
        assert told(capfd, release, "--seed", 5, "-o", tmp_path / name)[0] == 0
    assert told(capfd, release, "--seed", 6, "-o", tmp_path / "c")[0] == 0
    first, second, other = ((tmp_path / n / "reconstruction-0.parquet").read_bytes() for n in "abc")
    assert first == second != other


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["-n", "0"], "'-n': 0 is not in the range"),
        (["--seed", "-1"], "'--seed': -1 is not in the range"),
        (["--format", "xml"], "'--format'"),
        (["--format", "fimi"], "FIMI separates terms by blanks. Use Parquet instead."),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence_and_leaves_nothing(arguments, words, capfd, release, tmp_path):
    code, out, err = told(capfd, release, "-o", tmp_path / "w", *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_taken_place_is_seen_before_the_release_is_read(capfd, tmp_path):
    (tmp_path / "w").mkdir()
    code, _, err = told(capfd, tmp_path / "no such release", "-o", tmp_path / "w")
    assert code == 2
    assert "already exists" in err
    code, _, err = told(capfd, tmp_path / "no such release", "-o", tmp_path / "v")
    assert code == 2
    assert "no such release" in err


def test_an_interrupt_leaves_nothing_behind(capfd, release, tmp_path, monkeypatch):
    from disjoin.analyst import reconstruction_search

    def interrupted(*arguments, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(reconstruction_search, "records_of", interrupted)
    code, _, err = told(capfd, release, "-o", tmp_path / "w")
    assert code == 130
    assert "Interrupted" in err
    assert list(tmp_path.iterdir()) == []


def test_every_format_that_can_be_written_can_be_chosen():
    assert set(analyse.FORMATS) == set(worlds.FORMATS)


def test_the_help_says_that_it_is_not_the_original(capfd):
    code, out, _ = told(capfd, "--help")
    assert code == 0
    assert "one possible original, not the original" in " ".join(out.split())
