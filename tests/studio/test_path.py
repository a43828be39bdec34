"""The whole path, by mouse and by keyboard, and its release is that of the command (B1 to B4, B28)."""

import os
import zipfile

from helpers.studio_browser import (
    PATIENCE,
    SHOTS,
    baskets,
    by_command,
    chosen_by_keys,
    dropped,
    expect,
    released,
    walked_to,
)

PHONE = {"width": 390, "height": 844}
DEPOSIT = {
    "#title": "Baskets",
    "#authors": "Curie, Marie",
    "#contact": "a@b.org",
    "#date": "01312026",
    "#citation": " ",
}


def shot(page, name, *, full=True):
    """A picture for the docs, small, of a page at rest; with DISJOIN_SHOTS=1 the one in the docs is made anew."""
    page.wait_for_load_state("load")
    picture = page.screenshot(type="jpeg", quality=60, full_page=full, animations="disabled")
    assert len(picture) < 300_000
    if os.environ.get("DISJOIN_SHOTS") == "1":
        SHOTS.mkdir(exist_ok=True)
        (SHOTS / f"{name}.jpg").write_bytes(picture)
    assert (SHOTS / f"{name}.jpg").is_file()


def test_somebody_drops_a_file_publishes_attacks_and_takes_it_away(page, served, tmp_path):
    page.goto(served.address)
    shot(page, "start")
    page.get_by_role("button", name="baskets").click()
    page.wait_for_url("**/data/*")
    expect(page.locator("#risk-sentence")).to_contain_text("of 100 records can be found")
    shot(page, "data")
    page.get_by_role("link", name="Choose a guarantee").click()
    expect(page.locator("#sentence")).to_contain_text("finds at least 5 candidates")
    expect(page.locator("#tried tbody tr").first).to_be_visible(timeout=5 * PATIENCE)  # code is compiled before
    expect(page.get_by_role("img", name="What is lost against what is shown")).to_be_visible()
    expect(page.locator("#advice p").first).to_be_visible()
    shot(page, "promise")
    page.get_by_label("core, k = 20, m = 2", exact=True).check()
    expect(page.locator("#sentence")).to_contain_text("finds at least 20 candidates")
    page.get_by_label("5: usual for research").check()
    expect(page.get_by_label("core, k = 5, m = 2", exact=True)).to_be_checked()
    page.get_by_label("horpart, k = 5, m = 2", exact=True).check()
    page.get_by_role("button", name="Publish").click()
    page.wait_for_url("**/releases/*")
    expect(page.locator(".seal")).to_contain_text("Verified")
    shot(page, "release", full=False)
    page.get_by_role("link", name="Look inside").click()
    expect(page.locator(".cluster").first).to_be_visible()
    shot(page, "inside", full=False)
    page.get_by_role("link", name="Before and after").click()
    expect(page.locator("bdi.lit").first).to_be_visible()
    page.get_by_role("link", name="Attack it").click()
    for term in ("bread", "milk"):
        page.get_by_label("I know that the person has").fill(term)
        page.get_by_role("button", name="Add").click()
    expect(page.locator("#release .kept")).to_be_visible()
    expect(page.locator("#original .big")).to_contain_text("records have this")
    shot(page, "attack")
    page.get_by_role("button", name="Try 1,000 who know 3").click()
    expect(page.locator("#played table")).to_be_visible()
    page.get_by_role("link", name="Take it away").click()
    page.get_by_role("button", name="Write the dossier").click()
    expect(page.get_by_role("link", name="Download the dossier")).to_be_visible()
    shot(page, "take")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the dossier").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert "not to be published" in text
    assert "An example attack" in text
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the release").click()
    download.value.save_as(tmp_path / "release.zip")
    page.goto(f"{served.address}/check")
    page.locator("#zip").set_input_files(tmp_path / "release.zip")
    page.wait_for_url("**/check/*")
    expect(page.locator("h1")).to_contain_text("The guarantee holds.")
    shot(page, "check")
    page.set_viewport_size(PHONE)
    page.get_by_role("link", name="Open it and use it").click()
    expect(page.get_by_text("Private: do not publish")).to_have_count(0)
    shot(page, "phone", full=False)
    page.set_viewport_size({"width": 1200, "height": 900})


def test_the_release_is_the_one_that_the_command_writes_from_the_saved_plan(page, tmp_path):
    file = baskets(tmp_path / "baskets.csv")
    data = dropped(page, file)
    released(page, data, k=4, sensitive=["jam"])
    ours, theirs = by_command(page, tmp_path)
    assert ours == theirs


def test_the_same_by_keyboard_alone(page, served, tmp_path):
    def walk_to(wanted, most=90):
        walked_to(page, wanted, most)

    chosen_by_keys(page, served.address, baskets(tmp_path / "baskets.csv"))
    expect(page.locator("#risk-sentence")).to_be_visible()
    walk_to("a.button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/promise")
    walk_to("input[name=m]")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#sentence")).to_contain_text("up to 3 terms")
    page.keyboard.press("ArrowUp")
    walk_to("button.main", 90)
    page.keyboard.press("Enter")
    page.wait_for_url("**/releases/*")
    walk_to("a[href$='/attack']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/attack")
    walk_to("#term")
    page.keyboard.type("bread")
    page.keyboard.press("Enter")
    expect(page.locator("#release .kept")).to_be_visible()
    page.reload()
    walk_to("a[href$='/take']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/take")
    page.wait_for_load_state("load")
    walk_to("#depositing summary")
    page.keyboard.press("Enter")
    for field, words in DEPOSIT.items():
        walk_to(field)
        page.keyboard.type(words)
    page.keyboard.press("Enter")
    expect(page.locator("#deposited")).to_be_focused()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    packed = zipfile.ZipFile(download.value.path()).namelist()
    assert {"deposit/CITATION.cff", "deposit/datapackage.json", "deposit/README.md"} <= set(packed)
    walk_to("#write")
    page.keyboard.press("Enter")
    expect(page.locator("#dossier")).to_be_focused()
    page.reload()
    walk_to("a[href$='/download']")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    download.value.save_as(tmp_path / "release.zip")
    page.goto(f"{served.address}/check")
    page.wait_for_load_state("load")
    walk_to("#zip")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(tmp_path / "release.zip")
    page.wait_for_url("**/check/*")
    expect(page.locator("h1")).to_contain_text("The guarantee holds.")


def test_a_table_with_roles_and_hierarchies(page, tmp_path):
    people = [f"p{n},{20 + n % 40},{'mf'[n % 2]},{1000 + n % 7},{('flu', 'cold', 'asthma')[n % 3]}" for n in range(80)]
    (tmp_path / "people.csv").write_text("\n".join(["patient_id,age,sex,postcode,diagnosis", *people]) + "\n")
    page.goto("/".join(page.url.split("/")[:3]))
    page.locator("#file").set_input_files(tmp_path / "people.csv")
    page.wait_for_url("**/data/*")
    if page.locator("#roles-form").count() == 0:
        page.get_by_text("It is something else").click()
        page.get_by_label("A table of people").check()
        page.get_by_role("button", name="Read it so").click()
    expect(page.locator("#roles-form")).to_be_visible()
    expect(page.locator(".suggested").first).to_be_visible()
    page.locator("fieldset.role", has_text="diagnosis").get_by_label("sensitive: no attacker should learn it").check()
    assert page.locator("#roles-form input[type=radio]:checked").count() == 5
    with page.expect_navigation():  # a risk by the proposed roles is shown before
        page.get_by_role("button", name="Use these roles").click()
    expect(page.locator("#risk-sentence")).to_contain_text("stand alone")
    shot(page, "roles")
    page.get_by_role("link", name="Choose a guarantee").click()
    page.locator("fieldset[data-column=postcode]").get_by_label("codes").check()
    page.locator("fieldset[data-column=age]").get_by_label("intervals of width", exact=False).first.check()
    page.get_by_role("button", name="Build and preview").click()
    expect(page.locator(".preview").first).to_contain_text("Complete")
    page.get_by_role("button", name="Try k = 5").click()
    expect(page.locator("#advice p")).to_contain_text("Recommended: k = ")
    expect(page.locator("#tried tbody tr")).to_have_count(18)  # k by limits (P16) by suppression: 3 * 3 * 2
    expect(page.get_by_role("img", name="What is lost against what is shown")).to_be_visible()
    page.get_by_label("k = 10, l = 2, up to 1% suppressed", exact=True).check()
    expect(page.locator("#sentence")).to_contain_text("at least 9 others")
    expect(page.locator("[data-setting=suppress]")).to_have_value("0.01")
    page.get_by_label("k = 5, l = 2, alpha = 0.8", exact=True).check()
    expect(page.get_by_label("No value for more than this share of a class")).to_have_value("0.8")
    page.get_by_label("k = 5, l = 2", exact=True).check()
    expect(page.get_by_label("No value for more than this share of a class")).to_have_value("")
    expect(page.locator("[data-setting=suppress]")).to_have_value("")
    shot(page, "crowds")
    page.get_by_role("button", name="Publish").click()
    page.wait_for_url("**/releases/*")
    expect(page.locator(".seal")).to_contain_text("Verified")
    page.get_by_role("link", name="Look inside").click()
    expect(page.locator(".inside")).to_be_visible()
    page.get_by_role("link", name="Attack it").click()
    page.locator("[data-column=sex]").fill("f")
    page.locator("[data-column=age]").fill("25")
    page.keyboard.press("Enter")
    expect(page.locator("#release .kept")).to_contain_text("The guarantee holds")
    expect(page.locator("#original .big")).to_have_text("2 rows have this.")
