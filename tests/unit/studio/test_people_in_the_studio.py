"""People with columns and terms: one file or two, roles, promise, release, attack, dossier, check."""

import json
import re

import pytest

from disjoin.model import Table
from disjoin.studio.store import DONE
from disjoin.studio.tasks_on_tables import _fit
from helpers.hospital_file import HEADERS, hospital_csv
from helpers.studio_requests import ID, put

SEXES, CODES = "mf", ("I10", "E11", "J45")
PEOPLE = [(f"p{n}", str(30 + n % 4), SEXES[n % 2], [CODES[n % 3], *(["F32"] if n % 4 == 0 else [])]) for n in range(48)]
LISTS = "age,sex,codes\n" + "".join(f"{age},{sex},{';'.join(codes)}\n" for _, age, sex, codes in PEOPLE)
LONG = "patient,age,sex,code\n" + "".join(f"{who},{age},{sex},{c}\n" for who, age, sex, codes in PEOPLE for c in codes)
ROWS = "patient,age,sex\n" + "".join(f"{who},{age},{sex}\n" for who, age, sex, _ in PEOPLE)
ITEMS = "patient,code\n" + "".join(f"{who},{code}\n" for who, _, _, codes in PEOPLE for code in codes)
ROLES = {"age": "quasi", "sex": "quasi"}
WAYS = {
    "lists": ([LISTS], {"roles": ROLES | {"codes": "terms"}, "split": ";"}),
    "long": ([LONG], {"roles": ROLES | {"patient": "identifier", "code": "terms"}, "person": "patient"}),
    "two": ([ITEMS, ROWS], {"roles": ROLES | {"patient": "identifier"}, "person": "patient", "terms": "code"}),
}


def arrived(visitor, texts):
    for number, text in enumerate(texts):
        assert put(visitor, text, f"file{number}.csv", number=number).status_code == 200
    answer = visitor.ask("POST", "/api/data", {"upload": ID})
    assert answer.status_code == 201, answer.text
    return answer.json()


def ended(visitor, answer):
    assert answer.status_code == 202, answer.text
    job = visitor.finished(answer.json()["job"])
    assert job["state"] == DONE, job["error"]
    return job["result"]


@pytest.mark.parametrize("way", WAYS)
def test_people_come_in_one_file_or_two_and_go_the_whole_path(visitor, way):
    texts, said = WAYS[way]
    found = arrived(visitor, texts)
    data = found["id"]
    if way == "long":
        assert found["kind"] == "long"
        visitor.finished(visitor.ask("PATCH", f"/api/data/{data}", {"kind": "mixed"}).json()["job"])
    else:
        assert found["kind"] == "mixed"
        visitor.finished(visitor.studio.store.last_job("inspect", data=data)["id"])
    page = visitor.client.get(f"/data/{data}").text
    assert "people with columns and terms" in page
    assert "Confirm the roles first" in page
    inspected = ended(visitor, visitor.ask("PATCH", f"/api/data/{data}", said))
    assert inspected["facts"]["known_terms"][0] == {"known": 0, "unique_people": 0, "people": 48}
    assert "of 100 people can be found" in visitor.client.get(f"/data/{data}").text
    ended(visitor, visitor.ask("POST", f"/api/data/{data}/hierarchies", {"columns": {"sex": {"flat": True}}}))
    assert "in addition to these columns" in visitor.client.get(f"/data/{data}/promise").text
    method = {"name": "mixed", "k": 3, "m": 2, "quasi": ["age", "sex"], "sensitive": ["F32"]}
    tried = ended(visitor, visitor.ask("POST", f"/api/data/{data}/trials", {"method": method, "ks": [3]}))
    assert 0 < tried["rows"][0]["granularity"] <= 1
    release = ended(visitor, visitor.ask("POST", f"/api/data/{data}/releases", {"method": method}))["release"]
    _look_at(visitor, data, release)


def _look_at(visitor, data, release):
    for tab in ("", "/parts", "/parts/0", "/attack", "/use", "/take"):
        answer = visitor.client.get(f"/releases/{release}{tab}")
        assert answer.status_code == 200, (tab, answer.text)
    known = {"known": ["age=31", "sex=f", "I10"]}
    found = visitor.ask("POST", f"/api/releases/{release}/candidates", known).json()
    assert (found["within_guarantee"], found["is_kept"], found["possible"] >= 3) == (True, True, True)
    mine = visitor.ask("POST", f"/api/data/{data}/against/{release}", known | {"show": True}).json()
    assert mine["records"] == sum(age == "31" and sex == "f" and "I10" in codes for _, age, sex, codes in PEOPLE)
    assert mine["shown"][0][:2] == ["age=31", "sex=f"]
    assert "age=30" in visitor.client.get(f"/data/{data}/against/{release}").text
    [row] = visitor.ask("POST", f"/api/releases/{release}/support", {"itemsets": [["sex=f", "I10"]]}).json()["rows"]
    assert row["at_least"] <= 8 <= row["at_most"]
    ended(visitor, visitor.ask("POST", f"/api/data/{data}/dossier/{release}", {}))
    assert "reveal, before and after" in visitor.client.get(f"/api/data/{data}/dossier/{release}").text
    job = visitor.ask("POST", "/api/check", {"release": release, "original": data}).json()["job"]
    assert visitor.finished(job)["result"]["holds"]
    plan = visitor.client.get(f"/api/data/{data}/plan/{release}").text
    assert 'name = "mixed"' in plan
    assert str(visitor.studio.home.path) not in plan


def test_two_files_without_a_common_column_are_one_sentence(visitor):
    for number, text in enumerate(["a,b,c\n1,2,3\n4,5,6\n", "x,y,z\n1,2,3\n4,5,6\n"]):
        put(visitor, text, f"file{number}.csv", number=number)
    answer = visitor.ask("POST", "/api/data", {"upload": ID})
    assert (answer.status_code, "none in common" in json.dumps(answer.json())) == (400, True)


def test_roles_that_do_not_go_together_are_told_and_can_be_changed(visitor):
    data = arrived(visitor, [LONG.replace("p1,31", "p1,99", 1) + "p1,31,f,J45\n"])["id"]
    visitor.finished(visitor.ask("PATCH", f"/api/data/{data}", {"kind": "mixed"}).json()["job"])
    found = ended(visitor, visitor.ask("PATCH", f"/api/data/{data}", WAYS["long"][1]))
    assert "Correct them" in found["problem"]
    page = visitor.client.get(f"/data/{data}").text
    assert "Correct them" in page
    assert "Use these roles" in page


@pytest.mark.parametrize("language", HEADERS)
def test_the_risk_of_a_long_table_counts_columns_that_are_constant_per_person(visitor, language):
    """P3: the studio reported that fewer than 1 of 100 records of such a file can be found."""
    names = HEADERS[language]
    found = arrived(visitor, [hospital_csv(names)])
    data = found["id"]
    visitor.finished(visitor.studio.store.last_job("inspect", data=data)["id"])
    page = visitor.client.get(f"/data/{data}").text
    assert "100 of 100 people can be found by an attacker" in page
    assert f"Not counted: {names[5]}, {names[7]}, {names[8]}." in page
    assert "Publish as people with columns and terms" in page
    inspected = ended(visitor, visitor.ask("PATCH", f"/api/data/{data}", {"kind": "mixed"}))
    suggested = ["identifier", *["quasi"] * 4, "other", "terms", "other", "identifier"]
    assert inspected["roles"] == dict(zip(names, suggested, strict=True))
    assert inspected["facts"]["known_terms"][0] == {"known": 0, "unique_people": 300, "people": 300}
    page = visitor.client.get(f"/data/{data}").text
    assert "suggested: it contains sentences, which may name people (likely)" in page
    assert "suggested: it is the same in all rows of one" in page


def test_a_table_of_people_with_several_rows_counts_people_whatever_the_headers_are(visitor):
    """P2: with German or bare headers the studio counted rows."""
    alone = set()
    for names in HEADERS.values():
        data = arrived(visitor, [hospital_csv(names)])["id"]
        visitor.finished(visitor.ask("PATCH", f"/api/data/{data}", {"kind": "table"}).json()["job"])
        roles = dict.fromkeys(names, "other") | dict.fromkeys(names[2:5], "quasi")
        people = ended(visitor, visitor.ask("PATCH", f"/api/data/{data}", {"roles": roles}))["facts"]["people"]
        assert (people["column"], people["number"]) == (names[0], 300)
        assert "people have a row that nobody else" in visitor.client.get(f"/data/{data}").text
        alone.add(people["alone"])
    assert len(alone) == 1


def test_two_files_are_joined_by_the_column_that_identifies_rows_of_one():
    people = {"sex": ["f", "m"] * 15, "Nr": [str(100 + place) for place in range(30)], "age": ["7"] * 30}
    items = {"sex": ["f", "m"] * 45, "Nr": [str(100 + place // 3) for place in range(90)], "code": ["I10"] * 90}
    tables = [Table.from_columns(people), Table.from_columns(items)]
    assert max(("sex", "Nr"), key=lambda name: _fit(tables, name)) == "Nr"


def test_a_column_that_identifies_people_is_published_once_the_data_owner_says_that_it_does_not(visitor):
    """P1: in the studio, too, no role publishes it before; the plan and the command state the number of values."""
    lines = [f"{5000 + 37 * n % 997},{'mf'[n // 3 % 2]},{20 + n % 5}" for n in range(60)]
    data = arrived(visitor, ["\n".join(["c1,c2,c3", *lines])])["id"]
    roles = {"c1": "other", "c2": "quasi", "c3": "quasi"}
    visitor.finished(visitor.ask("PATCH", f"/api/data/{data}", {"kind": "table"}).json()["job"])
    page = visitor.client.get(f"/data/{data}").text
    assert re.search(r'data-override="c1" value="60"> It does not identify anyone', page)
    assert 'data-override="c2"' not in page
    ended(visitor, visitor.ask("PATCH", f"/api/data/{data}", {"roles": roles}))
    method = {"name": "generalization", "k": 2, "quasi": ["c2", "c3"], "others": ["c1"]}
    refused = visitor.finished(visitor.ask("POST", f"/api/data/{data}/releases", {"method": method}).json()["job"])
    assert "'c1' may identify people" in refused["error"]["detail"]
    assert "state that 'c1' does not identify people on the page of the data" in refused["error"]["detail"]
    ended(visitor, visitor.ask("PATCH", f"/api/data/{data}", {"roles": roles, "overrides": {"c1": 60}}))
    assert 'data-override="c1" value="60" checked' in visitor.client.get(f"/data/{data}").text
    written = visitor.ask("POST", f"/api/data/{data}/plan", {"method": method}).json()
    assert "c1=describes event:60" in written["plan"]
    assert "--role 'c1=describes event:60'" in written["command"]
    ended(visitor, visitor.ask("POST", f"/api/data/{data}/releases", {"method": method}))
    wrong = {"roles": roles, "overrides": {"c1": "many"}}
    assert visitor.ask("PATCH", f"/api/data/{data}", wrong).status_code == 400


def test_a_long_table_shows_the_role_of_every_column_and_how_to_go_on(visitor):
    """P3: columns that records leave out were not mentioned."""
    names = HEADERS["English"]
    data = arrived(visitor, [hospital_csv(names)])["id"]
    visitor.finished(visitor.studio.store.last_job("inspect", data=data)["id"])
    page = visitor.client.get(f"/data/{data}").text
    roles = re.findall(r'<th scope="row"><bdi>(\w+)</bdi></th><td>(.+?) \(\w+\)</td><td>(.+?)</td>', page)
    assert [name for name, _, why in roles if why] == names
    assert roles[0][:2] == ("patient_id", "person")
    assert "Choose a guarantee" not in page
    asked = {"method": {"name": "disassociation", "k": 3, "m": 2}}
    refused = visitor.finished(visitor.ask("POST", f"/api/data/{data}/releases", asked).json()["job"])
    assert "people with columns and terms" in refused["error"]["detail"]
    assert [way["say"] for way in refused["error"]["remedies"]] == ["Publish the terms alone"]
    alone = {"kind": "long", "reading": {"id": "patient_id", "terms": "diagnosis"}}
    ended(visitor, visitor.ask("PATCH", f"/api/data/{data}", alone))
    page = visitor.client.get(f"/data/{data}").text
    assert "Choose a guarantee" in page
    assert "100 of 100 people can be found by an attacker" in page  # the risk is that of the file


@pytest.mark.parametrize(
    ("term", "choice"), [("{}", "item=terms"), ("ab12cd34ef56{}", "item=terms:240")], ids=["possible", "certain"]
)
def test_terms_that_look_like_ids_are_published_once_the_data_owner_says_that_people_share_them(visitor, term, choice):
    lines = [f"{n // 4},{term.format(1000 + 613 * n % 9973)}" for n in range(240)]
    data = arrived(visitor, ["\n".join(["basket,item", *lines])])["id"]
    visitor.finished(visitor.studio.store.last_job("inspect", data=data)["id"])
    asked = {"method": {"name": "disassociation", "k": 2, "m": 1}}
    refused = visitor.finished(visitor.ask("POST", f"/api/data/{data}/releases", asked).json()["job"])
    (way,) = [
        way for way in refused["error"]["remedies"] if way["say"] == "State that several people share these terms"
    ]
    number = refused["error"]["remedies"].index(way)
    again = visitor.finished(visitor.ask("POST", f"/api/jobs/{refused['id']}/again", {"way": number}).json()["job"])
    assert again["state"] == DONE, again["error"]
    assert f"--role {choice}" in visitor.client.get(f"/data/{data}").text
