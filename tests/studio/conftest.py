"""A real studio, real files and a real browser; left out, with a reason, where there is none."""

import os
import shutil
from pathlib import Path

import pytest

from helpers.studio_browser import FLAGS, Served, baskets, dropped, opened, patient, released


def why_not():
    """Why these tests cannot run here; nothing if they can."""
    if os.environ.get("DISJOIN_STUDIO") != "1":
        return "the studio is tested in a browser by `make test-studio`"
    if shutil.which("chromium") is None:
        return "there is no chromium: apt-get install chromium"
    return ""


def pytest_collection_modifyitems(items):
    reason = why_not()
    here = Path(__file__).parent
    for item in items:
        if reason and here in Path(item.fspath).parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """The studio that most tests share."""
    folder = tmp_path_factory.mktemp("files")
    studio = Served(tmp_path_factory.mktemp("studio") / "home", "--no-warm-up", str(folder))
    yield studio
    studio.stop()


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    patient()
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def visit(browser, served):
    """One visit that tests share; B17 is what it never does."""
    watched = opened(browser, served)
    yield watched
    watched.page.context.close()


@pytest.fixture
def page(visit):
    """A page in a tab; afterwards nothing was asked of anybody else, and nothing complained."""
    visit.complaints.clear()
    yield visit.page
    assert visit.complaints == []


@pytest.fixture(scope="session")
def release(visit, tmp_path_factory):
    """An original and a release that tests share."""
    data = dropped(visit.page, baskets(tmp_path_factory.mktemp("data") / "baskets.csv"))
    return data, released(visit.page, data)
