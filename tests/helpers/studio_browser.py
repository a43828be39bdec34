"""A studio that runs, pages that remember what they did, and what tests do on them."""

import os
import signal
import subprocess
import sys
import zipfile
from functools import wraps
from pathlib import Path

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="`make test-studio` installs playwright").expect

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
PATIENCE = int(os.environ.get("DISJOIN_PATIENCE", 120_000))  # milliseconds: the machine may be busy
expect.set_options(timeout=PATIENCE)
SHOTS = Path(__file__).parent.parent.parent / "docs" / "start" / "studio"
SETS = (["bread", "milk"], ["bread", "eggs"], ["bread", "milk", "eggs"], ["milk", "jam", "tea"], ["eggs", "tea"])


TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class Served:
    """A studio that runs, with its folder; `limits` is called in its process before it starts."""

    def __init__(self, home, *options, limits=None):
        self.home, self.options, self.limits = home, options, limits
        self.start()

    def start(self):
        command = [sys.executable, "-m", "disjoin", "studio", "--no-open", "--home", str(self.home), *self.options]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, preexec_fn=self.limits, **pipes)
        self.link = self.process.stdout.readline().strip()
        assert self.link.startswith("http://127."), self.process.stderr.read()
        self.address = self.link.partition("/enter")[0]

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        self.process.wait(30)

    def another_link(self):
        """What a second `disjoin studio` prints while the first one runs."""
        command = [sys.executable, "-m", "disjoin", "studio", "--no-open", "--home", str(self.home)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


class Watched:
    """A page that remembers what it should not have done."""

    def __init__(self, page, address):
        self.page, self.complaints = page, []
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("filechooser", lambda _: None)  # the browser's own window for files never opens, not even for a moment
        page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        page.on("request", lambda r: None if r.url.startswith((address, "data:")) else self.complaints.append(r.url))


def opened(browser, studio, **options):
    """A page of the studio in a browser of its own."""
    context = browser.new_context(viewport={"width": 1200, "height": 900}, **options)
    page = context.new_page()
    watched = Watched(page, studio.address)
    page.goto(studio.another_link())
    return watched


def baskets(path, copies=6, more=""):
    """Write a small file of baskets."""
    path.write_text("\n".join(",".join(terms) for terms in SETS * copies) + "\n" + more, encoding="utf-8")
    return path


def dropped(page, file):
    """Choose a file on the first page, and wait until it was read."""
    page.goto("/".join(page.url.split("/")[:3]))
    page.locator("#file").set_input_files(file)
    page.wait_for_url("**/data/*")
    expect(page.locator("#risk-sentence")).to_be_visible()
    return page.url.rpartition("/")[2]


def publish(page, data, **method):
    """Publish as the page does, without waiting for settings to be tried; return the job, whose page is open."""
    job = page.evaluate(
        """async ([data, method]) => {
          const headers = {"Content-Type": "application/json"}, body = JSON.stringify({method});
          return (await (await fetch(`/api/data/${data}/releases`, {method: "POST", headers, body})).json()).job;
        }""",
        [data, {"name": "disassociation", "k": 3, "m": 2} | method],
    )
    page.goto("/".join([*page.url.split("/")[:3], "jobs", job]))
    return job


def released(page, data, **method):
    """Publish, and return the release."""
    publish(page, data, **method)
    page.wait_for_url("**/releases/*")
    return page.url.rpartition("/")[2]


def walked_to(page, wanted, most=90):
    """Press the Tab key until something is reached."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
    raise AssertionError(f"{wanted} is not reached by the Tab key")


def chosen_by_keys(page, address, file):
    """Choose a file on the first page without a mouse, and wait until its page is there."""
    page.goto(address)
    page.wait_for_load_state("load")
    walked_to(page, "#file")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(file)
    page.wait_for_url("**/data/*")


def downloaded(page, name, place):
    """Click a link that downloads something, and keep that."""
    with page.expect_download() as download:
        page.get_by_role("link", name=name).first.click()
    download.value.save_as(place)
    return place


def unpacked(file, folder):
    with zipfile.ZipFile(file) as packed:
        packed.extractall(folder)
    return folder


def by_command(page, folder):
    """Take plan and release away from the page of a release; return it, and what the command writes from the plan."""
    page.get_by_text("The same as a command").click()
    downloaded(page, "Save as plan.toml", folder / "plan.toml")
    page.get_by_role("link", name="Take it away").first.click()
    ours = unpacked(downloaded(page, "Download the release", folder / "release.zip"), folder / "here") / "release"
    subprocess.run([sys.executable, "-m", "disjoin", "run", str(folder / "plan.toml"), "-q"], check=True)
    return contents(ours), contents(folder / "release")


def contents(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def objections(page):
    """What axe finds on a page."""
    from axe_playwright_python.sync_playwright import Axe

    page.wait_for_load_state("load")  # without its style sheet a page has small targets
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": TAGS}}).response["violations"]
    return {each["id"]: [node["html"][:120] for node in each["nodes"][:3]] for each in found}


def patient():
    """Prevent clicks and input before the scripts of the page have run, because no user is that fast."""
    from playwright.sync_api import Locator

    for name in ("check", "click", "fill", "press", "select_option", "set_input_files"):
        setattr(Locator, name, _when_loaded(getattr(Locator, name)))


def _when_loaded(act):
    @wraps(act)
    def acting(locator, *arguments, **named):
        locator.wait_for(state="attached")
        locator.page.wait_for_load_state("load")
        return act(locator, *arguments, **named)

    return acting
