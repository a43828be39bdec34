"""What repositories get: what the steward said and what the release holds, and nothing that was guessed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

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


def test_the_descriptor_has_what_the_steward_said_and_the_tables_of_the_release(release, tmp_path):
    deposit(release, replace(FACTS, citation="Curie 2026"), tmp_path / "deposit")
    found = json.loads((tmp_path / "deposit" / "datapackage.json").read_text())
    stated = json.loads((release / "datapackage.json").read_text())
    assert found["$schema"] == stated["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert found["resources"] == stated["resources"]
    assert (found["title"], found["created"], found["citation"]) == (FACTS.title, "2026-01-31T00:00:00Z", "Curie 2026")
    assert found["licenses"] == [{"name": "CC-BY-4.0"}]
    assert [one.get("email") for one in found["contributors"]] == ["data@example.org", None]
    assert "licenses" not in stated, "nobody said it to the release"


WHY = "a reference validator, heavy: pip install 'disjoin[validators]'"


def test_mlcroissant_accepts_the_croissant_file(release, tmp_path):
    mlcroissant = pytest.importorskip("mlcroissant", reason=WHY)
    deposit(release, FACTS, tmp_path / "deposit")
    found = mlcroissant.Dataset(jsonld=str(tmp_path / "deposit" / "croissant.json"))
    assert not found.metadata.ctx.issues.errors


def test_cffconvert_accepts_the_citation_file(release, tmp_path):
    cffconvert = pytest.importorskip("cffconvert", reason=WHY.replace("validators", "validators-citation"))
    deposit(release, FACTS, tmp_path / "deposit")
    cffconvert.Citation((tmp_path / "deposit" / "CITATION.cff").read_text()).validate()


@pytest.mark.parametrize("where", ["release", "deposit"])
def test_frictionless_accepts_the_descriptor(release, tmp_path, where):
    frictionless = pytest.importorskip("frictionless", reason=WHY)
    deposit(release, FACTS, tmp_path / "deposit")
    stated = json.loads((tmp_path / where / "datapackage.json").read_text())
    assert frictionless.Package.validate_descriptor(stated).valid
