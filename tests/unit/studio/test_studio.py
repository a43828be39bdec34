"""The studio is asked as its pages ask it, and what is private stays private."""

import json
import re
from importlib.resources import files

import pytest

import disjoin
from disjoin.studio.app import API
from disjoin.studio.store import CANCELLED, DONE, FAILED, IMPOSSIBLE, INTERRUPTED, Memory
from helpers.studio_requests import ID, published, put

CANARY = "zyxcanary"
SETS = [["bread", "milk"], ["bread", "eggs"], ["bread", "milk", "eggs"], ["milk", CANARY], ["eggs"]] * 5
TEXT = "\n".join(",".join(terms) for terms in SETS) + "\n"


@pytest.fixture
def data(visitor):
    assert put(visitor, TEXT).status_code == 200
    answer = visitor.ask("POST", "/api/data", {"upload": ID})
    assert answer.status_code == 201, answer.text
    assert answer.json()["kind"] == "records"
    return answer.json()["id"]


def test_the_whole_path_without_a_browser(visitor, data, tmp_path):
    inspected = visitor.finished(visitor.studio.store.last_job("inspect", data=data)["id"])
    assert inspected["result"]["facts"]["records"] == 25
    assert "records can be found" in visitor.client.get(f"/data/{data}").text
    job = published(visitor, data)
    assert job["state"] == DONE, job["error"]
    release = job["result"]["release"]
    page = visitor.client.get(f"/releases/{release}").text
    assert disjoin.KmAnonymity(3, 2).sentence() in page
    known = visitor.ask("POST", f"/api/releases/{release}/candidates", {"known": ["bread", "milk"]}).json()
    assert known["certain"] <= 10 <= known["possible"]
    assert known["within_guarantee"]
    mine = visitor.ask("POST", f"/api/data/{data}/against/{release}", {"known": ["bread", "milk"]}).json()
    assert mine == {"records": 10, "shown": []}
    plan = visitor.client.get(f"/api/data/{data}/plan/{release}").text
    (tmp_path / "plan.toml").write_text(plan)
    (tmp_path / "baskets.csv").write_text(TEXT)
    from disjoin.cli.main import run

    assert run(["run", str(tmp_path / "plan.toml"), "-q"]) == 0
    ours, theirs = visitor.studio.home.release(release) / "release", tmp_path / "release"
    names = sorted(file.name for file in theirs.iterdir())
    assert sorted(file.name for file in ours.iterdir()) == names
    assert all((ours / name).read_bytes() == (theirs / name).read_bytes() for name in names)  # B3


def test_a_promise_that_cannot_be_kept_says_so_and_writes_nothing(visitor, data):
    job = published(visitor, data, k=40)
    assert (job["state"], job["exit_code"]) == (IMPOSSIBLE, 4)
    assert "cannot" in job["error"]["title"]
    assert list((visitor.studio.home.path / "releases").iterdir()) == []
    assert "cannot be reached" in visitor.client.get(f"/jobs/{job['id']}").text


def test_what_is_no_file_of_records_is_one_sentence_and_leaves_nothing(visitor):
    put(visitor, "%PDF-1.7", "a.pdf")
    answer = visitor.ask("POST", "/api/data", {"upload": ID})
    assert answer.status_code == 400
    assert "PDF" in answer.json()["detail"]
    assert str(visitor.studio.home.path) not in answer.text
    assert list((visitor.studio.home.path / "data").iterdir()) == []


def test_an_upload_over_the_limit_stops_and_is_not_kept(visitor):
    answer = put(visitor, "x" * 200_001)
    assert answer.status_code == 413
    assert "A file may have up to" in answer.json()["detail"]
    assert not visitor.studio.home.upload(ID, 0).exists()


@pytest.mark.parametrize("name", ["..%2F..%2Fevil.csv", "%3Cimg%20onerror%3D1%3E.csv", "a%00b.csv", "%E2%80%AEvil.csv"])
def test_a_hostile_file_name_is_text(visitor, name):
    put(visitor, TEXT, name=name)
    data = visitor.ask("POST", "/api/data", {"upload": ID}).json()["id"]
    page = visitor.client.get(f"/data/{data}").text
    assert "<img" not in page
    assert "\u202e" not in page
    assert [file.name for file in visitor.studio.home.data(data).iterdir()] == ["source.csv"]


def test_script_in_a_term_is_text(visitor):
    put(visitor, "<img src=x onerror=alert(1)>,b\n" * 9 + "c,b\n" * 9)
    data = visitor.ask("POST", "/api/data", {"upload": ID}).json()["id"]
    visitor.finished(visitor.studio.store.last_job("inspect", data=data)["id"])
    release = published(visitor, data)["result"]["release"]
    for address in (f"/data/{data}", f"/data/{data}/promise", f"/releases/{release}", f"/releases/{release}/parts"):
        answer = visitor.client.get(address)
        assert answer.status_code == 200
        assert "<img src=x" not in answer.text


def test_titles_and_addresses_name_nothing_of_the_data(visitor, data):
    visitor.finished(visitor.studio.store.last_job("inspect", data=data)["id"])
    release = published(visitor, data)["result"]["release"]
    pages = [f"/data/{data}", f"/data/{data}/promise", f"/releases/{release}", f"/releases/{release}/parts", "/"]
    for address in [*pages, f"/data/{data}/against/{release}?record=3", f"/releases/{release}/attack"]:
        text = visitor.client.get(address).text
        [title] = re.findall("<title>(.*?)</title>", text.split("</head>")[0])
        assert not re.search("baskets|bread|canary", title)
        addresses = re.findall(r'(?:href|src|action)="(?!data:)([^"]*)"', text)
        assert not [each for each in addresses if re.search("bread|canary|baskets", each)]
    logs = [file.read_text() for file in (visitor.studio.home.path / "jobs").glob("*/log")]
    assert not any(CANARY in log for log in logs)


def test_after_forget_nothing_is_left(visitor, data):
    visitor.finished(visitor.studio.store.last_job("inspect", data=data)["id"])
    job = published(visitor, data, sensitive=[CANARY])
    assert job["state"] == DONE
    visitor.ask("POST", f"/api/data/{data}/against/{job['result']['release']}", {"known": [CANARY]})
    assert visitor.ask("DELETE", f"/api/data/{data}?releases=too").status_code == 204
    kept = [file for file in visitor.studio.home.path.rglob("*") if file.is_file()]
    left = [file for file in kept if CANARY.encode() in file.read_bytes()]
    assert left == []
    assert visitor.client.get(f"/data/{data}").status_code == 404


def test_a_release_that_was_received_has_nothing_private(visitor, data, tmp_path):
    release = published(visitor, data)["result"]["release"]
    archive = visitor.client.get(f"/api/releases/{release}/download").content
    headers = {"origin": visitor.studio.door.origin, "content-type": "application/octet-stream"}
    visitor.client.put(f"/api/uploads/{'a' * 32}/0", content=archive, headers=headers)
    job = visitor.finished(visitor.ask("POST", "/api/check", {"upload": "a" * 32}).json()["job"])
    assert job["result"]["holds"]
    assert job["result"]["exit_code"] == 0
    received = job["result"]["release"]
    for tab in ("", "/parts", "/attack", "/use", "/take"):
        text = visitor.client.get(f"/releases/{received}{tab}").text
        assert "Private: do not publish" not in text
        assert data not in text
    wrong = visitor.ask("POST", f"/api/data/{ID}/against/{received}", {"known": ["bread"]})
    assert wrong.status_code == 404


def test_a_changed_byte_is_noticed(visitor, data):
    release = published(visitor, data)["result"]["release"]
    folder = visitor.studio.home.release(release) / "release"
    for number, file in enumerate(sorted(folder.iterdir())):
        content = file.read_bytes()
        if file.name == "README.md":
            content += b" "
        usual = {"origin": visitor.studio.door.origin, "content-type": "application/octet-stream"}
        headers = usual | {"x-name": file.name}
        visitor.client.put(f"/api/uploads/{'b' * 32}/{number}", content=content, headers=headers)
    job = visitor.finished(visitor.ask("POST", "/api/check", {"upload": "b" * 32}).json()["job"])
    assert not job["result"]["holds"]
    assert job["result"]["exit_code"] == 3
    assert visitor.client.get(f"/check/{job['id']}").status_code == 200


def test_a_job_whose_process_is_gone_was_interrupted(studio):
    job = studio.store.add_job("survey", {})
    assert studio.store.begin(job, 999_999_999)
    studio.home.job(job).mkdir()
    (studio.home.job(job) / "lock").touch()
    studio.queue.at_once = 0
    studio.queue.look()
    assert studio.store.job(job)["state"] == INTERRUPTED


def test_a_job_ends_once(studio):
    job = studio.store.add_job("survey", {})
    assert studio.store.end(job, CANCELLED)
    assert not studio.store.end(job, FAILED)
    assert not studio.store.begin(job, 1)


def test_events_are_heard_from_where_somebody_stopped_listening(visitor):
    store = visitor.studio.store
    job = store.add_job("survey", {})
    for number in range(3):
        store.tell(job, "reading", number, 3)
    store.end(job, CANCELLED)
    all_of_it = visitor.client.get(f"/api/jobs/{job}/events").text
    rest = visitor.client.get(f"/api/jobs/{job}/events", headers={"last-event-id": "2"}).text
    assert all_of_it.count("event: progress") == 3
    assert rest.count("event: progress") == 1
    assert "event: end" in rest


def test_what_is_forgotten_is_overwritten(tmp_path):
    store = Memory(tmp_path / "a.db")
    store.add_data(ID, {"name": CANARY})
    store.forget_data(ID)
    assert not [file for file in tmp_path.iterdir() if CANARY.encode() in file.read_bytes()]


def test_the_description_has_just_the_routes():
    described = json.loads(files("disjoin.studio").joinpath("openapi.json").read_text(encoding="utf-8"))["paths"]
    listed = {(path, method.upper()) for path, operations in described.items() for method in operations}
    routes = {(re.sub(":int", "", route.path), method) for route in API for method in route.methods - {"HEAD"}}
    assert listed == routes  # B27


def test_the_marks_of_the_description_are_those_of_the_addresses():
    described = json.loads(files("disjoin.studio").joinpath("openapi.json").read_text(encoding="utf-8"))["paths"]
    for path, operations in described.items():
        for operation in operations.values():
            if path.startswith(("/api/data", "/api/uploads")):
                assert operation["x-mark"] == "private"
            if path.startswith("/api/releases"):
                assert operation["x-mark"] == "public"


@pytest.mark.parametrize(
    ("method", "address", "facts", "status"),
    [
        ("GET", "/api/data/nonsense", None, 404),
        ("GET", f"/api/jobs/{ID}", None, 404),
        ("GET", f"/releases/{ID}", None, 404),
        ("POST", "/api/data", {"path": 0}, 404),
        ("POST", "/api/data", {"demo": "people"}, 400),
        ("POST", "/api/data", [], 400),
        ("POST", "/api/check", {"require": {"q": 3}}, 400),
        ("POST", "/api/check", {}, 404),
        ("PUT", "/api/jobs", {}, 405),
        ("GET", "/nowhere", None, 404),
    ],
)
def test_wrong_questions_get_a_problem_and_no_traceback(visitor, method, address, facts, status):
    answer = visitor.ask(method, address, facts)
    assert answer.status_code == status
    assert "Traceback" not in answer.text
    if address.startswith("/api/"):
        assert answer.headers["content-type"] == "application/problem+json"


def test_assets_load_nothing_from_elsewhere_and_are_small():
    assets = [
        *files("disjoin.studio").joinpath("static").iterdir(),
        *files("disjoin.studio").joinpath("templates").iterdir(),
    ]
    texts = {asset.name: asset.read_text(encoding="utf-8") for asset in assets}
    outside = {name for name, text in texts.items() if re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)}
    assert outside == set()
    assert sum(len(text) for name, text in texts.items() if name.endswith(".js")) <= 40_000
    unwanted = ("localStorage", "innerHTML", " style=")
    assert not [name for name, text in texts.items() if any(each in text for each in unwanted)]


def test_a_full_disk_is_said_before_and_leaves_nothing(visitor, data, monkeypatch):
    import errno

    from disjoin import plan
    from disjoin.studio import uploads

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(plan, "write", full)
    job = published(visitor, data)
    assert (job["state"], job["exit_code"]) == (FAILED, 2)
    assert "No space left" in job["error"]["detail"]
    assert list((visitor.studio.home.path / "releases").iterdir()) == []  # B22
    monkeypatch.setattr(uploads, "ROOM_TO_LEAVE", 1 << 60)
    answer = put(visitor, TEXT, upload_set="c" * 32)
    assert (answer.status_code, "not enough" in answer.json()["detail"]) == (413, True)
    assert not visitor.studio.home.upload("c" * 32, 0).exists()
