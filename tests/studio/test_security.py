"""What nobody else gets: no cookie, no answer, no script, no word about the data (B10 to B17, B24, B25)."""

import http.server
import itertools
import json
import subprocess
import sys
import threading

import pytest

from helpers.studio_browser import SETS, Served, baskets, dropped, expect, opened, released

CANARY = "zyxcanary"


@pytest.fixture
def stranger():
    """Another server on this computer that writes down what browsers send it."""
    heard = []

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(dict(self.headers))
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>stranger</title><p>hello")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", heard
    server.shutdown()
    server.server_close()


def test_another_server_on_this_computer_gets_no_cookie_and_no_answer(browser, served, stranger):
    address, heard = stranger
    page = opened(browser, served).page
    assert page.context.cookies()
    page.goto(address)
    assert all("cookie" not in {name.lower() for name in headers} for headers in heard)
    probe = """async (url) => {
      const seen = [];
      for (const options of [{}, {mode: "no-cors", credentials: "include"}, {method: "POST", mode: "no-cors", credentials: "include", body: "{}"}])
        try { const a = await fetch(url, options); seen.push([a.type, a.status, await a.text()]); } catch (e) { seen.push(["refused", 0, ""]); }
      return seen;
    }"""  # noqa: E501
    for kind, status, text in page.evaluate(probe, f"{served.address}/api/jobs"):
        assert (kind, status, text) in (("refused", 0, ""), ("opaque", 0, ""))
    drawn = """(url) => new Promise((done) => { const i = new Image(); i.onload = () => done("shown"); i.onerror = () => done("refused"); i.src = url; })"""  # noqa: E501
    assert page.evaluate(drawn, f"{served.address}/static/icon.svg") == "refused"
    page.context.close()


def test_a_link_lets_one_browser_in_once(browser, served):
    link = served.another_link()
    first, second = browser.new_context().new_page(), browser.new_context().new_page()
    assert first.goto(link).status == 200
    assert "key" not in first.url
    assert second.goto(link).status == 403
    assert second.goto(served.address).status == 403
    first.context.close()
    second.context.close()


def test_the_address_is_not_the_usual_one(served):
    host = served.address.removeprefix("http://").partition(":")[0]
    assert host.startswith("127.")
    assert host != "127.0.0.1" or sys.platform == "darwin"


def test_script_in_terms_columns_and_names_is_text(page, tmp_path):
    evil = "<img src=x onerror=alert(1)>"
    file = tmp_path / "<b onmouseover=alert(2)>\u202etxt.csv"
    file.write_text(f"bread,{evil}\nmilk,\u202egnp\n" * 9 + "bread,milk\n" * 9, encoding="utf-8")
    data = dropped(page, file)
    release = released(page, data)
    base = page.url.split("/releases/")[0]
    for place in ("", "/parts", "/attack", "/use", "/take"):
        page.goto(f"{base}/releases/{release}{place}")
        assert page.locator("img[src=x]").count() == 0
    page.goto(f"{base}/releases/{release}/attack")
    page.locator("#term").fill(evil)
    page.keyboard.press("Enter")
    expect(page.locator("#release .big")).to_contain_text(evil)
    page.goto(f"{base}/data/{data}/against/{release}?record=0")
    expect(page.locator("main")).to_contain_text(evil)


def test_no_pair_of_terms_finds_fewer_than_k(page, served, release):
    _, name = release
    page.goto(f"{served.address}/releases/{name}/attack")
    terms = sorted({term for each in SETS for term in each})
    ask = """([id, known]) => fetch(`/api/releases/${id}/candidates`, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({known})}).then((a) => a.json())"""  # noqa: E501
    for pair in itertools.combinations(terms, 2):
        found = page.evaluate(ask, [name, list(pair)])
        assert found["possible"] == 0 or found["possible"] >= 3, pair
    known(page, "bread", "milk", "eggs")
    expect(page.locator("#count")).to_have_text("3 known; the guarantee covers up to 10")  # as its tables hold
    expect(page.locator("#release .kept")).to_contain_text("The guarantee holds")


def known(page, *terms):
    for term in terms:
        page.locator("#term").fill(term)
        page.keyboard.press("Enter")


def test_more_terms_than_promised_are_beyond_the_promise(page, served, tmp_path):
    file = tmp_path / "triple.csv"
    file.write_text("a,b,c\n" + "a,b\na,c\nb,c\n" * 3, encoding="utf-8")
    name = released(page, dropped(page, file))
    page.goto(f"{served.address}/releases/{name}/attack")
    known(page, "a", "b", "c")
    expect(page.locator("#count")).to_have_text("3 known; the guarantee covers up to 2")
    expect(page.locator("#release .beyond")).to_have_text("The guarantee does not cover an attacker who knows this.")


def test_numbers_on_the_screen_are_those_of_the_command(page, served, release):
    _, name = release
    page.goto(f"{served.address}/releases/{name}/use")
    page.locator("#itemsets").fill("bread, milk\ntea")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#supports table")).to_be_visible()
    shown = [row.all_inner_texts() for row in (each.locator("td") for each in page.locator("#supports tbody tr").all())]
    folder = served.home / "releases" / name / "release"
    command = [sys.executable, "-m", "disjoin", "support", str(folder), "bread,milk", "tea", "--json"]
    rows = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    rows = rows["itemsets"] if isinstance(rows, dict) and "itemsets" in rows else rows.get("rows", rows)
    for cells, row in zip(shown, rows, strict=True):
        assert (cells[1], cells[3]) == (f"{row['at_least']:,}", f"{row['at_most']:,}")


def test_after_forget_nothing_of_the_data_is_left(browser, tmp_path):
    studio = Served(tmp_path / "home", "--no-warm-up")
    try:
        page = opened(browser, studio).page
        addresses = []
        page.on("framenavigated", lambda frame: addresses.append(frame.url))
        data = dropped(page, baskets(tmp_path / f"{CANARY}.csv", 6, f"bread,{CANARY}\n" * 4))
        release = released(page, data, sensitive=[CANARY])
        page.goto(f"{studio.address}/releases/{release}/attack")
        page.locator("#term").fill(CANARY)
        page.keyboard.press("Enter")
        expect(page.locator("#original .big")).to_be_visible()
        assert CANARY not in page.title()
        assert not [each for each in addresses if CANARY in each]
        assert not [log for log in (studio.home / "jobs").glob("*/log") if CANARY in log.read_text()]
        page.goto(studio.address)
        page.get_by_text("Forget").click()
        page.get_by_label("its releases too").check()
        page.get_by_role("button", name="Delete this copy").click()
        expect(page.get_by_text("Recent", exact=True)).to_have_count(0)
        kept = [file for file in studio.home.rglob("*") if file.is_file()]
        assert not [file for file in kept if CANARY.encode() in file.read_bytes() or CANARY in file.name]
        page.context.close()
    finally:
        studio.stop()
    out, err = studio.process.stdout.read(), studio.process.stderr.read()
    assert CANARY not in out + err
