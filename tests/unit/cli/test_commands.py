"""The command line as a person meets it: what it prints, what it refuses, what it leaves behind."""

import gzip
import json
import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

import disjoin
from disjoin.cli.main import commands, run
from disjoin.generate.baskets import write_baskets


@pytest.fixture(scope="module")
def baskets(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "baskets.csv"
    write_baskets(40, 3, path)
    return path


@pytest.fixture(scope="module")
def release(baskets, tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / "release"
    assert run(["disassociate", str(baskets), "-k", "3", "-m", "2", "-o", str(path), "--quiet"]) == 0
    return path


def told(capfd, *arguments):
    """Run a command; return its exit code and what it printed on standard output and error."""
    code = run([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err


def test_disassociate_writes_a_release_and_tells_about_it(capfd, baskets, tmp_path):
    code, out, err = told(capfd, "disassociate", baskets, "-k", 3, "-m", 2, "-o", tmp_path / "r")
    assert (code, err) == (0, "")
    assert out.startswith("Verified: an attacker who knows")
    assert "up to 2 terms" in out
    assert "\nPrivate          Exactly " in out
    assert {f.name for f in (tmp_path / "r").iterdir()} == {
        "README.md", "clusters.parquet", "datapackage.json", "report.html", "report.json", "subrecords.parquet",
    }  # fmt: skip


def test_json_has_the_public_facts_apart_from_the_private_ones(capfd, baskets, tmp_path):
    code, out, _ = told(capfd, "disassociate", baskets, "-k", 3, "-o", tmp_path / "r", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["input"]["records"] == 40
    assert facts["public"]["guarantee"] == {"type": "km-anonymity", "k": 3, "m": 2}
    assert 0 < facts["private"]["term_mass"] <= 1
    assert "private" not in (tmp_path / "r" / "report.json").read_text()


def test_quiet_is_quiet(capfd, baskets, tmp_path):
    assert told(capfd, "disassociate", baskets, "-k", 3, "-o", tmp_path / "r", "--quiet") == (0, "", "")


@pytest.mark.slow  # without the compiler
def test_verify_accepts_the_release_alone_and_against_its_original(capfd, release, baskets):
    code, out, _ = told(capfd, "verify", release)
    assert code == 0
    assert "The guarantee holds." in out
    code, out, _ = told(capfd, "verify", release, "--original", baskets, "--json")
    verdict = json.loads(out)
    assert code == 0
    assert verdict["holds"] is True
    assert verdict["guarantee"]["k"] == 3
    assert verdict["violations"] == []


def test_verify_refuses_a_stronger_requirement_with_places(capfd, release):
    code, out, _ = told(capfd, "verify", release, "-k", 50, "--json")
    verdict = json.loads(out)
    assert code == 3
    assert not verdict["holds"]
    assert verdict["facts"]["stated"]["k"] == 3
    assert any(v["invariant"] == "V6" and "cluster" in v["place"] for v in verdict["violations"])
    code, out, _ = told(capfd, "verify", release, "-k", 50)
    assert code == 3
    assert "The guarantee does not hold." in out


@pytest.mark.slow
def test_verify_refuses_another_original(capfd, release, tmp_path):
    other = tmp_path / "other.csv"
    write_baskets(40, 4, other)
    code, _, _ = told(capfd, "verify", release, "--original", other)
    assert code == 3


def test_a_tampered_release_is_refused(capfd, release, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in release.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    table = pq.read_table(copy / "subrecords.parquet")
    pq.write_table(table.slice(1), copy / "subrecords.parquet")
    code, out, _ = told(capfd, "verify", copy, "--json")
    assert code == 3
    assert {v["invariant"] for v in json.loads(out)["violations"]} >= {"F1"}


def test_show_draws_clusters(capfd, release):
    code, out, _ = told(capfd, "show", release)
    assert code == 0
    assert "record chunk 0" in out
    assert "term chunk" in out
    code, out, _ = told(capfd, "show", release, "--cluster", 0, "--json")
    assert json.loads(out)["clusters"][0]["cluster"] == 0
    code, _, err = told(capfd, "show", release, "--cluster", 99999)
    assert code == 2
    assert "there is no cluster 99999" in err


def test_inspect_counts_unique_records_exactly(capfd, tmp_path):
    file = tmp_path / "few.csv"
    file.write_text("a,b\na,b\na,c\nb,c\na,b\n\na,a,b\n")
    code, out, _ = told(capfd, "inspect", file, "--json")
    facts = json.loads(out)
    assert code == 0
    assert (facts["records"], facts["blank_records"], facts["repeated_terms"]) == (6, 1, 1)
    assert [row["unique_records"] for row in facts["known_terms"]] == [0, 2, 2]
    assert [row["largest_k"] for row in facts["known_terms"]] == [2, 1, 1]
    code, out, _ = told(capfd, "inspect", file)
    assert "6 records, 3 terms" in out
    assert "knowing 2 terms singles out" in out


def test_standard_input_works(baskets, tmp_path):
    command = [sys.executable, "-m", "disjoin", "disassociate", "-", "-k", "3", "-o", str(tmp_path / "r"), "--quiet"]
    result = subprocess.run(command, input=baskets.read_bytes(), capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "r" / "clusters.parquet").exists()


def test_a_plan_does_the_same_as_the_command(capfd, baskets, release, tmp_path):
    (tmp_path / "plan.toml").write_text(
        f'[input]\npath = "{baskets}"\n\n[method]\nname = "disassociation"\nk = 3\nm = 2\n\n[output]\npath = "made"\n'
    )
    assert told(capfd, "run", tmp_path / "plan.toml", "--quiet") == (0, "", "")
    for file in release.iterdir():
        assert (tmp_path / "made" / file.name).read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[input]\npath = 'x'\n", r"the plan needs a table \[output\]"),
        ("[input]\n[output]\npath='r'\n", r"\[input\] needs a path"),
        ("[input]\npath='x'\n[output]\npath='r'\n[method]\nkay = 5\n", "no setting 'kay'; known are k, m"),
        (
            "[input]\npath='x'\n[output]\npath='r'\n[method]\nname = 'magic'\n",
            "name must be one of disassociation, cahd",
        ),
        ("k = = 5", "a plan must be a valid TOML file"),
    ],
)
def test_a_wrong_plan_is_one_sentence(capfd, tmp_path, text, message):
    import re

    (tmp_path / "plan.toml").write_text(text)
    code, _, err = told(capfd, "run", tmp_path / "plan.toml")
    assert code == 2
    assert re.search(message, err)
    assert err.count("\n") == 1


@pytest.mark.slow  # without the compiler
def test_a_release_that_exists_is_kept_unless_overwriting_is_asked_for(capfd, baskets, release, tmp_path):
    target = tmp_path / "r"
    assert told(capfd, "disassociate", baskets, "-k", 3, "-o", target, "-q")[0] == 0
    before = (target / "datapackage.json").read_bytes()
    code, _, err = told(capfd, "disassociate", baskets, "-k", 4, "-o", target, "-q")
    assert code == 2
    assert "--overwrite" in err
    assert (target / "datapackage.json").read_bytes() == before
    assert told(capfd, "disassociate", baskets, "-k", 4, "-o", target, "-q", "--overwrite")[0] == 0
    assert (target / "datapackage.json").read_bytes() != before


BAD = {
    "k below 2": (["-k", "1"], None, 2, "k must be a whole number of at least 2, got 1"),
    "m below 1": (["-m", "0"], None, 2, "m must be a whole number of at least 1, got 0"),
    "too small clusters": (["-k", "5", "--max-cluster-size", "5"], None, 2, "max_cluster_size must be greater than 5"),
    "l without sensitive terms": (["-l", "3"], None, 2, "l needs sensitive terms"),
    "fewer records than k": (["-k", "5"], b"a,b\na\nb\n", 4, "3 records cannot form a cluster of at least 5"),
    "an impossible l": (["-k", "2", "--sensitive", "b", "-l", "3"], b"a,b\n" * 9, 4, "'b' is in 9 of 9 records"),
    "everything suppressed": (["-k", "3", "--max-cluster-size", "4", "--strategy", "suppression"],
                              b"a\na\nb\nb\n", 4, "suppress all records"),
    "an empty file": ([], b"", 2, "data.csv"),
    "only blank lines": ([], b"\n\n  \n", 2, "data.csv"),
    "a binary file": ([], bytes(range(256)) * 8, 2, "data.csv"),
    "a truncated gzip": ([], gzip.compress(b"a,b\n" * 9000)[:-20], 2, "data.csv"),
    "invalid UTF-8": ([], b"a,b\nc,\xff\xfe\n" + b"a,b\n" * 9, 2, "line 2"),
    "an unterminated quote": ([], b'a,b\n"c,d\na\n', 2, "line 2"),
    "an empty term": ([], b"a,b\na,,b\n", 2, "line 2"),
    "a gzip bomb": (["--max-bytes", "1000"], gzip.compress(b"a,b\n" * 99000), 2, "--max-bytes"),
    "a missing column": (["--format", "long", "--id", "id", "--terms", "nope"],
                         b"id,item\n1,a\n1,b\n", 2, "nope"),
    "an unknown format": (["--format", "xml"], b"a,b\n", 2, "xml"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_sentence_and_nothing_is_written(capfd, baskets, tmp_path, case):
    options, content, expected, message = BAD[case]
    source = baskets
    if content is not None:
        source = tmp_path / "data.csv"
        source.write_bytes(content)
    folder = tmp_path / "out"
    folder.mkdir()
    code, out, err = told(capfd, "disassociate", source, *options, "-o", folder / "r")
    assert code == expected, err
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert list(folder.iterdir()) == []


def test_a_missing_file_and_a_missing_release_are_clear(capfd, tmp_path):
    code, _, err = told(capfd, "inspect", tmp_path / "absent.csv")
    assert code == 2
    assert "absent.csv" in err
    code, _, err = told(capfd, "verify", tmp_path / "absent")
    assert code == 2
    assert "absent" in err


def test_a_sensitive_term_that_is_not_there_is_an_error_unless_it_is_allowed(capfd, baskets, tmp_path):
    command = ("disassociate", baskets, "-k", 3, "--sensitive", "caviar", "-o", tmp_path / "r", "-q")
    code, _, err = told(capfd, *command)
    assert code == 2
    assert "nothing is found for the term 'caviar'" in err
    assert not (tmp_path / "r").exists()
    code, _, err = told(capfd, *command, "--allow-missing-sensitive")
    assert code == 0
    assert "Warning: not in the data, and ignored: the sensitive term 'caviar'." in err
    assert "caviar" not in (tmp_path / "r" / "datapackage.json").read_text()


def test_sensitive_terms_come_from_a_file_or_a_list(capfd, baskets, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("gin\nmilk\n")
    for number, given in enumerate((names, "gin,milk")):
        out = tmp_path / str(number)
        assert told(capfd, "disassociate", baskets, "-k", 3, "-l", 2, "--sensitive", given, "-o", out, "-q")[0] == 0
        stated = json.loads((out / "datapackage.json").read_text())["disjoin"]["guarantee"]
        assert stated["sensitive"] == ["gin", "milk"]
        assert stated["l"] == 2


@pytest.mark.slow  # without the compiler
@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits on file sizes are set for a child process")
def test_a_full_disk_leaves_nothing_behind(baskets, tmp_path):
    program = (
        "import resource, sys\n"
        "from disjoin.cli.main import run\n"
        f"run(['disassociate', {str(baskets)!r}, '-k', '3', '-o', {str(tmp_path / 'warm')!r}, '-q'])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))\n"
        f"sys.exit(run(['disassociate', {str(baskets)!r}, '-k', '3', '-o', {str(tmp_path / 'out' / 'r')!r}, '-q']))\n"
    )
    (tmp_path / "out").mkdir()
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.returncode == 2, result.stderr
    assert result.stderr.startswith("Error: ")
    assert "Traceback" not in result.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_ctrl_c_in_the_middle_leaves_nothing_behind(monkeypatch, capfd, baskets, tmp_path):
    from disjoin.release import reader as door

    def interrupted(*arguments, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(door, "_described", interrupted)  # the tables are written, the descriptor is not
    code, out, err = told(capfd, "disassociate", baskets, "-k", 3, "-o", tmp_path / "r", "-q")
    assert (code, out) == (130, "")
    assert "no incomplete result remains" in err
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_leaves_early_is_no_error(baskets):
    command = f"{sys.executable} -m disjoin inspect {baskets} | head -1"
    result = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert result.returncode == 0
    assert result.stderr == ""


@pytest.mark.parametrize("name", commands())
def test_every_command_has_help(capfd, name):
    code, out, _ = told(capfd, name, "--help")
    assert code == 0
    assert out.startswith(f"Usage: disjoin {name}")


def test_generate_does_not_overwrite_by_itself(capfd, tmp_path):
    out = tmp_path / "b.csv"
    assert told(capfd, "generate", "baskets", "-n", 20, "-o", out)[0] == 0
    before = out.read_bytes()
    code, _, err = told(capfd, "generate", "baskets", "-n", 20, "--seed", 9, "-o", out)
    assert code == 2
    assert "exists already" in err
    assert out.read_bytes() == before
    assert told(capfd, "generate", "quest", "-n", 20, "-o", out, "--overwrite")[0] == 0


@pytest.mark.parametrize("given", ["absent.txt", "folder/absent", ".", ",", ""])
def test_a_misspelt_list_of_sensitive_terms_is_an_error(capfd, baskets, tmp_path, given):
    code, _, err = told(capfd, "disassociate", baskets, "-k", 3, "--sensitive", given, "-o", tmp_path / "r", "-q")
    assert code == 2
    assert "one term per line" in err
    assert not (tmp_path / "r").exists()


def test_sensitive_terms_may_be_given_several_times(capfd, baskets, tmp_path):
    given = ("--sensitive", "milk", "--sensitive", "eggs")
    assert told(capfd, "disassociate", baskets, "-k", 3, *given, "-o", tmp_path / "r", "-q")[0] == 0
    stated = json.loads((tmp_path / "r" / "datapackage.json").read_text())["disjoin"]["guarantee"]
    assert stated["sensitive"] == ["eggs", "milk"]


@pytest.mark.slow  # without the compiler
def test_a_plan_reads_sensitive_terms_from_a_file_beside_it(capfd, baskets, tmp_path):
    (tmp_path / "names.txt").write_text("milk\n")
    for given in ('"names.txt"', '["milk"]', '"milk"'):
        (tmp_path / "plan.toml").write_text(
            f'[input]\npath = "{baskets}"\n[method]\nk = 3\nsensitive = {given}\n'
            '[output]\npath = "made"\noverwrite = true\n'
        )
        assert told(capfd, "run", tmp_path / "plan.toml", "--quiet")[0] == 0
        stated = json.loads((tmp_path / "made" / "datapackage.json").read_text())["disjoin"]["guarantee"]
        assert stated["sensitive"] == ["milk"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('overwrite = "no"', "overwrite must be true or false, got 'no'"),
        ("[engine]\nthreads = -1", "threads must be a whole number"),
        ("[method]\nsensitive = 5", "sensitive must be a list of terms, got 5"),
        ("[method]\nsensitive = [true]", "a sensitive term must be a string, got True"),
    ],
)
def test_a_plan_says_what_is_wrong_with_a_value_and_in_which_file(capfd, baskets, tmp_path, lines, message):
    (tmp_path / "plan.toml").write_text(f'[input]\npath = "{baskets}"\n[output]\npath = "made"\n{lines}\n')
    code, _, err = told(capfd, "run", tmp_path / "plan.toml")
    assert code == 2
    assert message in err
    assert "plan.toml" in err


def test_verify_can_require_more_than_the_release_states(capfd, release):
    assert told(capfd, "verify", release, "-k", 0)[0] == 2
    assert told(capfd, "verify", release, "-m", 0)[0] == 2
    code, out, _ = told(capfd, "verify", release, "--sensitive", "milk", "-l", 2)
    assert code == 3
    assert "sensitive terms, in any spelling, must be in term chunks only" in out
    assert "The release itself states k = 3, m = 2" in out


@pytest.mark.slow
def test_verify_says_what_it_cannot_check(capfd, baskets, tmp_path):
    target = tmp_path / "r"
    run(["disassociate", str(baskets), "-k", "3", "--sensitive", "milk", "-l", "2", "-o", str(target), "-q"])
    code, out, _ = told(capfd, "verify", target, "--original", baskets)
    assert code == 0
    assert "Not checked: that in every cluster at most one record in 2" in out


def test_a_folder_named_like_markup_is_no_trouble(capfd, baskets, tmp_path):
    code, out, err = told(capfd, "disassociate", baskets, "-k", 3, "-o", tmp_path / "z[bold]x")
    assert (code, err) == (0, "")
    assert "z[bold]x" in out


def test_a_terminal_without_our_letters_gets_question_marks(release):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "disjoin", "show", str(release)]
    result = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr


def test_the_exit_code_of_verify_survives_a_reader_that_leaves(release):
    command = f"{sys.executable} -m disjoin verify {release} -k 50 --json | true; exit ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", command], capture_output=True, check=False).returncode == 3


def test_a_sensitive_term_that_is_also_a_file_is_not_guessed(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baskets.csv").write_text("tea,pills\ntea\nmilk\nmilk,test\n")
    (tmp_path / "pills").write_text("test\n")
    code, _, err = told(capfd, "cahd", "baskets.csv", "--sensitive", "pills", "-p", "2", "-o", "release")
    assert code == 2
    assert "'pills' may be a term, but there is a file of that name" in err
    for number, given in enumerate(["./pills", "pills,"]):
        assert told(capfd, "cahd", "baskets.csv", "--sensitive", given, "-p", "2", "-o", f"release{number}")[0] == 0
    assert disjoin.load("release0").published.sensitive_terms() == ("test",)
    assert disjoin.load("release1").published.sensitive_terms() == ("pills",)
