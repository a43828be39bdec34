"""A table's release against itself: nothing can be hidden in it, in its hierarchies neither."""

from __future__ import annotations

from pathlib import Path

import pytest

from disjoin.errors import UnreadableInput
from disjoin.model import Generalized, Hierarchy, KAnonymity, Role, Table
from disjoin.release.reader import read_release, write_release
from disjoin.report.documents import documents_of
from disjoin.verify import certify
from helpers.tampering import compared, rehash


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table = Table.from_columns(
        {"sex / gender": ["*", "*", "f", "f"], "job": ["a", "b", "a", "c"]}, {"sex / gender": Role.QUASI_IDENTIFIER}
    )
    tree = Hierarchy.from_rows([["f", "*"], ["m", "*"], ["x", "*"]])
    published = Generalized(table.with_hierarchies({"sex / gender": tree}))
    release = certify(published, KAnonymity(2, ("sex / gender",)), method="generalization", parameters={})
    documents = documents_of(release)
    return write_release(release, tmp_path / "release", documents=documents)


def places(folder: Path) -> set[str]:
    return {violation.place for violation in compared(folder).violations} - {
        "datapackage.json"
    }  # that is about the method


def test_an_honest_folder_is_what_its_table_makes_it(folder):
    assert (folder / "hierarchies" / "sex%20%2F%20gender.csv").read_text() == "f;*\nm;*\nx;*\n"
    assert places(folder) == set()


def test_a_remark_in_a_page_is_found(folder):
    (folder / "README.md").write_bytes((folder / "README.md").read_bytes() + b"\n<!-- row 3 is Bob -->\n")
    rehash(folder, "README.md")
    assert places(folder) == {"README.md"}


def test_bytes_behind_the_text_are_found(folder):
    (folder / "table.csv").write_bytes((folder / "table.csv").read_bytes() + b"Bob,x\n")
    rehash(folder, "table.csv")
    assert [(a.invariant, a.place) for a in read_release(folder).published.anomalies] == [("F1", "table.csv")]


def test_a_blank_line_behind_a_hierarchy_is_refused(folder):
    file = folder / "hierarchies" / "sex%20%2F%20gender.csv"
    file.write_bytes(file.read_bytes() + b"\n")
    with pytest.raises(UnreadableInput, match=r"gender\.csv: row 4 of the hierarchy has an empty name"):
        read_release(folder)


def test_a_leaf_more_changes_what_the_folder_should_be(folder):
    name = "hierarchies/sex%20%2F%20gender.csv"
    (folder / name).write_text("f;*\nm;*\nx;*\nz;*\n")
    rehash(folder, name)
    assert ("F1", name) in [(a.invariant, a.place) for a in read_release(folder).published.anomalies]
