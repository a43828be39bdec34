"""Tables, surveys, questions to a release and what programs get: jobs and pages beside the main path."""

import asyncio
import json
import os
import re
import socket
import threading
import zipfile
from contextlib import nullcontext
from io import BytesIO

import httpx
import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.errors import InvalidParameter
from disjoin.studio.command import serve
from disjoin.studio.home import Home
from disjoin.studio.reader_pool import Desks, QuestionRefused
from disjoin.studio.store import DONE
from helpers.studio_requests import ID, published, put

ILL = ("flu", "cold", "asthma")
PEOPLE = [f"{n},{20 + n % 30},{'mf'[n // 7 % 2]},{1000 + n % 7},{ILL[n // 4 % 3]}" for n in range(60)]
TABLE = "\n".join(["patient_id,age,sex,postcode,diagnosis", *PEOPLE]) + "\n"
SETS = "bread,milk\nbread,eggs\nbread,milk,eggs\nmilk,jam\neggs\n" * 5
ROLES = {"patient_id": "identifier", "age": "quasi", "sex": "quasi", "postcode": "quasi", "diagnosis": "sensitive"}


def arrived(visitor, text, name="file.csv"):
    assert put(visitor, text, name).status_code == 200
    answer = visitor.ask("POST", "/api/data", {"upload": ID})
    assert answer.status_code == 201, answer.text
    data = answer.json()["id"]
    visitor.finished(visitor.studio.store.last_job("inspect", data=data)["id"])
    return data


def done(visitor, method, address, facts):
    answer = visitor.ask(method, address, facts)
    assert answer.status_code == 202, answer.text
    job = visitor.finished(answer.json()["job"])
    assert job["state"] == DONE, job["error"]
    return job["result"]


@pytest.fixture
def made(visitor):
    data = arrived(visitor, SETS)
    return data, published(visitor, data)["result"]["release"]


def every_chart_is_a_table_too(page):
    charts = re.findall(r"<figure>.*?</figure>", page, flags=re.DOTALL)
    return bool(charts) and all(
        "<svg " in chart and "<summary>As a table</summary>" in chart and "<td>" in chart for chart in charts
    )


def test_a_table_with_roles_hierarchies_and_a_release(visitor):
    data = arrived(visitor, TABLE)
    visitor.finished(visitor.ask("PATCH", f"/api/data/{data}", {"kind": "table"}).json()["job"])
    page = visitor.client.get(f"/data/{data}").text
    assert re.search(r"suggested: (nearly every row has a different value|its header names people)", page)
    assert "Confirm the roles first" in page
    visitor.finished(visitor.ask("PATCH", f"/api/data/{data}", {"roles": ROLES}).json()["job"])
    assert "stand alone" in visitor.client.get(f"/data/{data}").text
    ways = {"postcode": {"mask": True}, "age": {"intervals": [5, 10]}, "sex": {"flat": True}}
    built = done(visitor, "POST", f"/api/data/{data}/hierarchies", {"columns": ways})["columns"]
    assert built["age"]["complete"]
    assert built["sex"]["rows"][0][-1] == "*"
    assert "Complete" in visitor.client.get(f"/data/{data}/promise").text
    packed = zipfile.ZipFile(BytesIO(visitor.client.get(f"/api/data/{data}/hierarchies").content))
    assert sorted(packed.namelist()) == [f"hierarchies/{name}.csv" for name in ("age", "postcode", "sex")]
    method = {"name": "generalization", "k": 4, "quasi": ["age", "sex", "postcode"], "sensitive": ["diagnosis"]}
    whole = method | {"identifiers": ["patient_id"], "l": 2}
    tried = done(visitor, "POST", f"/api/data/{data}/trials", {"method": whole, "ks": [4, 90]})["rows"]
    assert 0 < tried[0]["granularity"] < 1
    limits = [(2, "", ""), (2, "0.2", ""), (2, "", "0.8")]  # P16: l, t and alpha
    assert [tuple(row["settings"][name] for name in ("k", "l", "t", "alpha", "suppress")) for row in tried] == [
        (k, *limit, share) for k in (4, 90) for limit in limits for share in ("", "0.01")
    ]
    assert "90" in tried[6]["failure"] and all(row["worst_alpha"] <= 0.8 for row in tried if row.get("recommended"))
    page = visitor.client.get(f"/data/{data}/promise").text
    assert "Why this one?" in page
    assert re.search(r"<desc>Detail that settings lose[^<]*k = 4", page)
    job = published(visitor, data, **whole, m=None)
    assert job["state"] == DONE, job["error"]
    release = job["result"]["release"]
    plan = visitor.client.get(f"/api/data/{data}/plan/{release}").text
    assert 'hierarchies = "hierarchies"' in plan
    page = visitor.client.get(f"/releases/{release}/attack").text
    assert '<option value="m">' in page and 'list="values-' in page
    known = ["age=25", "sex=f", "postcode=1005"]
    found = visitor.ask("POST", f"/api/releases/{release}/candidates", {"known": known}).json()
    assert 4 <= found["possible"] <= 60 and "The guarantee holds" in found["verdict"]
    assert sum(each["chance"] for each in found["learned"]) == pytest.approx(1)
    assert len([each for each in found["learned"] if each["term"].startswith("diagnosis=")]) >= 2
    true = sum(line.split(",")[1:4] == ["25", "f", "1005"] for line in PEOPLE)
    against = f"/api/data/{data}/against/{release}"
    assert visitor.ask("POST", against, {"known": known}).json() == {"records": true, "shown": []}
    assert visitor.ask("POST", against, {"known": ["age=20-29"], "show": True}).json()["records"] == 20
    assert visitor.ask("POST", against, {"record": 0}).status_code == 400
    assert visitor.ask("POST", f"/api/releases/{release}/candidates", {"known": ["sex=?!"]}).status_code == 400
    assert visitor.client.get(f"/releases/{release}/parts").status_code == 200
    assert visitor.client.get(f"/releases/{release}/parts/1").status_code == 200
    assert every_chart_is_a_table_too(visitor.client.get(f"/releases/{release}").text)
    done(visitor, "POST", f"/api/data/{data}/dossier/{release}", {})
    page = visitor.client.get(f"/api/data/{data}/dossier/{release}").text
    assert all(
        words in page for words in ("before and after", "The guarantee holds.", "An example attack", "Chosen: k = 4, l = 2.")
    )


def test_a_survey_tells_each_setting_and_the_page_shows_them(visitor):
    data = arrived(visitor, SETS)
    asked = {"ks": [2, 3], "ms": [2], "clusterings": ["horpart"]}
    found = done(visitor, "POST", f"/api/data/{data}/survey", asked)
    assert len(found["rows"]) == 2
    job = visitor.studio.store.last_job("survey", data=data)["id"]
    told = visitor.client.get(f"/api/jobs/{job}/events").text
    assert told.count("event: tried") == 2
    assert told.count("event: drawn") == 1, "at once, and then once in a while"
    page = visitor.client.get(f"/data/{data}/promise").text
    assert "Why this one?" in page
    assert re.search(r'<svg role="img"[^>]*><title>[^<]+</title><desc>Pair error of settings', page)
    assert not re.search(r'(fill|stroke)="#(1f2933|52606d|ffffff)"', page), (
        "the page has its own colours, light and dark"
    )


def test_every_setting_of_a_method_can_be_said_on_the_page(visitor):
    from disjoin.methods import METHODS
    from disjoin.methods.settings import settings_of
    from disjoin.studio.plans import ON_PAGE

    sets, table = arrived(visitor, SETS), arrived(visitor, TABLE)
    visitor.finished(visitor.ask("PATCH", f"/api/data/{table}", {"kind": "table"}).json()["job"])
    visitor.finished(visitor.ask("PATCH", f"/api/data/{table}", {"roles": ROLES}).json()["job"])
    page = "".join(visitor.client.get(f"/data/{data}/promise").text for data in (sets, table))
    for name in set(METHODS) - {"mixed"}:
        names = {each.name for each in settings_of(METHODS[name])}
        assert names >= set(ON_PAGE[name])
        assert all(f'data-setting="{each}"' in page for each in names - set(ON_PAGE[name])), name


def brought(visitor, data, what, text, name):
    assert put(visitor, text, name, upload_set="b" * 32).status_code == 200
    return visitor.ask("POST", f"/api/data/{data}/files", {"as": what, "upload": "b" * 32}).json()["files"]


def test_a_population_is_brought_and_the_release_is_that_of_the_saved_plan(visitor, tmp_path):
    data = arrived(visitor, TABLE)
    visitor.finished(visitor.ask("PATCH", f"/api/data/{data}", {"kind": "table"}).json()["job"])
    visitor.finished(visitor.ask("PATCH", f"/api/data/{data}", {"roles": ROLES}).json()["job"])
    everybody = "age,sex\n" + "".join(",".join(line.split(",")[1:3]) + "\n" for line in PEOPLE * 3)
    assert brought(visitor, data, "population", everybody, "town.csv") == {"population": "town.csv"}
    method = {"name": "generalization", "k": 3, "quasi": ["age", "sex"], "sensitive": ["diagnosis"], "m": None}
    job = published(visitor, data, **method, identifiers=["patient_id"], others=["postcode"], k_map=20)
    assert job["state"] == DONE, job["error"]
    made = visitor.studio.store.data(data)["facts"]["releases"][job["result"]["release"]]
    assert 'population = "town.csv"' in made["plan"]
    assert "--population town.csv" in made["command"]
    for name, text in (("town.csv", everybody), ("file.csv", TABLE), ("plan.toml", made["plan"])):
        (tmp_path / name).write_text(text)
    assert run(["run", str(tmp_path / "plan.toml"), "--quiet"]) == 0
    ours = visitor.studio.home.release(job["result"]["release"]) / "release"
    both = [sorted(file for file in folder.rglob("*") if file.is_file()) for folder in (ours, tmp_path / "release")]
    assert [file.read_bytes() for file in both[0]] == [file.read_bytes() for file in both[1]]
    assert len(both[0]) > 5


def test_categories_come_from_a_file_until_it_is_left_out(visitor):
    data = arrived(visitor, SETS)
    tree = "bread;food;*\nmilk;drink;*\neggs;food;*\njam;food;*\n"
    assert brought(visitor, data, "hierarchy", tree, "categories.csv") == {"hierarchy": "categories.csv"}
    assert "<bdi>categories.csv</bdi> is used." in visitor.client.get(f"/data/{data}/promise").text
    wish = {"method": {"name": "apriori", "k": 3, "m": 2, "fan_out": 2}}
    chosen = visitor.ask("POST", f"/api/data/{data}/plan", wish).json()
    assert 'hierarchy = "categories.csv"' in chosen["plan"] and "fan_out" not in chosen["plan"]
    assert "--hierarchy categories.csv" in chosen["command"]
    job = published(visitor, data, **wish["method"])
    assert job["state"] == DONE, job["error"]
    assert visitor.ask("POST", f"/api/data/{data}/files", {"as": "hierarchy"}).json() == {"files": {}}
    assert "fan_out = 2" in visitor.ask("POST", f"/api/data/{data}/plan", wish).json()["plan"]
    assert visitor.ask("POST", f"/api/data/{data}/files", {"as": "photo"}).status_code == 400


def test_a_release_is_asked_mined_attacked_and_put_together(visitor, made):
    data, release = made
    base = f"/api/releases/{release}"
    rows = visitor.ask("POST", f"{base}/support", {"itemsets": [["bread", "milk"], ["caviar"]]}).json()
    assert rows["rows"][0]["at_least"] <= 10 <= rows["rows"][0]["at_most"]
    assert "caviar" in rows["unknown"]
    assert visitor.ask("POST", f"{base}/terms", {"typed": "BR"}).json()["terms"] == ["bread"]
    assert done(visitor, "POST", f"{base}/mine", {"top": 3})["rows"]
    assert "rows" in done(visitor, "POST", f"{base}/rules", {})
    assert done(visitor, "POST", f"/api/data/{data}/simulate/{release}", {"draws": 20})["draws"] == 20
    assert done(visitor, "POST", f"{base}/reconstructions", {"n": 2})["n"] == 2
    job = visitor.studio.store.last_job("reconstruct")["id"]
    assert len(zipfile.ZipFile(BytesIO(visitor.client.get(f"/api/jobs/{job}/file").content)).namelist()) == 3
    assert visitor.client.get(base).json()["report"]["counts"]["records"] == 25
    assert visitor.client.get(f"{base}/parts/0").json()["cluster"] == 0
    assert visitor.ask("POST", f"{base}/parts", {"find": "jam"}).json()["number"] >= 1
    assert "sandbox" in visitor.client.get(f"{base}/report.html").headers["content-security-policy"]
    assert visitor.client.get("/api/releases").json()["releases"][0]["id"] == release
    assert visitor.ask("DELETE", base).status_code == 204
    assert visitor.client.get(f"/releases/{release}").status_code == 404


def test_the_dossier_of_a_release_that_was_made_here(visitor, made):
    data, release = made
    assert visitor.client.get(f"/api/data/{data}/dossier/{release}").status_code == 404
    done(visitor, "POST", f"/api/data/{data}/dossier/{release}", {})
    answer = visitor.client.get(f"/api/data/{data}/dossier/{release}")
    assert "plan.toml" in answer.text
    assert answer.headers["content-type"] == "application/octet-stream"  # nothing of it runs in the browser
    assert "Write it again" in visitor.client.get(f"/releases/{release}/take").text


OTHERS = {
    "cahd": {"p": 3, "sensitive": ["jam"]},
    "apriori": {"k": 3, "m": 2, "fan_out": 2},
    "diffpart": {"epsilon": "2", "domain": ["bread", "eggs", "jam", "milk"]},
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_methods_have_pages_and_attacks_too(visitor, kind):
    if kind == "diffpart":
        pytest.importorskip("opendp")
    data = arrived(visitor, SETS * 4)
    release = done(visitor, "POST", f"/api/data/{data}/releases", {"method": {"name": kind} | OTHERS[kind]})["release"]
    for tab in ("", "/parts", "/parts/0", "/use", "/take"):
        assert visitor.client.get(f"/releases/{release}{tab}").status_code == 200
    assert "<summary>As a table</summary>" in visitor.client.get(f"/releases/{release}").text
    page = visitor.client.get(f"/releases/{release}/attack").text
    asked = visitor.ask("POST", f"/api/releases/{release}/candidates", {"known": ["bread", "milk"]})
    if kind == "diffpart":
        assert "Attacks on the tables show nothing" in page
        assert asked.status_code == 400
        return
    assert "I know that the person has" in page
    found = asked.json()
    assert (found["is_kept"], found["within_guarantee"]) == (True, True)
    assert found["possible"] >= 3
    mine = visitor.ask("POST", f"/api/data/{data}/against/{release}", {"known": ["bread", "milk"]}).json()
    assert mine["records"] <= found["possible"]
    assert "One record of your data" in visitor.client.get(f"/data/{data}/against/{release}").text


def test_terms_that_look_like_people_are_left_out_by_a_click_and_the_plan_says_so(visitor):
    data = arrived(visitor, SETS + "bread,card 44710023\nann@example.org\n")
    assert "2 terms may name or number people" in visitor.client.get(f"/data/{data}").text
    wish = {"leave_out": ["card 44710023", "ann@example.org"]}
    found = done(visitor, "PATCH", f"/api/data/{data}", wish)
    assert (found["personal"], found["facts"]["records"]) == ([], 26)
    page = visitor.client.get(f"/data/{data}").text
    assert "2 terms that may name or number people are left out" in page
    assert "--leave-out" in page
    release = published(visitor, data)["result"]["release"]
    plan = visitor.client.get(f"/api/data/{data}/plan/{release}").text
    assert 'leave_out = ["card 44710023", "ann@example.org"]' in plan
    assert "ann@example.org" not in visitor.client.get(f"/releases/{release}/parts").text
    assert done(visitor, "PATCH", f"/api/data/{data}", {"leave_out": []})["facts"]["records"] == 27


def test_hierarchies_of_bands_and_dates_are_built_by_clicking(visitor):
    rows = [f"{n},{18 + n},2024-0{1 + n % 3}-1{n % 9}" for n in range(30)]
    data = arrived(visitor, "\n".join(["number,age,day", *rows]) + "\n")
    done(visitor, "PATCH", f"/api/data/{data}", {"kind": "table"})
    done(visitor, "PATCH", f"/api/data/{data}", {"roles": {"number": "identifier", "age": "quasi", "day": "quasi"}})
    page = visitor.client.get(f"/data/{data}/promise").text
    assert "bands that begin at" in page
    assert "dates: months, quarters, years" in page
    columns = {"age": {"bands": [["18", "30", "65"], ["30"]]}, "day": {"dates": True}}
    found = done(visitor, "POST", f"/api/data/{data}/hierarchies", {"columns": columns})["columns"]
    assert (found["age"]["complete"], found["day"]["complete"]) == (True, True)
    assert found["day"]["rows"][0] == ["2024-01-01", "2024-01", "2024 Q1", "2024", "2020 to 2029", "*"]
    assert 'value="18, 30, 65; 30"' in visitor.client.get(f"/data/{data}/promise").text


def test_pages_of_the_beginning_and_the_end(visitor, made):
    assert "Forget" in visitor.client.get("/").text
    assert "The marks" in visitor.client.get("/help").text
    assert "Drop the folder" in visitor.client.get("/check").text
    assert visitor.client.get("/api/health").json()["status"] == "fine"
    assert visitor.client.get("/api/jobs").json()["jobs"]
    assert visitor.client.get("/api/openapi.json").json()["openapi"] == "3.1.0"
    job = visitor.studio.store.add_job("survey", {})
    visitor.studio.queue.at_once = 0
    visitor.studio.store.end(job, "interrupted", code=137)
    assert "Run it again" in visitor.client.get(f"/jobs/{job}").text
    again = visitor.ask("POST", f"/api/jobs/{job}/again", {}).json()["job"]
    assert visitor.ask("DELETE", f"/api/jobs/{again}").json()["state"] == "cancelled"


def test_help_has_pages_of_the_docs_and_every_link_leads_to_something(visitor):
    first = visitor.client.get("/help").text
    pages = {address: visitor.client.get(address).text for address in set(re.findall(r'href="(/help/[^"#]+)"', first))}
    assert len(pages) > 20
    assert "possible original" in pages["/help/reference/glossary"]
    for address, text in pages.items():
        assert len(text) < 300_000
        for link in re.findall(r'<a href="([^"]*)"', text.partition("<main")[2]):
            path, _, place = link.partition("#")
            assert path in ("", "/help") or path in pages, link
            assert not place or f' id="{place}"' in pages.get(path or address), (address, link)
    assert visitor.client.get("/help/decisions/../../pyproject").status_code == 404
    assert visitor.client.get("/help/index").status_code == 404


def test_files_of_a_folder_are_read_where_they_are_and_links_do_not_lead_out(visitor, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.csv").write_text(SETS)
    (tmp_path / "secret.csv").write_text(SETS)
    (folder / "b.csv").symlink_to(tmp_path / "secret.csv")
    visitor.studio.folder = folder
    page = visitor.client.get("/").text
    assert "a.csv" in page
    assert "b.csv" not in page
    data = visitor.ask("POST", "/api/data", {"path": 0}).json()["id"]
    assert visitor.studio.store.data(data)["facts"]["path"] == str(folder / "a.csv")
    assert visitor.ask("POST", "/api/data", {"path": 1}).status_code == 404
    visitor.ask("DELETE", f"/api/data/{data}")
    assert (folder / "a.csv").exists()


@pytest.mark.parametrize("demo", ["baskets", "visits", "census"])
def test_made_up_data_are_looked_at(visitor, demo, monkeypatch):
    monkeypatch.setitem(__import__("disjoin.studio.tasks", fromlist=["WORK"]).WORK, "inspect", lambda errand: {})
    kind = visitor.ask("POST", "/api/data", {"demo": demo}).json()["kind"]
    assert kind == {"baskets": "records", "visits": "long", "census": "table"}[demo]


def test_a_reader_process_answers_and_a_refusal_is_its_own(tmp_path):
    (tmp_path / "baskets.csv").write_text(SETS)

    async def asked():
        desks = Desks()
        known = (str(tmp_path / "baskets.csv"), "{}")
        found = await desks.ask("original_reader", known, "who", known=["bread", "milk"], show=True)
        with pytest.raises(QuestionRefused, match="counted from 0"):
            await desks.ask("original_reader", known, "record", number=99)
        with pytest.raises(QuestionRefused, match="no such question"):
            await desks.ask("original_reader", known, "everything")
        desks.close_idle()
        await desks.end_all()
        return found

    found = asyncio.run(asked())
    assert found["records"] == 10
    assert len(found["shown"]) == 5


def test_it_serves_on_an_address_of_its_own_and_a_second_start_opens_the_first(tmp_path, monkeypatch):
    import uvicorn

    links, ready = [], threading.Event()

    def told(link):
        links.append(link)
        ready.set()

    servers = []
    run = uvicorn.Server.run

    def noted(self, sockets):
        servers.append(self)
        run(self, sockets)

    monkeypatch.setattr(uvicorn.Server, "run", noted)
    monkeypatch.setattr(uvicorn.Server, "capture_signals", lambda self: nullcontext())
    before = os.umask(0o022)
    wish = {"place": tmp_path / "home", "opened": told, "warm_up": False}
    thread = threading.Thread(target=serve, kwargs=wish, daemon=True)
    thread.start()
    assert ready.wait(30)
    assert httpx.get(links[0], follow_redirects=False).status_code == 303
    assert httpx.get(links[0], follow_redirects=False).status_code == 403
    serve(**wish)
    assert links[1].partition("/enter")[0] == links[0].partition("/enter")[0]
    with pytest.raises(InvalidParameter, match="is running"):
        Home(tmp_path / "home").remove()
    servers[0].should_exit = True
    thread.join(30)
    Home(tmp_path / "home").remove()
    assert not (tmp_path / "home").exists()
    os.umask(before)
    host = links[0].removeprefix("http://").partition(":")[0]
    assert socket.inet_aton(host)[0] == 127


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(InvalidParameter, match="found no folder"):
        serve(tmp_path / "home", print, folder=tmp_path / "nowhere")


def test_json_bodies_have_a_limit(visitor):
    assert visitor.ask("POST", "/api/data", {"demo": "x" * (1 << 20)}).status_code == 413
    answer = visitor.client.post(
        "/api/data", content=b"{", headers={"origin": visitor.studio.door.origin, "content-type": "application/json"}
    )
    assert answer.status_code == 400
    assert json.loads(answer.text)["title"]


def test_the_ledger_near_a_listed_file_stops_a_second_release_until_somebody_insists(visitor, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.csv").write_text(SETS)
    disjoin.Ledger.start(folder)
    visitor.studio.folder = folder
    data = visitor.ask("POST", "/api/data", {"path": 0}).json()["id"]
    visitor.finished(visitor.studio.store.last_job("inspect", data=data)["id"])
    assert published(visitor, data)["state"] == DONE
    second = published(visitor, data, k=4)
    assert second["state"] == "failed"
    assert second["error"]["published_before"]
    assert len(list((visitor.studio.home.path / "releases").iterdir())) == 1
    assert "with the risk described above" in visitor.client.get(f"/jobs/{second['id']}").text
    third = visitor.ask("POST", f"/api/jobs/{second['id']}/again", {"again": True}).json()["job"]
    assert visitor.finished(third)["state"] == DONE
