"""Odd names, values and streams that readers once crashed on, or read as something else."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.model.column_roles import roles_of
from disjoin.model.hierarchy_builders import date_hierarchy
from disjoin.readers.term_lists import terms_from


@pytest.mark.parametrize("name", ["id{x}", "id{0}", "{}"])
def test_braces_in_the_name_of_a_column_are_no_format(tmp_path: Path, name: str) -> None:
    file = tmp_path / "visits.csv"
    file.write_text(f"{name},term\nA,milk\na,bread\nB,tea\nb,milk\n")
    with pytest.raises(UnreadableInput, match="rows 1 and 2") as caught:
        disjoin.read(file, id=name, terms="term")
    assert name in str(caught.value)


@pytest.mark.parametrize("header", ["id,code,ward", "id"])
def test_an_empty_name_of_terms_chooses_no_column(tmp_path: Path, header: str) -> None:
    people, items = tmp_path / "people.csv", tmp_path / "items.csv"
    people.write_text("id,age\n1,30\n2,30\n")
    items.write_text(f"{header}\n" + "".join(",".join([n] * (header.count(",") + 1)) + "\n" for n in "12"))
    with pytest.raises(InvalidParameter, match=r"items has \d columns? besides 'id'"):
        disjoin.read_people(people, items, id="id", terms="", columns=["age"])


def test_a_stream_does_not_keep_its_batches() -> None:
    held: list[int] = []

    def batches():
        for number in range(40):
            held.append(pa.total_allocated_bytes())
            yield pa.record_batch({"terms": pa.array([[f"t{number % 3}" * 5_000]] * 20)})

    schema = pa.schema([("terms", pa.list_(pa.string()))])
    before = pa.total_allocated_bytes()
    records = disjoin.read(pa.RecordBatchReader.from_batches(schema, batches()))
    assert len(records) == 800
    assert max(held) - before < 20 * 20 * 10_000


def test_a_list_of_terms_in_a_file_named_like_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("flu\nhiv\n")
    assert terms_from("./-") == ("flu", "hiv")


def test_a_decimal_without_digits_before_the_point_is_a_value() -> None:
    column = [".0", *(f"{n}.0" for n in range(1, 190))]
    assert roles_of(pa.table({"x": column}))["x"].name == "x"


def test_the_last_month_of_all_years_has_days() -> None:
    tree = date_hierarchy(["9999-12-31", "9999-12-01"])
    assert date(9999, 12, 31).isoformat() in {row[0] for row in tree.rows()}


@pytest.mark.parametrize("keep", [[1], "abc", "1e9999999", "1e999", "-1", None])
def test_a_tampered_threshold_of_noisy_records_is_noticed(tmp_path: Path, keep: object) -> None:
    release = disjoin.diffpart([{"tea", "milk"}] * 60, 10, domain=["milk", "tea", "jam"])
    folder = release.write(tmp_path / "release")
    descriptor = json.loads((folder / "datapackage.json").read_text())
    descriptor["disjoin"]["parameters"]["keep"] = keep
    (folder / "datapackage.json").write_text(json.dumps(descriptor))
    assert run(["verify", str(folder)]) in (2, 3)
