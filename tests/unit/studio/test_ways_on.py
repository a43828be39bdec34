"""Where a data owner would be stuck: files in another encoding, errors with remedies, jobs long ended; and the zip for
a repository."""

import re
import zipfile
from io import BytesIO

import numpy as np
import pytest

from disjoin.errors import Placeholder, Remedy
from disjoin.model import Role, Table
from disjoin.model.column_roles import roles_of
from disjoin.pipeline import verify
from disjoin.release.deposit import DEPOSIT_FILES
from disjoin.studio.column_proposals import columns_of
from disjoin.studio.store import DONE, FAILED, KEPT_JOBS, SHOWN
from disjoin.studio.worker import _change
from helpers.studio_requests import ID, published

SETS = "bread,milk\nbread,eggs\nbread,milk,eggs\nmilk,jam\neggs\n" * 5
ILL = ("Grippe", "Migräne")
PEOPLE = [f"{'ABC'[n % 3]}.;{20 + n // 2 % 9};{'mf'[n % 2]};{ILL[n // 4 % 2]}" for n in range(30)]
TABLE = "\n".join(["Name;Alter;Geschlecht;Diagnose", *PEOPLE]) + "\n"
ROLES = {"Name": "identifier", "Alter": "quasi", "Geschlecht": "quasi", "Diagnose": "sensitive"}
METHOD = {"name": "generalization", "k": 3, "l": 2, "quasi": ["Alter", "Geschlecht"], "sensitive": ["Diagnose"]}


def arrived(visitor, content, name="file.csv"):
    headers = {"content-type": "application/octet-stream", "x-name": name, "origin": visitor.studio.door.origin}
    visitor.client.put(f"/api/uploads/{ID}/0", content=content, headers=headers)
    data = visitor.ask("POST", "/api/data", {"upload": ID}).json()["id"]
    return data, visitor.finished(visitor.studio.store.last_job("inspect", data=data)["id"])


@pytest.fixture
def table(visitor):
    data, _ = arrived(visitor, TABLE.encode())
    visitor.finished(visitor.ask("PATCH", f"/api/data/{data}", {"kind": "table", "roles": ROLES}).json()["job"])
    return data


def answered(visitor, job, say):
    """Answer a complaint by the button that says this."""
    number = [way["say"] for way in job["error"]["remedies"]].index(say)
    return visitor.finished(visitor.ask("POST", f"/api/jobs/{job['id']}/again", {"way": number}).json()["job"])


def test_a_file_in_another_encoding_is_read_by_a_click(visitor):
    data, inspected = arrived(visitor, TABLE.encode("cp1252"))
    assert inspected["state"] == FAILED
    page = visitor.client.get(f"/data/{data}").text
    assert "--encoding" not in page
    assert 'data-way="0">Read it as cp1252, common on Windows</button>' in page
    assert answered(visitor, inspected, "Read it as cp1252, common on Windows")["state"] == DONE
    assert "Migräne" in visitor.client.get(f"/data/{data}").text
    facts = visitor.ask("GET", f"/api/data/{data}").json()
    assert facts["reading"]["encoding"] == "cp1252"
    assert "Migräne" in str(facts["look"]["first"])


def test_of_several_arrays_the_one_with_the_terms_is_chosen_by_a_click(visitor):
    lines = "".join(f'{{"articles": ["bread", "milk"], "seen on": ["day {n % 3}"]}}\n' for n in range(9))
    data, inspected = arrived(visitor, lines.encode(), "baskets.jsonl")
    assert inspected["error"]["detail"].endswith("found articles, seen on.")
    assert 'name="field"' in visitor.client.get(f"/data/{data}").text
    assert answered(visitor, inspected, "Take the terms from 'articles'")["result"]["vocabulary"] == ["bread", "milk"]
    again = {"kind": "records", "reading": {"field": "seen on"}}
    changed = visitor.finished(visitor.ask("PATCH", f"/api/data/{data}", again).json()["job"])
    assert changed["result"]["vocabulary"] == ["day 0", "day 1", "day 2"]
    assert "--field" in visitor.client.get(f"/data/{data}").text  # the same as a command


def test_a_name_that_repeats_is_answered_by_a_click_and_the_plan_says_so(visitor, table):
    asked = {"method": METHOD | {"identifiers": ["Name"]}}
    job = visitor.finished(visitor.ask("POST", f"/api/data/{table}/releases", asked).json()["job"])
    assert "rows are not people" in job["error"]["detail"]
    done = answered(visitor, job, "Treat every row as a different person")
    assert done["state"] == DONE, done["error"]
    plan = visitor.client.get(f"/api/data/{table}/plan/{done['result']['release']}").text
    assert "one_row_per_person = true" in plan
    again = visitor.finished(visitor.ask("POST", f"/api/data/{table}/releases", asked).json()["job"])
    assert again["state"] == DONE  # it was said once
    by_person = answered(visitor, job, "Count people by 'Name', which is not published")
    assert by_person["request"]["method"]["person"] == "Name"
    assert visitor.ask("POST", f"/api/jobs/{job['id']}/again", {"way": 7}).status_code == 400


@pytest.mark.parametrize(
    ("remedy", "kind", "change"),
    [
        (Remedy("blank", "skip", "leave blanks out"), "long", {"reading": {"blank": "skip"}}),
        (Remedy("similar_ids", "merge", "same"), "long", {"reading": {"similar_ids": "merge"}}),
        (Remedy("similar_ids", "merge", "same"), "mixed", {"reading": {"similar_ids": "merge"}}),
        (Remedy("similar_ids", "merge", "same"), "table", {"method": {"similar_ids": "merge"}}),
        (Remedy("person", "c 1", "count people"), "table", {"person": "c 1"}),
        (Remedy("id", "c 1", "count people"), "mixed", {"reading": {"id": "c 1"}}),
        (
            Remedy("id", "p", "terms alone", (("terms", "t"),)),
            "long",
            {"reading": {"id": "p", "terms": "t"}},
        ),
        (Remedy("min_people", Placeholder("N"), "publish"), "long", {"method": {"min_people": 10}}),
        (Remedy("role", ["c=terms:9"], "shared"), "mixed", {"method": {"role": ["c=terms:9"]}}),
        (Remedy("role", ["c=terms:9"], "shared"), "long", {"reading": {"role": ["c=terms:9"]}}),
        (Remedy("role", ["c=describes event"], "nobody"), "table", {}),
        (Remedy("sheet", Placeholder("NAME"), "name the sheet"), "", {}),
        (Remedy("engine", "spark", "read it with Spark"), "long", {}),
    ],
)
def test_a_remedy_changes_reading_method_or_person(remedy, kind, change):
    assert _change(remedy, kind) == change


def test_the_message_stays_when_a_number_of_numpy_is_in_an_error(studio):
    """Finding S1: such a number is not JSON, and the message was lost."""
    job = studio.store.add_job("look", {})
    studio.store.end(job, FAILED, error={"detail": "found a blank.", "where": np.int64(7)})
    assert studio.store.job(job)["error"] == {"detail": "found a blank.", "where": 7}


def test_roles_are_tried_before_anybody_confirms_them(visitor, table):
    before = visitor.client.get(f"/data/{table}").text
    asked = {"quasi": ["Geschlecht"], "sensitive": []}
    job = visitor.finished(visitor.ask("POST", f"/api/data/{table}/risk", asked).json()["job"])
    tried = visitor.client.get(f"/data/{table}?risk={job['id']}").text
    assert "0 of 30 rows stand alone" in tried
    assert visitor.client.get(f"/data/{table}").text == before
    assert visitor.client.get(f"/data/{table}?risk={ID}").status_code == 404
    sets, _ = arrived(visitor, SETS.encode())
    assert visitor.ask("POST", f"/api/data/{sets}/risk", asked).status_code == 400


def test_what_is_chosen_is_a_plan_and_a_command_before_it_is_done(visitor):
    data, _ = arrived(visitor, SETS.encode(), "baskets.csv")
    release = published(visitor, data)["result"]["release"]
    method = {"name": "disassociation", "k": 3, "m": 2}
    told = visitor.ask("POST", f"/api/data/{data}/plan", {"method": method}).json()
    assert told["plan"] == visitor.client.get(f"/api/data/{data}/plan/{release}").text
    assert told["command"] == "disjoin disassociate baskets.csv -k 3 -m 2 -o release"
    assert visitor.ask("POST", f"/api/data/{data}/plan", {"method": {"name": "magic"}}).status_code == 400


def test_the_zip_for_a_repository_is_a_release_that_verifies(visitor, tmp_path):
    """P15: what is downloaded to be uploaded holds once it is unpacked, and the studio accepts it, too."""
    data, _ = arrived(visitor, SETS.encode())
    release = published(visitor, data)["result"]["release"]
    folder = visitor.studio.home.release(release) / "release"
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    facts = {"title": "Baskets", "authors": ["Curie, Marie"], "licence": "CC0-1.0", "contact": "a@example.org"}
    address = f"/api/releases/{release}/deposit"
    assert "Date must be" in visitor.ask("POST", address, facts).json()["detail"]
    job = visitor.finished(visitor.ask("POST", address, facts | {"date": "2026-01-31"}).json()["job"])
    assert job["state"] == DONE, job["error"]
    content = visitor.client.get(f"/api/jobs/{job['id']}/file").content
    packed = zipfile.ZipFile(BytesIO(content))
    assert set(packed.namelist()) == {f"deposit/{name}" for name in (*before, *DEPOSIT_FILES)}
    packed.extractall(tmp_path)
    assert verify(tmp_path / "deposit").holds
    headers = {"content-type": "application/octet-stream", "x-name": "deposit.zip"}
    origin = {"origin": visitor.studio.door.origin}
    visitor.client.put(f"/api/uploads/{'f' * 32}/0", content=content, headers=headers | origin)
    check = visitor.finished(visitor.ask("POST", "/api/check", {"upload": "f" * 32}).json()["job"])
    assert check["result"]["holds"] and any("Not checked: title" in each for each in check["result"]["remarks"])
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert [file.name for file in visitor.studio.home.job(job["id"]).iterdir() if file.is_dir()] == []


def test_what_pages_show_stays_when_a_hundred_jobs_have_ended_and_folders_of_others_go(studio):
    store, home = studio.store, studio.home
    shown, *others = [store.add_job(kind, {}, data=ID) for kind in (SHOWN[0], *["look"] * (KEPT_JOBS + 5))]
    for job in (shown, *others):
        home.job(job).mkdir()
        store.end(job, DONE)
    store.add_job("look", {}, data=ID)  # whoever adds one clears up
    studio.queue.tidy()
    assert store.last_job(SHOWN[0], data=ID)["id"] == shown
    assert [home.job(job).is_dir() for job in (shown, *others)] == [True, *[False] * 5, *[True] * KEPT_JOBS]


def test_what_was_done_before_is_listed_with_its_size_and_can_be_removed(visitor):
    data, _ = arrived(visitor, SETS.encode(), "baskets.csv")
    release = published(visitor, data)["result"]["release"]
    assert "25 records · 1 attempt, 1 release" in re.sub(r"\s+", " ", visitor.client.get("/").text)
    visitor.ask("DELETE", f"/api/data/{data}")
    assert f'data-remove="{release}"' in visitor.client.get("/").text
    assert "A release whose data were forgotten" in visitor.client.get("/").text
    assert visitor.ask("DELETE", f"/api/releases/{release}").status_code == 204
    assert "Recent" not in visitor.client.get("/").text


def test_a_date_of_birth_is_called_so_and_another_date_is_no_telephone_number():
    born = [f"{1 + n % 28:02}.{1 + n % 12:02}.{1950 + n}" for n in range(30)]
    columns = {
        "Geburtsdatum": born,
        "day": [each[:6] + "2024" for each in born],
        "call": [f"+49 30 1234{n:04}" for n in range(30)],
    }
    table = Table.from_columns(columns, dict.fromkeys(columns, Role.OTHER))
    found = columns_of(table, roles_of(table))
    assert [(column["suggested"], column["why"]) for column in found] == [
        ("quasi", "its dates may be dates of birth"),
        ("quasi", "it is a date of the person"),
        ("identifier", "its values look like telephone numbers"),
    ]


def test_terms_that_name_people_are_held_back_by_a_click(visitor):
    """Issue 32, point 7: the studio publishes no name; the threshold has a place on the page, with its costs."""
    data, inspected = arrived(visitor, (SETS + "bread,gift for Mrs Weber\n").encode())
    assert inspected["result"]["personal"] == ["gift for Mrs Weber"]
    page = visitor.client.get(f"/data/{data}/promise").text
    assert page.count('data-setting="min_people"') == 1
    assert "<li>10 people: 2 terms, 6 occurrences</li>" in page
    asked = {"method": {"name": "disassociation", "k": 3, "m": 2}}
    job = visitor.finished(visitor.ask("POST", f"/api/data/{data}/releases", asked).json()["job"])
    assert job["error"]["detail"].endswith("You can leave terms out.")
    done = answered(visitor, job, "Publish only terms of 10 people")
    assert done["state"] == DONE, done["error"]
    assert "min_people = 10" in visitor.client.get(f"/api/data/{data}/plan/{done['result']['release']}").text


def test_categories_of_rare_terms_come_in_a_file(visitor):
    data, _ = arrived(visitor, (SETS + "jam tart\njelly\n").encode())
    method = {"name": "disassociation", "k": 3, "m": 2, "min_people": 2, "rare": "category"}
    headers = {"content-type": "application/octet-stream", "x-name": "tree.csv", "origin": visitor.studio.door.origin}
    visitor.client.put(f"/api/uploads/{ID}/0", content=b"jam tart;sweet;*\njelly;sweet;*\n", headers=headers)
    answer = visitor.ask("POST", f"/api/data/{data}/files", {"as": "hierarchy", "upload": ID})
    assert answer.status_code < 300, answer.text
    job = visitor.finished(visitor.ask("POST", f"/api/data/{data}/releases", {"method": method}).json()["job"])
    assert job["state"] == DONE, job["error"]
    release = job["result"]["release"]
    assert 'hierarchy = "tree.csv"' in visitor.client.get(f"/api/data/{data}/plan/{release}").text
    job = visitor.finished(visitor.ask("POST", f"/api/data/{data}/dossier/{release}", {}).json()["job"])
    assert job["state"] == DONE, job["error"]
