"""Who may ask: only the browser that followed the link, from our own pages (B15, B16)."""

import pytest
from starlette.datastructures import Headers

from disjoin.studio.guard import HEADERS

HOST = "127.1.2.3:4567"
OURS = {"host": HOST, "origin": f"http://{HOST}", "sec-fetch-site": "same-origin", "content-type": "application/json"}


def objection(studio, method="POST", path="/api/data", **changes):
    door = studio.door
    known = OURS | {"cookie": f"{door.cookie}={door.secret}", "content-length": "2"}
    given = {name: value for name, value in (known | changes).items() if value is not None}
    found = door.objection(method, path, Headers(given))
    return found and found[0]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_our_own_pages_may_ask(studio, method):
    assert objection(studio, method) is None


@pytest.mark.parametrize("host", ["127.0.0.1:4567", "evil.example:4567", "127.1.2.3", "127.1.2.3:4568", None])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_name_for_this_computer_is_refused(studio, host, method):
    assert objection(studio, method, host=host) == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.1.2.3:9999", f"https://{HOST}", None])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_changes_something_must_come_from_our_pages(studio, origin, method):
    assert objection(studio, method, origin=origin) == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_other_pages_get_no_answer_though_the_browser_sends_the_cookie(studio, site, method):
    assert objection(studio, method, **{"sec-fetch-site": site}) == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
def test_what_a_form_can_send_is_refused(studio, kind):
    assert objection(studio, **{"content-type": kind}) == 415


@pytest.mark.parametrize("cookie", [None, "", "disjoin-4567=guess", "disjoin-4567=", "other=x", "disjoin-4567"])
@pytest.mark.parametrize("path", ["/", "/api/health", "/static/studio.css", "/data/x"])
def test_without_the_cookie_nothing_is_answered(studio, cookie, path):
    assert objection(studio, "GET", path, cookie=cookie) == 403


def test_a_link_works_once(studio):
    link = studio.door.new_link()
    key = link.partition("key=")[2]
    assert not studio.door.takes("another")
    assert studio.door.takes(key)
    assert not studio.door.takes(key)


def test_the_key_is_not_kept(studio):
    key = studio.door.new_link().partition("key=")[2]
    kept = [file.name + file.read_text() for file in (studio.home.path / "keys").iterdir()]
    assert kept
    assert not any(key in each for each in kept)


def test_the_link_gives_a_cookie_that_scripts_and_other_sites_do_not_get(studio):
    from starlette.testclient import TestClient

    from disjoin.studio.app import app_of

    with TestClient(app_of(studio), base_url=f"http://{HOST}") as client:
        address = studio.door.new_link().removeprefix(studio.door.origin)
        assert client.get("/", follow_redirects=False).status_code == 403
        first = client.get(address, follow_redirects=False)
        assert (first.status_code, first.headers["location"]) == (303, "/")
        assert "httponly" in first.headers["set-cookie"].lower()
        assert "samesite=strict" in first.headers["set-cookie"].lower()
        client.cookies.clear()
        assert client.get(address, follow_redirects=False).status_code == 403


@pytest.mark.parametrize("address", ["/", "/help", "/api/health", "/static/studio.css", "/nowhere", "/api/nowhere"])
def test_every_answer_is_protected(visitor, address):
    answer = visitor.client.get(address)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "server" not in answer.headers


def test_the_folder_is_closed_to_others(studio):
    assert studio.home.path.stat().st_mode & 0o077 == 0
    assert studio.home.database.stat().st_mode & 0o077 == 0
    assert (studio.home.path / "secret").stat().st_mode & 0o077 == 0
