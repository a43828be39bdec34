"""Publishing only people whom no earlier release contains (U10)."""

from random import Random

import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.errors import InvalidParameter

DRAW = Random(5)
CODES = [f"c{number}" for number in range(12)]
DRAWN = [(DRAW.randint(20, 90), DRAW.sample(CODES, DRAW.randint(1, 4))) for _ in range(90)]


def visits(people):
    return "patient,code\n" + "".join(f"P{n:03d},{code}\n" for n in people for code in DRAWN[n][1])


def rows(people):
    return "name,age\n" + "".join(f"P{n:03d},{DRAWN[n][0]}\n" for n in people)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.csv").write_text(visits(range(40)))
    (tmp_path / "new.csv").write_text(visits(range(20, 80)).replace("P020", " p020"))
    disjoin.Ledger.start(".")
    return tmp_path


PUBLISH = ("--id", "patient", "--terms", "code", "-k", "3", "-q")


def test_people_of_an_earlier_release_are_left_out(here, capsys):
    assert run(["disassociate", "old.csv", "-o", "one", *PUBLISH]) == 0
    assert run(["disassociate", "new.csv", "-o", "two", *PUBLISH]) == 2
    capsys.readouterr()
    assert run(["disassociate", "new.csv", "-o", "two", "--only-new", *PUBLISH]) == 0
    assert "20 of 60 rows or records were published before and are left out." in capsys.readouterr().err
    assert disjoin.load("two").counts["records"] == 40
    assert disjoin.Ledger.open(".").overlaps_among()[2] == []


def test_a_table_is_compared_by_its_identifiers(here):
    (here / "a.csv").write_text(rows(range(30)))
    (here / "b.csv").write_text(rows(range(10, 60)))
    asked = ("--quasi", "age", "--identifiers", "name", "-k", "3", "-q")
    assert run(["generalize", "a.csv", "-o", "one", *asked]) == 0
    assert run(["generalize", "b.csv", "-o", "two", "--only-new", *asked]) == 0
    assert disjoin.load("two").counts["records"] == 30


def test_mixed_data_is_compared_by_ids(here):
    people = {n: f"P{n:03d},{DRAWN[n][0]},{DRAWN[n][1][0]}" for n in range(60)}
    for name, chosen in (("a.csv", range(30)), ("b.csv", range(10, 60))):
        (here / name).write_text("\n".join(["patient,age,code", *(people[n] for n in chosen)]) + "\n")
    asked = ("--quasi", "age", "--id", "patient", "--terms", "code", "-k", "3", "-q")
    assert run(["mixed", "a.csv", "-o", "one", *asked]) == 0
    assert run(["mixed", "b.csv", "-o", "two", "--only-new", *asked]) == 0
    assert disjoin.load("two").counts["records"] == 30


def test_without_ids_it_is_refused(here, capsys):
    (here / "baskets.csv").write_text("bread,milk\n" * 20)
    assert run(["disassociate", "baskets.csv", "-k", "3", "-o", "one", "--only-new", "-q"]) == 2
    assert "needs a file with an id per person" in capsys.readouterr().err


def test_it_is_refused_if_nobody_is_new_or_an_option_contradicts(here, capsys):
    assert run(["disassociate", "old.csv", "-o", "one", *PUBLISH]) == 0
    assert run(["disassociate", "old.csv", "-o", "two", "--only-new", *PUBLISH]) == 2
    assert "nobody is new" in capsys.readouterr().err
    assert run(["disassociate", "new.csv", "-o", "two", "--only-new", "--again", *PUBLISH]) == 2
    assert run(["disassociate", "new.csv", "-o", "two", "--only-new", "--no-ledger", *PUBLISH]) == 2


def test_an_earlier_release_without_ids_of_the_same_records_is_a_reason_to_refuse(here):
    data = disjoin.read([[f"a{n}", f"b{n % 7}", f"c{n % 5}"] for n in range(60)])
    ledger = disjoin.Ledger.open(".")
    ledger.add(disjoin.diffpart(data, 1, domain=data.vocabulary.to_pylist()), data)
    rows = "".join(f"{n},{term}\n" for n in range(60) for term in (f"a{n}", f"b{n % 7}", f"c{n % 5}"))
    (here / "long.csv").write_text("patient,code\n" + rows)
    with pytest.raises(InvalidParameter, match="without ids"):
        ledger.only_new(disjoin.read("long.csv", id="patient", terms="code"))


def test_python_gets_the_new_people_and_how_many_are_left_out(here):
    data = disjoin.read("old.csv", id="patient", terms="code")
    ledger = disjoin.Ledger.open(".")
    assert ledger.only_new(data) == (data, 0)
    ledger.add(disjoin.disassociate(data, k=3), data)
    new, left_out = ledger.only_new(disjoin.read("new.csv", id="patient", terms="code"))
    assert (len(new), left_out) == (40, 20)
