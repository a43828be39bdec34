"""Which form a folder has is told by its tables; what is of another form does not belong there."""

from __future__ import annotations

import shutil
from itertools import combinations
from pathlib import Path

import pytest

from disjoin.errors import UnreadableInput
from disjoin.forms.registry import FORMS, form_of
from disjoin.model import GUARANTEES, DifferentialPrivacy, KAnonymity, KmAnonymity, PrivacyDegree
from disjoin.model.published import nouns
from disjoin.release.descriptor import fingerprint
from disjoin.release.reader import read_release, write_release
from helpers.group_releases import sealed_groups, shop
from helpers.releases import figure_3, sealed
from helpers.tampering import edit

KM, DEGREE, NOISE, ROWS = KmAnonymity(3, 2), PrivacyDegree(2), DifferentialPrivacy(1), KAnonymity(2, ("age",))
ITEMS = list(FORMS["items"].tables)


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    return {
        "clusters": write_release(sealed(figure_3()), tmp_path / "clusters", documents={}),
        "groups": write_release(sealed_groups(shop()), tmp_path / "groups", documents={}),
    }


def test_every_noun_has_its_form_and_every_guarantee_one_that_it_fits():
    assert set(FORMS) == {noun.form for noun in nouns() if noun.__module__.startswith("disjoin.")}
    assert all(name == form.name for name, form in FORMS.items())
    assert {kind for form in FORMS.values() for kind in form.guarantees} == set(GUARANTEES.values())


def test_no_two_forms_have_the_same_tables_and_shared_ones_are_those_of_records_and_clusters():
    names = [frozenset(form.tables) for form in FORMS.values()]
    assert len(names) == len(set(names))
    shared = {table for one, other in combinations(names, 2) for table in one & other}
    assert shared == {"records.parquet", "clusters.parquet", "subrecords.parquet"}


@pytest.mark.parametrize(
    ("present", "declared", "guarantee", "expected"),
    [
        ([], [], KM, "clusters"),
        ([], [], DEGREE, "groups"),
        (["records.parquet"], [], NOISE, "noisy"),
        (["records.parquet"], [], ROWS, "noisy"),
        (["records.parquet"], [], KM, "items"),
        (["records.parquet"], [], DEGREE, "groups"),
        (["records.parquet", "hierarchy.csv"], ["mapping.parquet"], KM, "items"),
        (["records.parquet", "sensitive.parquet"], ["groups.parquet"], DEGREE, "groups"),
        (["records.parquet", "groups.parquet"], [], NOISE, "noisy"),
        ([*FORMS["groups"].tables], [], NOISE, "groups"),
        (ITEMS, [], NOISE, "items"),
        (ITEMS, [], DEGREE, "items"),
        ([*ITEMS, *FORMS["groups"].tables], [], KM, "items"),
        ([*ITEMS, *FORMS["groups"].tables], [], DEGREE, "groups"),
        ([*ITEMS, *FORMS["clusters"].tables], [], KM, "clusters"),
        ([], [], NOISE, "noisy"),
        (["clusters.parquet"], [], DEGREE, "clusters"),
        ([], ["sensitive.parquet"], KM, "groups"),
        (["clusters.parquet", "groups.parquet"], [], DEGREE, "groups"),
        (["clusters.parquet", "subrecords.parquet", "groups.parquet"], [], DEGREE, "clusters"),
        ([*FORMS["clusters"].tables, *FORMS["groups"].tables], [], KM, "clusters"),
        ([*FORMS["clusters"].tables, *FORMS["groups"].tables], [], DEGREE, "groups"),
    ],
)
def test_the_tables_tell_the_form(present, declared, guarantee, expected):
    assert form_of(present, declared, guarantee).name == expected


@pytest.mark.parametrize(("form", "missing"), [("clusters", "clusters.parquet"), ("groups", "groups.parquet")])
def test_a_folder_without_any_table_says_which_it_lacks(folders, form, missing):
    for file in folders[form].glob("*.parquet"):
        file.unlink()
    edit(folders[form], lambda package: package.update(resources=[]))
    with pytest.raises(UnreadableInput, match=f"{missing}: the release lacks this table"):
        read_release(folders[form])


@pytest.mark.parametrize(("form", "other"), [("clusters", "groups"), ("groups", "clusters")])
@pytest.mark.parametrize("is_declared", [False, True])
@pytest.mark.parametrize("how_many", [1, 3])
def test_tables_of_another_form_do_not_belong_there(folders, form, other, is_declared, how_many):
    strangers = sorted(file.name for file in folders[other].glob("*.parquet"))[:how_many]
    for name in strangers:
        shutil.copy(folders[other] / name, folders[form] / name)
        if is_declared:
            entry = {"path": name, **fingerprint(folders[form] / name)}
            edit(folders[form], lambda package, entry=entry: package["resources"].append(entry))
    found = read_release(folders[form]).published
    assert found == (figure_3() if form == "clusters" else shop())
    assert [(a.invariant, a.place) for a in found.anomalies] == [("F1", name) for name in strangers]


@pytest.mark.parametrize(("form", "guarantee"), [("clusters", DEGREE), ("groups", KM)])
def test_a_guarantee_that_does_not_fit_the_form_is_refused_in_a_sentence(folders, form, guarantee):
    edit(folders[form], lambda package: package["disjoin"].update(guarantee=guarantee.to_json()))
    kind = guarantee.to_json()["type"]
    with pytest.raises(UnreadableInput, match=f"guarantee {kind} is not possible for a release of {form}") as caught:
        read_release(folders[form])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"p": 1}, "p must be a whole number of at least 2"),
        ({"p": True}, "p must be"),
        ({"p": "2"}, "p must be"),
        ({"p": None}, "p must be"),
        (
            {"type": "wishful"},
            "privacy-degree, k-anonymity, differential-privacy or mixed-anonymity, found 'wishful'",
        ),
        ({"type": ["privacy-degree"]}, "expected a guarantee of type"),
        ({"sensitive": "viagra"}, "expected the sensitive terms as a list of strings"),
        ({"sensitive": [["viagra"]]}, "expected the sensitive terms as a list of strings"),
        ({"sensitive": ["\ud800"]}, "expected the sensitive terms as a list of strings"),
    ],
)
def test_a_guarantee_that_is_none_is_refused_in_words(folders, facts, words):
    edit(folders["groups"], lambda package: package["disjoin"]["guarantee"].update(facts))
    with pytest.raises(UnreadableInput, match=words):
        read_release(folders["groups"])


def test_sensitive_items_of_the_guarantee_are_read(folders):
    edit(folders["groups"], lambda package: package["disjoin"]["guarantee"].update(sensitive=["viagra", "pills"]))
    assert read_release(folders["groups"]).guarantee == PrivacyDegree(2, ("pills", "viagra"))
