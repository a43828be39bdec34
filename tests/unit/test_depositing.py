"""What repositories get: what the steward said and what the release holds, and nothing that was guessed."""

from __future__ import annotations

import hashlib
import json

import pytest

import disjoin
from disjoin.cli.run import run
from disjoin.depositing import Deposit, deposit
from disjoin.errors import InvalidParameter, OutputExists

FACTS = Deposit('Baskets: "2026"', ("Curie, Marie", "Institute"), "CC-BY-4.0", "data@example.org", "2026-01-31")


@pytest.fixture
def release(tmp_path):
    return disjoin.disassociate([{"tea", "milk"}, {"tea"}, {"milk"}] * 4, k=3).write(tmp_path / "release")


def test_croissant_names_the_tables_their_columns_and_checksums(release, tmp_path):
    deposit(release, FACTS, tmp_path / "deposit")
    found = json.loads((tmp_path / "deposit" / "croissant.json").read_text())
    assert found["name"] == FACTS.title
    assert found["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    for file in found["distribution"]:
        assert file["sha256"] == hashlib.sha256((release / file["contentUrl"]).read_bytes()).hexdigest()
    fields = {field["@id"]: field for one in found["recordSet"] for field in one["field"]}
    assert fields["subrecords/terms"]["dataType"] == "sc:Text"
    assert fields["subrecords/terms"]["repeated"] is True
    assert fields["subrecords/count"]["dataType"] == "sc:Integer"
    assert "finds at least 3 candidates" in found["rai:personalSensitiveInformation"]


def test_the_other_files_say_what_the_steward_said(release, tmp_path):
    deposit(release, FACTS, tmp_path / "deposit")
    citation = (tmp_path / "deposit" / "CITATION.cff").read_text()
    assert 'title: "Baskets: \\"2026\\""\n' in citation and 'date-released: "2026-01-31"\n' in citation
    zenodo = json.loads((tmp_path / "deposit" / "zenodo.json").read_text())["metadata"]
    assert [one["name"] for one in zenodo["creators"]] == ["Curie, Marie", "Institute"]
    assert "access_right" not in zenodo, "nobody said it"
    dataverse = json.loads((tmp_path / "deposit" / "dataverse.json").read_text())["datasetVersion"]
    assert dataverse["license"] == {"name": "CC-BY-4.0"}


def test_the_release_stays_as_it_is_and_must_hold(release, tmp_path, capsys):
    before = {path.name: path.read_bytes() for path in release.iterdir()}
    said = ["--title", "T", "--author", "A", "--licence", "MIT", "--contact", "a@b.org", "--date", "2026-01-31"]
    assert run(["deposit", str(release), *said, "-o", str(tmp_path / "deposit")]) == 0
    assert {path.name: path.read_bytes() for path in release.iterdir()} == before
    with pytest.raises(OutputExists):
        deposit(release, FACTS, tmp_path / "deposit")
    descriptor = release / "datapackage.json"
    descriptor.write_text(descriptor.read_text().replace('"k": 3', '"k": 30'))
    assert run(["deposit", str(release), *said, "-o", str(tmp_path / "more")]) == 3
    assert not (tmp_path / "more").exists()
    capsys.readouterr()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"title": " "}, "title must be a text"),
        ({"authors": ()}, "at least one person"),
        ({"contact": "nobody"}, "e-mail address"),
        ({"date": "31.1.2026"}, "written as 2026-01-31"),
    ],
)
def test_what_is_missing_or_wrong_is_one_sentence(changed, words):
    given = {"title": "T", "authors": ("A",), "licence": "MIT", "contact": "a@b.org", "date": "2026-01-31"}
    with pytest.raises(InvalidParameter, match=words):
        Deposit(**given | changed)
