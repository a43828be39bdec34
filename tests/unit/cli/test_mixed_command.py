"""disjoin mixed from files to a folder, whatever the order and names of its people; and what may not be done to it."""

from __future__ import annotations

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disjoin.cli.main import run


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, random.Random(1), [f"P{number}" for number in range(60)])
    return tmp_path


def write(folder, order, ids):
    shuffle = random.Random(7)
    people = [(shuffle.randrange(20, 60), shuffle.choice("fm"), shuffle.sample("abcdef", 2)) for _ in ids]
    rows = [(name, *person) for name, person in zip(ids, people, strict=True)]
    order.shuffle(rows)
    (folder / "people.csv").write_text("id,age,sex\n" + "".join(f"{i},{age},{sex}\n" for i, age, sex, _ in rows))
    (folder / "items.csv").write_text("id,code\n" + "".join(f"{i},{c}\n" for i, _, _, codes in rows for c in codes))


FROM = ["--people", "people.csv", "--items", "items.csv", "--id", "id"]


def publish(*more):
    return run(["mixed", *FROM, "--quasi", "age,sex", "-k", "3", "-q", *more])


def test_a_release_is_published_verified_and_shown(files, capsys):
    assert publish("-o", "release") == 0
    assert run(["verify", "release", *FROM]) == 0
    assert "W3" in capsys.readouterr().out
    for command in (["show", "release"], ["support", "release", "sex=f,a"], ["evaluate", "release", *FROM]):
        assert run(command) == 0
    assert "link_error" in capsys.readouterr().out
    texts = b"".join(file.read_bytes() for file in (files / "release").rglob("*") if file.is_file())
    assert b"P17" not in texts


def test_neither_ids_nor_the_order_of_people_shape_a_byte(files):
    assert publish("-o", "one") == 0
    write(files, random.Random(2), [f"another {number}" for number in range(60)])
    assert publish("-o", "two") == 0
    for file in (files / "one").rglob("*.*"):
        assert file.read_bytes() == (files / "two" / file.relative_to(files / "one")).read_bytes(), file


def test_other_people_do_not_fit(files):
    assert publish("-o", "release") == 0
    text = (files / "people.csv").read_text()
    (files / "people.csv").write_text(text.replace(",2", ",9"))
    assert run(["verify", "release", *FROM]) == 3


def test_a_count_that_was_changed_is_found(files, capsys):
    assert publish("-o", "release") == 0
    table = pq.read_table(files / "release" / "rows.parquet")
    counts = pa.array([table["count"][0].as_py() - 1, *table["count"].to_pylist()[1:]], pa.int64())
    pq.write_table(
        table.set_column(table.schema.get_field_index("count"), "count", counts), files / "release" / "rows.parquet"
    )
    assert run(["verify", "release"]) == 3
    assert "R1 at cluster" in capsys.readouterr().out


def test_a_release_of_clusters_is_not_made_of_it_by_taking_the_rows_away(files, capsys):
    assert publish("-o", "release") == 0
    (files / "release" / "rows.parquet").unlink()
    assert run(["verify", "release"]) == 2
    assert "rows.parquet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mixed", "--quasi", "age", "-o", "r"], "Give FILE"),
        (["mixed", "--people", "people.csv", "--quasi", "age", "-o", "r"], "add --items"),
        (["mixed", *FROM, "-o", "r"], "Use --quasi COLUMNS"),
        (["mixed", *FROM, "--quasi", "age", "--exclude", "a", "-o", "r"], "such as O80:sex=m"),
        (["mixed", *FROM, "--quasi", "age", "--alpha", "0.5", "-o", "r"], "--sensitive-columns"),
        (["mixed", *FROM, "--quasi", "age", "-k", "61", "-o", "r"], "60 people cannot form a cluster"),
    ],
)
def test_mistakes_are_told_in_a_sentence_and_nothing_is_written(files, capsys, arguments, words):
    assert run(arguments) in (2, 4)
    assert words in capsys.readouterr().err
    assert not (files / "r").exists()


def test_exclusions_that_exclude_nothing_and_columns_that_nobody_named_are_told(files, capfd):
    assert run(["mixed", *FROM, "--quasi", "age", "--exclude", "zz:age=200,a:age=300", "-k", "3", "-q", "-o", "r"]) == 0
    said = capfd.readouterr().err
    assert "not published, because they have no role: sex." in said
    assert "the exclusion zz:age=200 has no effect: no person has zz and age is" in said
    assert "the exclusion a:age=300 has no effect: age is never" in said
