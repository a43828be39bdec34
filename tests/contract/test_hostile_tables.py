"""What a hostile reviewer of generalised tables tried: what held is held to, and what gave way stays mended."""

from __future__ import annotations

import random
from fractions import Fraction

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.cli.main import run
from disjoin.cli.publish import command_of
from disjoin.errors import InvalidParameter
from disjoin.methods.generalization import ALGORITHM_NAMES, Generalization
from disjoin.model import Hierarchy, KAnonymity
from disjoin.model.intervals import in_order
from helpers.hypothesis_profile import examples

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # what users are told is tested by itself

HEADER = "name,age,sex,ill"
ROWS = ["ann,20,f,flu", "bob,21,m,flu", "cid,-3.5,m,hiv", "dan,31,f,flu", "eve,?,f,hiv", "fay,41,f,flu"]
ASKED = ("--quasi", "age,sex", "--identifiers", "name", "--others", "ill", "-k", "2")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Go to a folder with a table and a hierarchy of one column."""
    monkeypatch.chdir(tmp_path)
    furnish(tmp_path)
    return tmp_path


def furnish(place):
    (place / "people.csv").write_text("\n".join([HEADER, *ROWS]) + "\n")
    (place / "trees").mkdir()
    (place / "trees" / "sex.csv").write_text("f;*\nm;*\n")


def told(capfd, *arguments):
    code = run([str(argument) for argument in arguments])
    captured = capfd.readouterr()
    assert "Traceback" not in captured.err
    return code, captured.out + captured.err


def contents(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """Make a release once: drawing its report takes longest."""
    place = tmp_path_factory.mktemp("release")
    furnish(place)
    asked = (*ASKED, "--hierarchies", str(place / "trees"), "-q", "-o", str(place / "out"))
    assert run(["generalize", str(place / "people.csv"), *asked]) == 0
    return place / "out"


def test_a_release_fits_an_original_with_more_columns(place, release, capfd):
    assert told(capfd, "verify", release, "--original", "people.csv")[0] == 0
    assert told(capfd, "verify", release, "--original", "people.csv", "--identifiers", "name")[0] == 0


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (("--identifiers", "name"), "--identifiers names columns of the original: add --original FILE."),
        (("--identifiers", "nobody", "--original", "people.csv"), "there is no column 'nobody'"),
    ],
)
def test_identifiers_that_make_no_sense_are_refused(place, release, capfd, more, expected):
    code, said = told(capfd, "verify", release, *more)
    assert (code, expected in said) == (2, True)


def test_no_file_of_a_release_names_anybody(release):
    for path, content in contents(release).items():
        for name in (b"ann", b"bob", b"cid", b"dan", b"eve", b"fay"):
            assert b"," + name + b"," not in content, path
            assert b'"' + name + b'"' not in content, path
    assert pq.read_table(release / "table.parquet").column_names == ["age", "sex", "ill"]


def test_bytes_depend_neither_on_the_order_of_rows_nor_on_names_of_people_or_files(place, release, capfd):
    shuffled = [f"{number}{row[3:]}" for number, row in enumerate(random.Random(5).sample(ROWS, len(ROWS)))]
    (place / "other.csv").write_text("\n".join([HEADER, *shuffled]) + "\n")
    (place / "trees" / "sex.csv").write_text("m;*\nf;*\n")
    assert told(capfd, "generalize", "other.csv", *ASKED, "--hierarchies", "trees", "-q", "-o", "again")[0] == 0
    assert contents(release) == contents(place / "again")


@pytest.mark.parametrize("algorithm", ALGORITHM_NAMES)
@pytest.mark.parametrize("asked", [{}, {"alpha": "3/4", "l": 2}])
def test_no_algorithm_looks_at_the_order_of_rows_or_at_names_of_people(algorithm, asked):
    people = [dict(zip(HEADER.split(","), row.split(","), strict=True)) for row in ROWS]
    sex = {"sex": Hierarchy.from_rows([["f", "*"], ["m", "*"]])}
    others = [{**row, "name": str(number)} for number, row in enumerate(random.Random(5).sample(people, len(people)))]
    settings = {"identifiers": "name", "sensitive": "ill", "algorithm": algorithm, **asked}
    one, other = (disjoin.generalize(rows, 2, ["age", "sex"], hierarchies=sex, **settings) for rows in (people, others))
    assert one.published == other.published


def test_kaca_can_be_told_to_take_whole_classes():
    command = command_of("generalization")
    for flag, stub in ((["--no-stub"], False), ([], True)):
        assert command.make_context("generalize", ["people.csv", *flag, "-o", "out"]).params["stub"] is stub


@pytest.mark.parametrize("alpha", ["1e999999", "1e-999999999", "1" * 5000, "1/0", "nan", "", "٣/٤", "0x1"])
def test_a_share_that_is_no_number_or_far_too_long_is_refused_at_once(place, capfd, alpha):
    asked = ("--quasi", "age", "--sensitive", "ill", "-k", "2", "--alpha", alpha)
    code, said = told(capfd, "generalize", "people.csv", *asked, "-q", "-o", "out")
    assert (code, "alpha must be a number such as 0.5 or 1/2" in said) == (2, True)
    assert len(said) < 300
    assert not (place / "out").exists()


def test_shares_are_taken_as_people_write_them():
    for written in (0.5, "0.5", "1/2", " .5 ", "5e-1", "+50E-2"):
        assert KAnonymity(2, "age", "ill", written).to_json()["alpha"] == "1/2"


@pytest.mark.parametrize("name", ["quasi", "sensitive", "identifiers"])
@pytest.mark.parametrize("given", [5, True, 1.5, [5]])
def test_columns_that_are_no_names_are_refused_in_words(name, given):
    with pytest.raises(InvalidParameter, match="must be names of columns"):
        Generalization(**{"quasi": ["age"], name: given})


def test_a_plan_with_a_number_for_columns_is_refused_in_words(place, capfd):
    plan = '[input]\npath="people.csv"\n[method]\nname="generalization"\nquasi=5\n[output]\npath="out"\n'
    (place / "plan.toml").write_text(plan)
    code, said = told(capfd, "run", "plan.toml")
    assert (code, "quasi must be names of columns" in said) == (2, True)


@pytest.mark.parametrize("tree", [[["f", "*"], ["m", "*"]], "trees/sex.csv", None])
def test_what_is_no_hierarchy_is_refused_in_words(tree):
    rows = [{"sex": "f"}, {"sex": "m"}]
    with pytest.raises(InvalidParameter, match=r"the hierarchy of 'sex' must be a Hierarchy.*from_rows"):
        disjoin.generalize(rows, 2, ["sex"], hierarchies={"sex": tree})
    sound = Hierarchy.from_rows([["f", "*"], ["m", "*"]])
    assert disjoin.generalize(rows, 2, ["sex"], hierarchies={"sex": sound}).verdict.holds


@pytest.fixture
def foreign(place):
    """Write the same people as another tool would: suppressed, in another order, without names."""
    rows = ["20-29,*,flu", "*,*,hiv", "20-29,*,flu", "*,*,flu", "*,*,hiv", "*,*,flu"]
    (place / "foreign.csv").write_text("\n".join(["age,sex,ill", *rows]) + "\n")
    lines = [f"{age};{group};*" for age, group in (("20", "20-29"), ("21", "20-29"), ("31", "30-39"), ("41", "40-49"))]
    (place / "trees" / "age.csv").write_text("\n".join([*lines, "-3.5;below;*"]) + "\n")
    return ("verify", "--published", "foreign.csv", "--quasi", "age,sex", "-k", "2")


def test_a_foreign_table_is_compared_with_the_hierarchies_that_it_was_made_with(foreign, capfd):
    against = ("--original", "people.csv", "--hierarchies", "trees")
    assert told(capfd, *foreign)[0] == 0
    assert told(capfd, *foreign, *against)[0] == 0
    assert told(capfd, *foreign, *against, "--identifiers", "name")[0] == 0
    code, said = told(capfd, *foreign, *against, "--identifiers", "ill")
    assert (code, "names people and is published" in said) == (3, True)


def test_a_forgotten_hierarchy_is_not_held_against_a_foreign_table(foreign, capfd):
    code, said = told(capfd, *foreign, "--original", "people.csv")
    assert code == 2
    assert "the published column 'age' has no hierarchy" in said
    assert "'20-29'" in said


@pytest.mark.parametrize("more", [("-m", "3"), ("-p", "3"), ("--exact", "--original", "people.csv")])
def test_what_is_never_checked_of_a_foreign_table_cannot_be_asked(foreign, capfd, more):
    code, said = told(capfd, *foreign, *more)
    assert code == 2
    assert "Leave it out" in said


def test_texts_are_no_codes_and_are_not_masked_letter_by_letter(place, capfd):
    (place / "texts.csv").write_text("note\n" + "x" * 3000 + "\ny\n")
    code, said = told(capfd, "hierarchy", "build", "texts.csv", "--column", "note", "--mask", "-o", "note.csv")
    assert (code, "codes of up to 200 characters" in said) == (2, True)
    assert not (place / "note.csv").exists()


@given(st.lists(st.fractions(max_denominator=100), max_size=9), st.integers(-400, 400))
@examples(60)
def test_numbers_are_in_order_however_large_or_close_they_are(numbers, exponent):
    spread = [*numbers, *(number * Fraction(10) ** exponent for number in numbers)]
    close = [number + Fraction(1, 10**40) for number in spread]
    assert sorted([*close, *spread], key=in_order) == sorted([*spread, *close])


def test_a_comparison_that_is_too_long_is_said_to_be_undecided(place, release, capfd, monkeypatch):
    against = ("verify", release, "--original", "people.csv", "--identifiers", "name")
    assert "Not decided" not in told(capfd, *against)[1]
    monkeypatch.setattr("disjoin.verify.table.assignment.fitting_pairs", lambda *_: "it would take too long")
    code, said = told(capfd, *against)
    assert (code, "Not decided: U3" in said, "it would take too long" in said) == (0, True, True)
