"""The analyst's questions on the command line: what is printed, what is refused."""

import csv
import io
import json

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.readers.term_lists import itemset_from, itemset_text, itemsets_in
from disjoin.verify import certify
from helpers.releases import figure_3
from oracle.inspection import canonical

HEAD = ["itemset", "seen", "at_least", "estimate", "at_most"]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / "release"
    published = disjoin.Clusters.from_nested(canonical(figure_3().to_nested()))
    guarantee = disjoin.KmAnonymity(k=3, m=2)
    certify(published, guarantee, method="disassociation", parameters={"k": 3, "m": 2}).write(path)
    return path


@pytest.fixture(scope="module")
def odd_release(tmp_path_factory):
    path = tmp_path_factory.mktemp("odd") / "release"
    disjoin.disassociate([["milk, 1 l", 'say "tea"', "[red]jam\x1b[2J"]] * 9, k=3, m=2).write(path)
    return path


def told(capfd, *arguments):
    """Run a command; return its exit code and what it printed on standard output and error."""
    code = run([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err


def test_support_prints_bounds_and_estimates(capfd, release):
    code, out, err = told(capfd, "support", release, "audi a4,madonna", "itunes, ikea")
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[1] == ["audi", "a4,madonna", "0", "2", "2.4", "3"]
    assert lines[2] == ["ikea,itunes", "0", "0", "1.6", "4"]


def test_support_says_which_terms_it_does_not_know(capfd, release):
    code, out, err = told(capfd, "support", release, "ikea,beer", '"x, y"')
    assert code == 0
    assert err == '2 terms are not in the release: beer, "x, y".\n'
    assert out.splitlines()[1].split() == ["beer,ikea", "0", "0", "0.0", "0"]


def test_support_prints_csv_that_can_be_read_back(capfd, odd_release):
    _, out, _ = told(capfd, "support", odd_release, '"milk, 1 l","say ""tea"""', "--csv")
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[0] == HEAD
    assert itemset_from(rows[1][0]) == ["milk, 1 l", 'say "tea"']
    assert rows[1][1:] == ["9", "9", "9.0", "9"]


def test_support_prints_json(capfd, release):
    _, out, _ = told(capfd, "support", release, "viagra", "beer", "--rare", "half", "--json")
    facts = json.loads(out)
    assert facts["records"] == 10
    assert facts["unknown_terms"] == ["beer"]
    assert facts["itemsets"][0] == {
        "itemset": ["viagra"], "seen": 1, "at_least": 1, "estimate": 1.5, "at_most": 5
    }  # fmt: skip


def test_support_reads_itemsets_from_a_file(capfd, release, tmp_path):
    (tmp_path / "asked.txt").write_text('flu,itunes\n\n"ikea"\n', encoding="utf-8")
    code, out, _ = told(capfd, "support", release, "ruby", "--file", tmp_path / "asked.txt", "--csv")
    assert code == 0
    assert [row[0] for row in csv.reader(io.StringIO(out))] == ["itemset", "ruby", "flu,itunes", "ikea"]


def test_nothing_in_a_term_reaches_the_terminal_as_a_command(capfd, odd_release):
    _, out, _ = told(capfd, "mine", odd_release)
    assert "\x1b" not in out
    assert "[red]jam\\x1b[2J" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected itemsets"),
        (["flu,,itunes"], "found an empty field"),
        (['"flu'], "Quote a term with a comma or a quote"),
        (["flu", "--csv", "--json"], "choose one of --csv and --json"),
        (["--file", "nowhere.txt"], "nowhere.txt: there is no such file"),
    ],
)
def test_support_refuses_nonsense_in_a_sentence(capfd, release, arguments, message):
    code, out, err = told(capfd, "support", release, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("Error: ")


def test_mine_prints_the_best_and_says_how_many_more_there_are(capfd, release):
    code, out, err = told(capfd, "mine", release, "--top", 25)
    assert (code, err) == (0, "")
    assert out.splitlines()[1].split() == ["madonna", "8", "8", "8.0", "8"]
    assert out.splitlines()[-1] == "5 more: --output FILE writes all, --json prints them."


def test_mine_takes_a_share_or_a_count(capfd, release):
    share = json.loads(told(capfd, "mine", release, "--min-support", "0.4", "--all", "--json")[1])
    count = json.loads(told(capfd, "mine", release, "--min-support", "4", "--json")[1])
    assert share["itemsets"] == count["itemsets"]
    assert len(share["itemsets"]) == 7
    assert "top" not in share
    assert count["top"] == 1000
    assert told(capfd, "mine", release, "--min-support", "9")[1].endswith("No itemset is frequent enough.\n")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_mine_writes_all_itemsets(capfd, release, tmp_path, suffix):
    path = tmp_path / "new" / f"itemsets.{suffix}"
    code, out, err = told(capfd, "mine", release, "--max-size", 2, "-o", path)
    assert (code, out) == (0, "")
    mined = disjoin.load(release).mine(max_size=2)
    assert err == f"{mined.num_rows} itemsets are in {path}.\n"
    if suffix == "parquet":
        assert pq.read_table(path).equals(mined)
    else:
        table = pyarrow.csv.read_csv(path)
        assert [itemset_from(text) for text in table["itemset"].to_pylist()] == mined["itemset"].to_pylist()
        assert table.drop_columns("itemset").equals(mined.drop_columns("itemset"))
    assert told(capfd, "mine", release, "-o", path)[0] == 2
    assert told(capfd, "mine", release, "-o", path, "--overwrite", "--quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--top", "0"], "top must be a whole number"),
        (["--max-size", "0"], "max_size must be a whole number"),
        (["--min-support", "1.5"], "min_support must be a share"),
        (["--min-support", "much"], "--min-support must be a number, such as 0.01 or 50, got 'much'"),
        (["--all"], "--all needs --min-support"),
        (["-o", "itemsets.txt"], "ends in .parquet or .csv"),
    ],
)
def test_mine_refuses_nonsense_in_a_sentence(capfd, release, arguments, message):
    code, out, err = told(capfd, "mine", release, *arguments)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("command", ["support", "mine"])
def test_what_is_no_release_is_refused(capfd, tmp_path, command):
    code, _, err = told(capfd, command, tmp_path / "nowhere", *(["flu"] if command == "support" else []))
    assert code == 2
    assert "expected a release folder" in err


@pytest.mark.parametrize("terms", [["tea"], ["a,b", 'c"d', " e ", "f g", '"', ",", "\ttab"], ["ü", "x"]])
def test_an_itemset_written_is_read_as_it_was(terms):
    assert itemset_from(itemset_text(terms)) == terms


def test_a_file_of_itemsets_says_where_it_is_wrong(tmp_path):
    (tmp_path / "asked.txt").write_bytes(b"tea\n\nmilk,\n")
    with pytest.raises(disjoin.UnreadableInput, match=r"asked\.txt, line 3: expected a term, found an empty field"):
        itemsets_in(str(tmp_path / "asked.txt"))
    (tmp_path / "asked.txt").write_bytes(b"\xff")
    with pytest.raises(disjoin.UnreadableInput, match="UTF-8"):
        itemsets_in(str(tmp_path / "asked.txt"))
    (tmp_path / "asked.txt").write_bytes(b"\n")
    with pytest.raises(disjoin.UnreadableInput, match="found none"):
        itemsets_in(str(tmp_path / "asked.txt"))
    with pytest.raises(disjoin.UnreadableInput, match="cannot be read"):
        itemsets_in(str(tmp_path))
