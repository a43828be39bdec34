"""Jobs: reload, cancel, killed servers and workers, two tabs, the first start (B5 to B9, B21, B26)."""

import os
import signal
import sqlite3
import time

import pytest

from helpers.studio_browser import Served, baskets, dropped, expect, opened, publish, released

MANY = 4000  # copies of five records: enough that a job can be met at work


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A studio of one's own, to be killed."""
    studio = Served(tmp_path_factory.mktemp("own") / "home", "--no-warm-up")
    yield studio
    if studio.process.poll() is None:
        studio.stop()


@pytest.fixture(scope="module")
def tab(browser, own):
    watched = opened(browser, own)
    yield watched.page
    watched.page.context.close()


@pytest.fixture(scope="module")
def large(tab, tmp_path_factory):
    """An original on which a job takes a while: many different baskets."""
    file = tmp_path_factory.mktemp("large") / "large.csv"
    lines = (f"bread,milk,a{n % 97},b{n % 89},c{n % 83},d{n % 79},e{n % 71}" for n in range(MANY * 5))
    file.write_text("\n".join(lines) + "\n")
    return dropped(tab, file)


def process_of(studio, job):
    """The number of a worker's process, as soon as it has one."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with sqlite3.connect(studio.home / "studio.db") as memory:
            found = memory.execute("SELECT pid FROM job WHERE id = ? AND state = 'running'", (job,)).fetchone()
        if found:
            return found[0]
        time.sleep(0.02)
    with sqlite3.connect(studio.home / "studio.db") as memory:
        found = memory.execute("SELECT kind, state, error FROM job WHERE id = ?", (job,)).fetchall()
    raise AssertionError(f"the job never began: {found}")


def left_over(studio):
    return list((studio.home / "releases").iterdir())


def test_a_page_that_is_loaded_again_goes_on(tab, own, large):
    process_of(own, publish(tab, large))
    tab.reload()
    tab.wait_for_url("**/releases/*")
    expect(tab.locator(".seal")).to_contain_text("Verified")


def test_stop_leaves_no_file_and_the_job_can_be_run_again(tab, own, large):
    before = len(left_over(own))
    process_of(own, publish(tab, large, k=4))
    tab.get_by_role("button", name="Stop").click()
    expect(tab.get_by_role("heading", name="Stopped")).to_be_visible()
    assert len(left_over(own)) == before
    tab.get_by_role("button", name="Run it again").click()
    tab.wait_for_url("**/releases/*")


def test_a_killed_worker_is_noticed_and_nothing_half_written_is_left(tab, own, large):
    before = len(left_over(own))
    os.kill(process_of(own, publish(tab, large, k=5)), signal.SIGKILL)
    expect(tab.get_by_role("heading", name="Interrupted")).to_be_visible()
    assert len(left_over(own)) == before


def test_the_work_goes_on_without_the_server_and_the_page_finds_it_again(tab, own, large):
    job = publish(tab, large, k=6)
    page = tab.url
    process_of(own, job)
    own.process.kill()
    own.process.wait()
    own.start()
    assert page.startswith(own.address)  # the same address, so that open pages come back
    tab.wait_for_url("**/releases/*")


def test_a_promise_that_cannot_be_kept_is_words_and_writes_nothing(tab, own, tmp_path):
    before = len(left_over(own))
    data = dropped(tab, baskets(tmp_path / "few.csv", 2))
    publish(tab, data, k=50)
    expect(tab.get_by_role("alert")).to_contain_text("This guarantee cannot be reached for this data")
    assert len(left_over(own)) == before


def test_two_tabs_upload_at_once(tab, own, tmp_path):
    other = tab.context.new_page()
    other.goto(own.address)
    tab.goto(own.address)
    tab.locator("#file").set_input_files(baskets(tmp_path / "one.csv"))
    other.locator("#file").set_input_files(baskets(tmp_path / "two.csv", 9))
    tab.wait_for_url("**/data/*")
    other.wait_for_url("**/data/*")
    expect(tab.locator("#what")).to_contain_text("one.csv")
    expect(other.locator("#what")).to_contain_text("two.csv")
    expect(tab.locator(".big").first).to_contain_text("30 records")
    expect(other.locator(".big").first).to_contain_text("45 records")
    other.close()


def test_the_first_start_says_that_it_gets_ready(browser, tmp_path):
    studio = Served(tmp_path / "home")
    try:
        page = opened(browser, studio).page
        expect(page.locator(".warming")).to_contain_text("Getting this computer ready, once")
        job = page.locator("[data-warming]").get_attribute("data-warming")
        page.evaluate("job => fetch(`/api/jobs/${job}`, {method: 'DELETE'})", job)
        page.context.close()
    finally:
        studio.stop()


def test_another_start_while_one_runs_opens_the_one_that_runs(own):
    assert own.another_link().startswith(f"{own.address}/enter?key=")


def test_ctrl_c_ends_it_at_once_though_a_page_listens(browser, tmp_path):
    studio = Served(tmp_path / "home", "--no-warm-up")
    page = opened(browser, studio).page
    data = dropped(page, baskets(tmp_path / "baskets.csv"))
    released(page, data)
    begun = time.monotonic()
    studio.stop()
    assert time.monotonic() - begun < 15
    page.context.close()
