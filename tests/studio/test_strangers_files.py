"""What somebody brings: a release to use or check, or none at all; too much, or a full disk (B12, B13, B22, B23)."""

import re
import resource
import shutil
import zipfile

import pytest

from disjoin.model import Clusters
from helpers.releases import sealed
from helpers.studio_browser import Served, baskets, dropped, expect, objections, opened, publish, released

LARGEST = 300_000  # bytes of a page
FORMER = 2_000_000  # bytes of a file, where a disk is full
SMALL = 150_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A release of 10,000 clusters, as a folder."""
    leaf = {"size": 3, "record_chunks": [{"subrecords": [[["bread", "milk"], 3]]}], "term_chunk": ["tea"]}
    others = [leaf | {"record_chunks": [{"subrecords": [[[f"article {n:04}"], 3]]}]} for n in range(9_999)]
    return sealed(Clusters.from_nested([*others, leaf])).write(tmp_path_factory.mktemp("many") / "release")


@pytest.fixture(scope="module")
def packed(folder):
    return shutil.make_archive(str(folder.parent / "release"), "zip", folder.parent, "release")


def altered(packed, place, change):
    """A copy of a zip in which the files are what `change` makes of them."""
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in change({name: source.read(name) for name in source.namelist()}).items():
            target.writestr(name, content)
    return place


def one_byte(files):
    name = "release/clusters.parquet"
    content = bytearray(files[name])
    content[len(content) // 2] ^= 1
    return files | {name: bytes(content)}


BAD = {
    "one byte": (one_byte, "does not hold|no release|damaged|expected|checksum"),
    "foreign": (lambda files: {"photo.jpg": b"x", "notes.txt": b"y"}, "This is no release"),
    "leads out": (lambda files: files | {"../../out.txt": b"out"}, "name|release"),
    "bomb": (lambda files: files | {"release/README.md": bytes(400 << 20)}, "large|unpack|release"),
    "many": (lambda files: {f"release/{n}.txt": b"" for n in range(10_000)}, "files|release"),
}


def test_a_received_release_is_used_and_nothing_private_is_near(visit, page, served, packed):
    page.goto(served.address)
    page.locator("#zip").set_input_files(packed)
    page.wait_for_url("**/check/*")
    expect(page.locator("h1")).to_contain_text("The guarantee holds.")
    page.get_by_role("link", name="Open it and use it").click()
    page.wait_for_url("**/releases/*")
    release = page.url.rpartition("/")[2]
    for place in ("", "/parts", "/parts/9999", "/attack", "/use", "/take"):
        size = len(page.goto(f"{served.address}/releases/{release}{place}").body())
        assert size < LARGEST, place
        expect(page.get_by_text("Private: do not publish")).to_have_count(0)
        assert page.locator(".private").count() == 0
        assert objections(page) == {}, place
    page.goto(f"{served.address}/releases/{release}/parts")
    page.get_by_label("Find by term").fill("article 0077")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("#found")).to_contain_text("1 have it")
    page.goto(f"{served.address}/releases/{release}/attack")
    page.get_by_label("I know that the person has").fill("tea")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#release")).to_contain_text("9,990 more have fewer")
    asked = """(address) => fetch(address, {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"known": ["tea"]}'}).then((a) => a.status)"""  # noqa: E501
    for address in (f"/api/data/{release}/against/{release}", f"/api/data/{release}/dossier/{release}"):
        assert page.evaluate(asked, address) == 404
    visit.complaints.clear()  # about these two


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_sound_release_gets_a_no_and_leaves_nothing(page, served, packed, tmp_path, kind):
    change, words = BAD[kind]
    before = sorted((served.home / "releases").iterdir())
    page.goto(f"{served.address}/check")
    page.locator("#zip").set_input_files(altered(packed, tmp_path / "brought.zip", change))
    page.wait_for_url("**/jobs/*")
    expect(page.locator("main")).to_contain_text(re.compile(words, re.IGNORECASE))
    expect(page.locator("main")).not_to_contain_text("guarantee holds")
    assert objections(page) == {}
    assert sorted((served.home / "releases").iterdir()) == before
    assert not list(served.home.rglob("out.txt"))


def test_a_folder_is_checked_as_well_as_a_zip_and_more_can_be_required(page, served, folder):
    page.goto(f"{served.address}/check")
    page.get_by_label("k at least").fill("4")
    page.locator("#folder").set_input_files(folder)
    page.wait_for_url("**/check/*")
    expect(page.locator("h1")).to_contain_text("The guarantee does not hold.")
    expect(page.locator(".checks .not").first).to_contain_text("Does not hold:")
    expect(page.locator(".checks")).to_contain_text("Holds:")
    assert objections(page) == {}


def test_an_upload_over_the_limit_stops_and_says_what_to_do(browser, tmp_path):
    studio = Served(tmp_path / "home", "--no-warm-up", "--max-upload", "1")
    try:
        page = opened(browser, studio).page
        (tmp_path / "large.csv").write_text("bread,milk\n" * 200_000)
        page.locator("#file").set_input_files(tmp_path / "large.csv")
        expect(page.locator("#said")).to_contain_text("Start `disjoin studio FOLDER`")
        assert not [file for file in (studio.home / "uploads").rglob("*") if file.is_file()]
        page.context.close()
    finally:
        studio.stop()


def test_a_disk_that_is_full_while_a_release_is_written_leaves_nothing_and_it_can_be_run_again(browser, tmp_path):
    """No file may grow beyond a limit, as above, but that of the upload has come before."""
    studio = Served(tmp_path / "home", "--no-warm-up")
    try:
        page = opened(browser, studio).page
        many = "".join(f"bread,milk,{'x' * 60}{n}\n" * 4 for n in range(2_500))  # a release larger than the limit
        data = dropped(page, baskets(tmp_path / "large.csv", 1, many))
        studio.stop()
        limit = (SMALL, SMALL)
        studio.limits = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        studio.start()
        page.goto(studio.another_link())
        publish(page, data)
        expect(page.get_by_role("alert")).to_contain_text("nothing remains")
        expect(page.locator("h1")).to_have_text("Not published")
        expect(page.locator("main")).not_to_contain_text(str(tmp_path))
        assert objections(page) == {}
        assert not list((studio.home / "releases").iterdir())
        studio.stop()
        studio.limits = None
        studio.start()
        page.goto(studio.another_link())
        page.go_back()
        page.get_by_role("button", name="Run it again").click()
        page.wait_for_url("**/releases/*")
        page.context.close()
    finally:
        studio.stop()


def test_a_full_disk_is_said_and_nothing_half_written_is_left(browser, tmp_path):
    """No file may grow beyond a limit: what a program sees is an error of the system while it writes."""
    limit = (FORMER, FORMER)
    studio = Served(tmp_path / "home", "--no-warm-up", limits=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    try:
        page = opened(browser, studio).page
        (tmp_path / "large.csv").write_text("bread,milk\n" * 300_000)
        page.locator("#file").set_input_files(tmp_path / "large.csv")
        expect(page.locator("#said")).to_contain_text("the disk is full")
        assert not [file for file in (studio.home / "uploads").rglob("*") if file.is_file()]
        data = dropped(page, baskets(tmp_path / "small.csv"))
        released(page, data)  # what is small still goes
        page.context.close()
    finally:
        studio.stop()
