"""The receiver's and the steward's commands on a release of groups: what is printed, what is refused."""

import json

import pytest

import disjoin
from disjoin.cli.main import run
from unit.measure.crowds import crowd, sealed_groups

DRAWN = crowd([{"tea", "jam", "pills"}, {"tea"}, {"jam"}], [{"rum"}, {"tea"}, {"bread", "jam"}])
RELEASE = sealed_groups(DRAWN.published, p=3)


@pytest.fixture(autouse=True)
def loaded(monkeypatch):
    """Let every command find this release: these tests are not about folders."""
    monkeypatch.setattr("disjoin.pipeline.load", lambda path: RELEASE)


@pytest.fixture
def original(tmp_path):
    file = tmp_path / "baskets.csv"
    lines = "".join(",".join(sorted(record)) + "\n" for group in DRAWN.groups for record in group)
    file.write_text(lines, encoding="utf-8")
    return str(file)


def told(capfd, *arguments):
    code = run([str(argument) for argument in arguments])
    return code, *capfd.readouterr()


def test_supports_are_printed_with_their_bounds(capfd):
    code, out, err = told(capfd, "support", "release", "tea,pills", "pills", "gin", "--csv")
    assert code == 0
    assert out == (
        "itemset,seen,at_least,estimate,at_most\n"
        '"pills,tea",0,0,0.6666666666666666,1\n"pills",1,1,1.0,1\n"gin",0,0,0.0,0\n'
    )
    assert "1 term is not in the release: gin" in err
    assert "0.7" in told(capfd, "support", "release", "tea,pills")[1]


def test_mining_and_rare_terms_are_refused_with_a_sentence(capfd):
    for arguments, message in (
        (["mine", "release"], "mine works with clusters, and this release has groups: ask support"),
        (["support", "release", "tea", "--rare", "half"], "rare is about term chunks, which groups do not have"),
    ):
        code, out, err = told(capfd, *arguments)
        assert (code, out) == (2, "")
        assert message in " ".join(err.split())


def test_possible_originals_are_written_and_read_back(capfd, tmp_path):
    code, out, _ = told(capfd, "reconstruct", "release", "-n", "2", "--seed", "5", "-o", tmp_path / "worlds")
    assert code == 0
    assert "2 possible originals of 6 records" in out
    for number, world in enumerate(RELEASE.reconstruct(2, 5)):
        file = tmp_path / "worlds" / f"reconstruction-{number}.parquet"
        assert disjoin.read(file).to_sets() == world.to_sets()


def test_an_evaluation_is_printed_with_the_measures_of_groups(capfd, original):
    code, out, err = told(capfd, "evaluate", "release", "--original", original)
    assert (code, err) == (0, "")
    assert "Private: these are facts about the original." in out
    for words in (
        "kl",
        "association_error",
        "largest_group",
        "bare_records: An attacker who knows that a person has no",
    ):
        assert words in " ".join(out.split())
    assert "tkd" not in out
    assert "Relative error" not in out


def test_json_has_what_python_gives(capfd, original):
    options = ["-r", "2", "--queries", "7", "--seed", "9", "--json"]
    code, out, _ = told(capfd, "evaluate", "release", "--original", original, *options)
    assert code == 0
    facts = json.loads(out)
    assert facts == disjoin.evaluate(RELEASE, DRAWN.original, r=2, queries=7, seed=9).to_json()
    assert facts["settings"] == {"seed": 9, "r": 2, "queries": 7, "p": 3}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--measure", "tkd_a"], "the measure 'tkd_a' is for releases of clusters, and this one has groups"),
        (["-r", "0"], "r must be a whole number of at least 1, got 0"),
        (["--queries", "0"], "queries must be a whole number of at least 1, got 0"),
    ],
)
def test_what_cannot_be_measured_is_said_in_a_sentence(capfd, original, arguments, message):
    code, out, err = told(capfd, "evaluate", "release", "--original", original, *arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())


def test_a_hierarchy_is_refused_for_groups(capfd, original, tmp_path):
    (tmp_path / "items.csv").write_text("tea;*\njam;*\n", encoding="utf-8")
    code, out, err = told(capfd, "evaluate", "release", "--original", original, "--hierarchy", tmp_path / "items.csv")
    assert (code, out) == (2, "")
    assert "no measure of groups looks at a hierarchy" in " ".join(err.split())
