"""A release of generalised or noisy records that was tampered with is read, for the inspector to judge, or refused."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disjoin.errors import UnreadableInput
from disjoin.model import AnyGuarantee, DifferentialPrivacy, KmAnonymity, PrivacyDegree
from disjoin.release.reader import read_release, write_release
from disjoin.verify import check
from helpers.group_releases import sealed_groups, shop
from helpers.item_releases import pantry, rumours, sealed_items, sealed_noisy
from helpers.tampering import Rows, adopt, change, edit, rehash, reverse, with_row

RECORDS, MAPPING, HIERARCHY = "records.parquet", "mapping.parquet", "hierarchy.csv"


@pytest.fixture
def items(tmp_path: Path) -> Path:
    return write_release(sealed_items(pantry()), tmp_path / "items", documents={"README.md": "hello\n"})


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    return write_release(sealed_noisy(rumours()), tmp_path / "noisy", documents={})


def violations(path: Path) -> set[str]:
    """Return which invariants the inspector finds violated in what can be read."""
    contents = read_release(path)
    return {found.invariant for found in check(contents.published, contents.guarantee).violations}


def twice(rows: Rows) -> Rows:
    return [rows[0], *rows]


def nothing(rows: Rows) -> Rows:
    return []


def named(rows: Rows) -> Rows:
    return [row | {"patient": "who"} for row in rows]


def test_what_nobody_touched_is_read_without_a_word(items, noisy):
    for path, published, guarantee in (
        (items, pantry(), KmAnonymity(2, 2)),
        (noisy, rumours(), DifferentialPrivacy(1)),
    ):
        contents = read_release(path)
        assert (contents.published, contents.guarantee) == (published, guarantee)
        assert contents.published.anomalies == ()
        assert check(contents.published, contents.guarantee).holds


@pytest.mark.parametrize(("form", "letter"), [("items", "A"), ("noisy", "N")])
@pytest.mark.parametrize(
    ("how", "number"),
    [
        (reverse, 2),
        (with_row(-1 % 3, terms=["tea", "milk", "jam"]), 2),
        (twice, 1),
        (named, 1),
        (with_row(0, terms=[]), 1),
        (with_row(0, terms=None), 1),
        (with_row(0, terms=["drink", None]), 1),
        (with_row(0, terms=["drink", ""]), 1),
        (with_row(0, terms=["drink", "drink"]), 1),
        (with_row(0, count=None), 1),
        (with_row(0, count=0), 1),
        (with_row(0, count=-1), 1),
        (with_row(0, count=2**62), 1),
    ],
)
def test_rows_of_records_that_are_not_as_they_should_be_are_found(request, form, letter, how, number):
    path = request.getfixturevalue(form)
    change(path, RECORDS, how, patient=pa.string())
    assert f"{letter}{number}" in violations(path)


@pytest.mark.parametrize(
    ("how", "invariant"),
    [
        (reverse, "A2"),
        (twice, "A1"),
        (named, "A1"),
        (with_row(0, term=None), "A1"),
        (with_row(0, published=None), "A1"),
        (with_row(0, term=""), "A1"),
        (with_row(0, published=""), "A1"),
        (with_row(0, term="somebody"), "A3"),
        (with_row(0, published="somebody"), "A3"),
        (with_row(1, published="hot"), "A4"),
        (nothing, "A3"),
        (lambda rows: rows[1:], "A3"),
    ],
)
def test_a_mapping_that_is_not_as_it_should_be_is_found(items, how, invariant):
    change(items, MAPPING, how, published=pa.string(), patient=pa.string())
    assert invariant in violations(items)


@pytest.mark.parametrize("form", ["items", "noisy"])
def test_a_noisy_release_may_be_empty_and_generalised_records_may_not(request, form):
    path = request.getfixturevalue(form)
    change(path, RECORDS, nothing)
    found = violations(path)
    assert "F1" in found  # the descriptor counts records
    assert ("A1" in found) == (form == "items")


@pytest.mark.parametrize(
    ("form", "name", "column", "kind"),
    [
        ("items", RECORDS, "count", pa.string()),
        ("items", RECORDS, "terms", pa.string()),
        ("items", MAPPING, "term", pa.int64()),
        ("items", MAPPING, "published", pa.list_(pa.string())),
        ("noisy", RECORDS, "count", pa.float64()),
        ("noisy", RECORDS, "terms", pa.list_(pa.int32())),
    ],
)
def test_a_column_of_another_type_is_refused(request, form, name, column, kind):
    path = request.getfixturevalue(form)
    table = pq.read_table(path / name)
    altered = table.set_column(table.column_names.index(column), column, pa.nulls(table.num_rows, kind))
    pq.write_table(altered, path / name)
    with pytest.raises(UnreadableInput, match=f"{name}: expected column '{column}' to be"):
        read_release(path)


@pytest.mark.parametrize(
    ("form", "name", "column"),
    [("items", RECORDS, "count"), ("items", MAPPING, "published"), ("noisy", RECORDS, "terms")],
)
def test_a_column_that_is_not_there_is_missed(request, form, name, column):
    path = request.getfixturevalue(form)
    pq.write_table(pq.read_table(path / name).drop_columns(column), path / name)
    with pytest.raises(UnreadableInput, match=f"{name}: expected the columns .*{column}.*, found "):
        read_release(path)


@pytest.mark.parametrize(("form", "name"), [("items", RECORDS), ("items", MAPPING), ("noisy", RECORDS)])
def test_damage_and_bombs_are_refused(request, form, name):
    path = request.getfixturevalue(form)
    with pytest.raises(UnreadableInput, match="would unpack to"):
        read_release(path, memory_limit=8)
    (path / name).write_bytes((path / name).read_bytes()[:-9])
    with pytest.raises(UnreadableInput, match=f"{name}: the Parquet file is damaged or cut short"):
        read_release(path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "needs at least one row"),
        (b"tea;drink;*\nmilk;food;+\n", "all rows must end with the same root"),
        (b"tea;drink;*\ntea;food;*\n", "have the same leaf"),
        (b"tea;hot;drink;*\nmilk;hot;food;*\n", "has a different parent"),
        (b"tea;drink;tea;*\n", "cycle"),
        (b"tea;;*\n", "empty name"),
        (b"\xff;*\n", "UTF-8"),
        (b'"tea;*\n', "semicolons"),
    ],
)
def test_a_hierarchy_that_is_no_tree_is_refused(items, data, words):
    (items / HIERARCHY).write_bytes(data)
    rehash(items, HIERARCHY)
    with pytest.raises(UnreadableInput, match=rf"hierarchy\.csv: .*{words}") as caught:
        read_release(items)
    assert "\n" not in str(caught.value)


def test_a_hierarchy_whose_rows_would_be_repeated_without_end_is_refused(items):
    rows = [b";".join(b"%d" % i for i in range(2000)) + b";*\n", *(b"x%d;*\n" % i for i in range(2000))]
    (items / HIERARCHY).write_bytes(b"".join(rows))
    with pytest.raises(UnreadableInput, match="at most 1,000 names, but row 1 has 2,001"):
        read_release(items, memory_limit=1 << 20)


def test_a_hierarchy_that_is_written_in_another_way_is_found(items):
    lines = (items / HIERARCHY).read_bytes().splitlines(keepends=True)
    (items / HIERARCHY).write_bytes(b"".join(lines[::-1]))
    rehash(items, HIERARCHY)
    found = read_release(items).published
    assert found == pantry()
    assert [(a.invariant, a.place) for a in found.anomalies] == [("F1", HIERARCHY)]


@pytest.mark.parametrize("name", [RECORDS, MAPPING, HIERARCHY, "README.md"])
def test_a_file_that_lies_elsewhere_is_found(items, name, tmp_path):
    (items / name).rename(tmp_path / "elsewhere")
    (items / name).symlink_to(tmp_path / "elsewhere")
    found = read_release(items).published.anomalies
    assert [(a.invariant, a.place, a.message) for a in found] == [("F1", name, "is a link to another place")]


@pytest.mark.parametrize("name", [RECORDS, MAPPING, HIERARCHY])
@pytest.mark.parametrize("is_declared", [True, False])
def test_a_file_that_was_taken_away_is_missed(items, name, is_declared):
    take_away(items, name, is_declared=is_declared)
    with pytest.raises(UnreadableInput, match=rf"{name}: the release lacks this"):
        read_release(items)


def take_away(folder: Path, *names: str, is_declared: bool = False) -> None:
    for name in names:
        (folder / name).unlink()
    if not is_declared:
        edit(folder, lambda package: package.update(resources=_without(package["resources"], names)))


def _without(resources: list[dict[str, str]], names: tuple[str, ...]) -> list[dict[str, str]]:
    return [resource for resource in resources if resource["path"] not in names]


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    return write_release(sealed_groups(shop()), tmp_path / "groups", documents={})


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("groups", ["groups.parquet"]),
        ("groups", ["groups.parquet", "sensitive.parquet"]),
        ("items", [MAPPING]),
        ("items", [MAPPING, HIERARCHY]),
    ],
)
@pytest.mark.parametrize("is_declared", [True, False])
def test_a_release_is_not_taken_for_a_noisy_one_because_tables_are_gone(request, form, names, is_declared):
    path = request.getfixturevalue(form)
    take_away(path, *names, is_declared=is_declared)
    with pytest.raises(UnreadableInput, match=rf"{names[0]}: the release lacks this"):
        read_release(path)


@pytest.mark.parametrize(
    ("form", "guarantee"),
    [
        ("groups", DifferentialPrivacy(1)),
        ("items", DifferentialPrivacy(1)),
        ("items", PrivacyDegree(2)),
    ],
)
def test_a_promise_of_another_form_is_refused(request, form, guarantee):
    path = request.getfixturevalue(form)
    guaranteed(path, guarantee)
    kind = guarantee.to_json()["type"]
    with pytest.raises(UnreadableInput, match=f"{kind} is not possible for a release of {form}"):
        read_release(path)


@pytest.mark.parametrize("guarantee", [KmAnonymity(2, 2), PrivacyDegree(2)])
def test_a_noisy_release_that_promises_more_lacks_the_tables_for_it(noisy, guarantee):
    guaranteed(noisy, guarantee)
    with pytest.raises(UnreadableInput, match="the release lacks this"):
        read_release(noisy)


def test_groups_that_are_made_to_look_noisy_are_found_out(groups):
    take_away(groups, "groups.parquet", "sensitive.parquet")
    guaranteed(groups, DifferentialPrivacy(1))
    assert "N1" in violations(groups)  # for the column of the groups


def guaranteed(folder: Path, guarantee: AnyGuarantee) -> None:
    edit(folder, lambda package: package["disjoin"].update(guarantee=guarantee.to_json()))


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"epsilon": "0"}, "epsilon must be at least"),
        ({"epsilon": "1000"}, "at most 100"),
        ({"epsilon": "1/0"}, "epsilon"),
        ({"epsilon": 1}, 'expected "epsilon" to be a fraction'),
        ({"epsilon": None}, 'expected "epsilon" to be a fraction'),
        ({"epsilon": "1e999999999"}, 'expected "epsilon" to be a fraction'),
        ({"terms": "guessed"}, "terms must be given or seen"),
        ({"terms": ["seen"]}, "terms must be given or seen"),
    ],
)
def test_a_promise_of_noise_that_is_none_is_refused_in_words(noisy, facts, words):
    edit(noisy, lambda package: package["disjoin"]["guarantee"].update(facts))
    with pytest.raises(UnreadableInput, match=words):
        read_release(noisy)


def test_a_promise_without_its_budget_is_refused(noisy):
    edit(noisy, lambda package: package["disjoin"]["guarantee"].pop("epsilon"))
    with pytest.raises(UnreadableInput, match="epsilon must be at least"):
        read_release(noisy)


def test_a_hidden_term_is_found(items):
    table = pq.read_table(items / MAPPING, read_dictionary=["term", "published"])
    column = table["published"].combine_chunks()
    words = pa.concat_arrays([column.dictionary, pa.array(["John Smith"])])
    more = pa.DictionaryArray.from_arrays(column.indices, words)
    pq.write_table(table.set_column(1, "published", more), items / MAPPING, store_schema=False)
    adopt(items, MAPPING, table.num_rows)
    [found] = read_release(items).published.anomalies
    assert (found.invariant, found.place, found.example) == ("A1", MAPPING, ("John Smith",))
