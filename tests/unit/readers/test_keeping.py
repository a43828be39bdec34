"""Columns kept as terms: numbers in ranges, rows of a record that agree, and mistakes told without data."""

from __future__ import annotations

import io

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.cli.main import run
from disjoin.errors import DisjoinError
from disjoin.plan import Plan
from disjoin.readers.options import kept_from
from disjoin.studio.plans import in_toml

STAYS = "patient,age,sex,code\n1,61,f,I10\n1,61,f,E11\n2,9,m,I10\n3,10,,J45\n"
WANTED = [{"I10", "E11", "age=60..69", "sex=f"}, {"I10", "age=0..9", "sex=m"}, {"J45", "age=10..19"}]


def sets(text, **options):
    return disjoin.read(io.BytesIO(text.encode()), id="patient", **options).to_sets()


def test_a_long_table_a_frame_and_a_table_with_lists_say_the_same(tmp_path):
    assert sets(STAYS, keep="age,sex") == WANTED
    frame = pd.read_csv(io.StringIO(STAYS))
    assert disjoin.read(frame, id="patient", keep=["age", "sex"]).to_sets() == WANTED
    lists = pa.table({"age": [61, 9, 10], "sex": ["f", "m", None], "codes": [["I10", "E11"], ["I10"], ["J45"]]})
    pq.write_table(lists, tmp_path / "stays.parquet")
    assert disjoin.read(tmp_path / "stays.parquet", keep="age,sex").to_sets() == WANTED


def test_what_was_kept_and_left_out_is_told():
    data = disjoin.read(io.BytesIO(STAYS.encode()), id="patient", keep="age,sex")
    assert (data.intake.kept, data.intake.skipped_blanks, data.intake.rows) == (("age (in steps of 10)", "sex"), 1, 4)
    with pytest.warns(UserWarning, match=r"age \(in steps of 10\) and sex are published as terms.*at most 1 "):
        disjoin.disassociate(data, k=2, m=1)


rows = st.lists(st.tuples(st.integers(-40, 140), st.sampled_from("fm"), st.sets(st.sampled_from("abc"), min_size=1)))


@given(rows.filter(bool), st.integers(1, 60))
def test_ranges_are_those_that_one_would_write_by_hand(people, width):
    """Compared with a loop over people; a range has all whole numbers between its ends."""
    text = "patient,age,sex,code\n" + "".join(
        f"{number},{age},{sex},{code}\n" for number, (age, sex, codes) in enumerate(people) for code in sorted(codes)
    )
    for (age, sex, codes), found in zip(people, sets(text, keep=f"age:{width},sex"), strict=True):
        [kept] = [term.removeprefix("age=") for term in found if term.startswith("age=")]
        low, _, high = kept.partition("..")
        assert (int(high or low) - int(low) + 1, int(low) % width) == (width, 0)
        assert int(low) <= age <= int(high or low)
        assert found - {f"age={kept}"} == codes | {f"sex={sex}"}


def test_exact_values_codes_that_begin_with_0_and_narrow_ranges():
    text = "patient,dose,zip,code\n1,0.7,00743,a\n2,1,10115,b\n"
    assert sets(text, keep="dose:0.5,zip")[0] == {"a", "dose=0.5..1", "zip=00743"}
    assert sets(text, keep="dose:exact,zip:1000")[0] == {"a", "dose=0.7", "zip=0..999"}


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (STAYS, {"keep": "agee"}, "expected a column 'agee', found none. The columns are: patient, age, sex, code."),
        (STAYS, {"keep": "age,age:5"}, "keep names a column twice: age, age."),
        (STAYS, {"keep": "age:0"}, "must be wider than 0"),
        (STAYS, {"keep": "age, "}, "columns separated by commas"),
        (STAYS, {"keep": 7}, "columns separated by commas"),
        (STAYS, {"keep": "code"}, "one role"),
        (STAYS, {"keep": "patient"}, "one role"),
        (STAYS, {"keep": "sex:10"}, "expected numbers in 'sex', because it is cut into ranges, found something else"),
        (STAYS, {"keep": "age", "format": "fimi"}, "the format fimi has no columns to keep"),
        (STAYS.replace("2,9", "1,9"), {"keep": "age"}, "1 record with rows that differ in 'age', such as rows 1 and 3"),
        (STAYS.replace("J45", "sex=x"), {"keep": "sex"}, "terms that begin with sex= look like"),
        (STAYS.replace("10,,", "10,f;m,"), {"keep": "sex", "split": ";"}, "which separates the terms of a cell"),
    ],
)
def test_mistakes_are_told_in_a_sentence(text, options, words):
    with pytest.raises(DisjoinError) as mistake:
        sets(text, **options)
    assert words in str(mistake.value)


def test_ids_that_are_merged_must_agree_too():
    text = "patient,age,code\nA,30,x\na,50,y\n"
    with pytest.raises(DisjoinError, match="differ in 'age'"):
        sets(text, keep="age", similar_ids="merge")
    assert len(sets(text, keep="age", similar_ids="keep")) == 2


def test_what_is_no_table_has_no_columns():
    for data in ([{"a"}], pa.array([["a"]])):
        with pytest.raises(DisjoinError, match="keep names columns of a table, but this is not one"):
            disjoin.read(data, keep="age")
    with pytest.raises(DisjoinError, match=r"keep is an option of disjoin\.read"):
        disjoin.readers.read.as_transactions([{"a"}], keep="age")
    assert kept_from(kept_from("age:5,a:b")) == kept_from(["age:5", "a:b"])


def test_commands_and_plans_keep_columns(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    people = "".join(f"{number},{20 + number % 3 * 10},{'fm'[number % 2]},a\n" for number in range(30))
    (tmp_path / "stays.csv").write_text("patient,age,sex,code\n" + people)
    given = ["--id", "patient", "--keep", "age:20,sex"]
    assert run(["disassociate", "stays.csv", *given, "-o", "release", "-q"]) == 0
    assert "age (in steps of 20) and sex are published as terms" in capfd.readouterr().err
    assert run(["verify", "release", "--original", "stays.csv", *given]) == 0
    assert run(["support", "release", "age=20..39,sex=f"]) == 0
    (tmp_path / "plan.toml").write_text(
        '[input]\npath = "stays.csv"\nid = "patient"\nkeep = ["age:20", "sex"]\n[output]\npath = "planned"\n'
    )
    assert run(["run", "plan.toml", "-q"]) == 0
    assert (tmp_path / "planned" / "subrecords.parquet").read_bytes() == (
        tmp_path / "release" / "subrecords.parquet"
    ).read_bytes()
    (tmp_path / "again.toml").write_text(in_toml(Plan.from_file(tmp_path / "plan.toml")))
    assert Plan.from_file(tmp_path / "again.toml").reading["keep"] == ["age:20", "sex"]
    assert run(["diffpart", "stays.csv", "--keep", "age", "-o", "other"]) == 2  # its own --keep is a number
