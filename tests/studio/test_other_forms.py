"""People with columns and terms, groups, categories, noise and tables: the whole path of each, by clicking (B3, B4)."""

import re

import pytest

from helpers.studio_browser import (
    by_command,
    chosen_by_keys,
    contents,
    downloaded,
    dropped,
    expect,
    objections,
    unpacked,
    walked_to,
)

CODES = ("I10", "E11", "J45")
PEOPLE = [f"{30 + n % 4},{'mf'[n % 2]},{'ab'[n // 2 % 2]},{CODES[n % 3]}{';F32' * (n % 4 == 0)}" for n in range(48)]
ARTICLES = (
    ("bread", "milk"),
    ("bread", "eggs"),
    ("bread", "milk", "eggs"),
    ("milk", "jam"),
    ("eggs", "tea"),
    ("bread",),
)


def without_objections(page):
    assert objections(page) == {}, page.url


def sets(path, copies=8, more=""):
    path.write_text("\n".join(",".join(terms) for terms in ARTICLES * copies) + "\n" + more, encoding="utf-8")
    return path


def verified(page):
    page.wait_for_url("**/releases/*")
    expect(page.locator(".seal")).to_contain_text(re.compile("[Vv]erified"))
    without_objections(page)


def looked_inside(page, *, picture=True):
    page.get_by_role("link", name="Look inside").click()
    if picture:
        expect(page.locator(".inside table").first).to_be_visible()
    page.locator("#parts a").last.click()
    expect(page.locator("#parts a[aria-current]")).to_have_count(1)
    without_objections(page)


def attacked(page, *terms, **values):
    """Say what is known on the page of attacks."""
    page.get_by_role("link", name="Attack it").click()
    for column, value in values.items():
        page.locator(f"[data-column={column}]").fill(value)
        page.keyboard.press("Tab")
    for term in terms:
        page.get_by_label("I know that the person has").fill(term)
        page.get_by_role("button", name="Add").click()
    expect(page.locator("#release .big")).to_be_visible()


def asked(page, question):
    page.get_by_role("link", name="Use it").click()
    page.locator("#itemsets").fill(question)
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#supports tbody tr")).to_have_count(1)
    without_objections(page)


def checked(page, folder):
    """Let a colleague check what was downloaded."""
    page.goto("/".join([*page.url.split("/")[:3], "check"]))
    page.locator("#zip").set_input_files(folder / "release.zip")
    page.wait_for_url("**/check/*")
    expect(page.locator("h1.verdict.good")).to_be_visible()


def with_dossier(page, *words):
    page.get_by_role("button", name="Write the dossier").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the dossier").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert all(word in text for word in ("not to be published", *words))


def said(page, **roles):
    """Say what columns are."""
    for column, role in roles.items():
        page.locator("fieldset.role", has=page.locator(f"[data-column={column}]")).get_by_label(role).check()


def people_with_roles(page, file):
    """Drop people with lists of terms, and say what their columns are."""
    page.goto("/".join(page.url.split("/")[:3]))
    page.locator("#file").set_input_files(file)
    page.wait_for_url("**/data/*")
    expect(page.locator("#roles-form")).to_be_visible()
    without_objections(page)
    said(
        page,
        age="an attacker may know it",
        sex="an attacker may know it",
        ward="sensitive: no attacker should learn it",
    )
    page.get_by_role("button", name="Use these roles").click()
    expect(page.get_by_role("link", name="Choose a guarantee")).to_be_visible()
    expect(page.locator("#risk-sentence")).to_contain_text("people can be found by an attacker who knows these columns")
    without_objections(page)


def test_people_with_columns_and_terms_go_the_whole_path(page, tmp_path):
    (tmp_path / "people.csv").write_text("\n".join(["age,sex,ward,codes", *PEOPLE]) + "\n")
    people_with_roles(page, tmp_path / "people.csv")
    page.get_by_role("link", name="Choose a guarantee").click()
    expect(page.locator("#sentence")).to_contain_text("at least 5")
    page.get_by_label("different values in every class").fill("1")
    expect(page.locator("#unprotected")).to_contain_text("Not published: ward")
    page.get_by_label("different values in every class").fill("2")
    expect(page.locator("#unprotected")).to_be_hidden()
    page.get_by_label("Add a term").fill("F32")
    page.locator("#add").click()
    page.get_by_role("button", name="Try k = 5").click()
    expect(page.locator("#tried tbody tr")).to_have_count(3)
    without_objections(page)
    downloads = page.get_by_role("link", name="Save the hierarchies")
    page.get_by_role("button", name="Build and preview").click()
    expect(page.locator(".preview").first).to_contain_text("Complete")
    expect(downloads).to_be_visible()
    unpacked(downloaded(page, "Save the hierarchies", tmp_path / "trees.zip"), tmp_path)
    page.get_by_label("1 term: weak").check()
    page.get_by_role("button", name="Publish").click()
    verified(page)
    looked_inside(page)
    attacked(page, "I10", age="30", sex="m")
    expect(page.locator("#release .kept")).to_be_visible()
    expect(page.locator("#original .big")).to_contain_text("have this")
    without_objections(page)
    page.get_by_label("I know that the person has").fill("E11")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#release .big")).to_contain_text("E11")
    page.get_by_role("link", name="Before and after").click()
    expect(page.locator("main")).to_contain_text("One record of your data")
    without_objections(page)
    asked(page, "age=30, I10")
    page.get_by_role("link", name="Overview").click()
    ours, theirs = by_command(page, tmp_path)
    assert ours == theirs
    with_dossier(page, "F32", "people.csv")
    without_objections(page)
    checked(page, tmp_path)


METHODS = {
    "cahd": lambda page: page.get_by_label("p: at most one record in").fill("4"),
    "apriori": lambda page: page.get_by_label("Fan-out of made-up categories").fill("2"),
    "diffpart": lambda page: page.locator("#domain").fill("bread\nmilk\neggs\njam\ntea"),
}


@pytest.mark.parametrize("method", METHODS)
def test_other_methods_are_chosen_attacked_and_are_those_of_the_command(page, tmp_path, method):
    if method == "diffpart":
        pytest.importorskip("opendp", reason="noise needs the extra dp")
    dropped(page, sets(tmp_path / "sets.csv"))
    page.get_by_role("link", name="Choose a guarantee").click()
    if method == "cahd":
        page.get_by_label("Add a term").fill("tea")
        page.keyboard.press("Enter")
    page.get_by_text("More: method, clustering, cluster size").click()
    page.get_by_label("Method").select_option(method)
    METHODS[method](page)
    page.get_by_role("button", name="Publish").click()
    verified(page)
    looked_inside(page, picture=method != "diffpart")
    page.get_by_role("link", name="Attack it").click()
    if method == "diffpart":
        expect(page.locator("main")).to_contain_text("Attacks on the tables show nothing")
    else:
        attacked(page, "bread", "milk")
        expect(page.locator("#release .kept")).to_contain_text("The guarantee holds")
        expect(page.locator("#original .big")).to_contain_text("16 records have this")
    without_objections(page)
    asked(page, "bread")
    page.get_by_role("link", name="Overview").click()
    ours, theirs = by_command(page, tmp_path)
    if method == "diffpart":  # every run draws its own noise
        assert ours.keys() == theirs.keys()
    else:
        assert ours == theirs
    with_dossier(page, "sets.csv")
    checked(page, tmp_path)


def test_bands_and_dates_are_built_by_clicking_and_the_release_is_that_of_the_command(page, tmp_path):
    rows = [
        f"{20 + n % 50},2024-{1 + n % 12:02}-{1 + n % 28:02},{1000 + n % 8},{CODES[n // 5 % 3]}" for n in range(120)
    ]
    (tmp_path / "visits.csv").write_text("\n".join(["age,day,postcode,code", *rows]) + "\n")
    page.goto("/".join(page.url.split("/")[:3]))
    page.locator("#file").set_input_files(tmp_path / "visits.csv")
    page.wait_for_url("**/data/*")
    if page.locator("#roles-form").count() == 0:
        page.get_by_text("It is something else").click()
        page.get_by_role("radio", name="A table of people").check()
        page.get_by_role("button", name="Read it so").click()
    said(page, age="an attacker may", day="an attacker may", postcode="an attacker may", code="sensitive")
    page.get_by_role("button", name="Use these roles").click()
    expect(page.locator("#risk-sentence")).to_contain_text("stand alone")
    page.get_by_role("link", name="Choose a guarantee").click()
    page.locator("fieldset[data-column=age]").get_by_label("bands that begin at").first.check()
    page.locator("fieldset[data-column=age]").get_by_label("Where bands of age begin").fill("30, 45, 60; 45")
    page.locator("fieldset[data-column=day]").get_by_label("dates: months, quarters, years").check()
    page.locator("fieldset[data-column=postcode]").get_by_label("codes").check()
    page.get_by_role("button", name="Build and preview").click()
    expect(page.locator(".preview")).to_have_count(3)
    expect(page.locator("fieldset[data-column=day] .preview")).to_contain_text("2024 Q1")
    without_objections(page)
    unpacked(downloaded(page, "Save the hierarchies", tmp_path / "trees.zip"), tmp_path)
    page.get_by_role("button", name="Publish").click()
    verified(page)
    looked_inside(page)
    page.get_by_role("link", name="Attack it").click()
    page.locator("[data-column=day]").fill("2024-01-01")
    page.keyboard.press("Enter")
    expect(page.locator("#release .kept")).to_contain_text("The guarantee holds")
    expect(page.locator("#release")).to_contain_text("I10")
    without_objections(page)
    page.get_by_role("link", name="Overview").click()
    ours, theirs = by_command(page, tmp_path)
    assert ours == theirs
    checked(page, tmp_path)


def test_terms_that_name_people_are_left_out_by_a_click_and_put_back(page, tmp_path):
    dropped(page, sets(tmp_path / "sets.csv", more="bread,jane.doe@example.org\n" * 6))
    expect(page.get_by_role("heading", name="1 term may name or number people")).to_be_visible()
    without_objections(page)
    page.get_by_role("button", name="Leave them out").click()
    expect(page.locator("main")).to_contain_text("1 term that may name or number people is left out")
    page.get_by_role("button", name="Put back").click()
    page.get_by_role("button", name="Leave them out").click()
    expect(page.get_by_role("button", name="Put back")).to_be_visible()
    page.get_by_role("link", name="Choose a guarantee").click()
    page.get_by_role("button", name="Publish").click()
    verified(page)
    ours, theirs = by_command(page, tmp_path)
    assert ours == theirs
    assert not [name for name, content in ours.items() if b"jane.doe" in content]
    assert contents(tmp_path / "release").keys() == ours.keys()


def with_keys(page, field, words):
    """Go to a field by the Tab key, and write into it."""
    walked_to(page, field)
    page.keyboard.press("Control+A")
    page.keyboard.type(words)


def chosen_with_keys(page, group, steps):
    """Go to a group of radio buttons by the Tab key, and on by arrows."""
    walked_to(page, f"{group} input[type=radio]")
    for _ in range(steps):
        page.keyboard.press("ArrowDown")


def published_with_keys(page):
    walked_to(page, "button.main", 120)
    page.keyboard.press("Enter")
    verified(page)


def to_the_promise_with_keys(page):
    walked_to(page, "#roles-form button")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Choose a guarantee")).to_be_visible()
    walked_to(page, ".next a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/promise")
    page.wait_for_load_state("load")


BY_KEYS = {
    "cahd": ("CAHD", "input[name=p]", "4"),
    "apriori": ("Categories", "input[name=fan_out]", "2"),
    "diffpart": ("Noise", "#domain", "bread\nmilk\neggs\njam\ntea"),
}


@pytest.mark.parametrize("method", BY_KEYS)
def test_other_methods_by_keyboard_alone(page, served, tmp_path, method):
    if method == "diffpart":
        pytest.importorskip("opendp", reason="noise needs the extra dp")
    typed, field, words = BY_KEYS[method]
    chosen_by_keys(page, served.address, sets(tmp_path / "sets.csv"))
    expect(page.locator("#risk-sentence")).to_be_visible()
    page.goto(f"{page.url}/promise")
    page.wait_for_load_state("load")
    with_keys(page, "#term", "tea")
    page.keyboard.press("Enter")
    walked_to(page, "details.panel summary")
    page.keyboard.press("Enter")
    walked_to(page, "select[name=method]")
    page.keyboard.type(typed)
    expect(page.locator("select[name=method]")).to_have_value(method)
    with_keys(page, field, words)
    published_with_keys(page)


def test_bands_and_dates_by_keyboard_alone(page, served, tmp_path):
    rows = [f"{20 + 10 * (n % 5)},2024-{1 + n % 4:02}-01,{CODES[n // 20]}" for n in range(60)]
    (tmp_path / "visits.csv").write_text("\n".join(["age,day,code", *rows]) + "\n")
    chosen_by_keys(page, served.address, tmp_path / "visits.csv")
    expect(page.locator("#roles-form")).to_be_visible()
    before = page.locator("#risk-sentence").inner_text()
    for steps in (0, 0, 1):
        chosen_with_keys(page, "fieldset.role", steps)
    expect(page.locator("input[data-column=code][value=sensitive]")).to_be_checked()
    expect(page.locator("#risk-sentence")).not_to_have_text(before)  # counted anew, before anybody confirms it
    to_the_promise_with_keys(page)
    chosen_with_keys(page, "fieldset[data-column=age]", 2)
    with_keys(page, "input[name^=bands]", "30, 45, 60; 45")
    chosen_with_keys(page, "fieldset[data-column=day]", 0)
    expect(page.locator("fieldset[data-column=day] input[value=dates]")).to_be_checked()
    walked_to(page, "#trees-form button")
    page.keyboard.press("Enter")
    expect(page.locator("fieldset[data-column=day] .preview")).to_contain_text("2024 Q1")
    expect(page.locator("fieldset[data-column=age] .preview")).to_contain_text("Complete")
    published_with_keys(page)


def test_people_with_columns_and_terms_by_keyboard_alone(page, served, tmp_path):
    (tmp_path / "people.csv").write_text("\n".join(["age,sex,ward,codes", *PEOPLE]) + "\n")
    chosen_by_keys(page, served.address, tmp_path / "people.csv")
    expect(page.locator("#roles-form")).to_be_visible()
    for steps in (0, 0, 1):
        chosen_with_keys(page, "fieldset.role", steps)
    expect(page.locator("input[data-column=ward][value=sensitive]")).to_be_checked()
    to_the_promise_with_keys(page)
    walked_to(page, "input[name=m]")
    page.keyboard.press("ArrowUp")
    with_keys(page, "#term", "F32")
    page.keyboard.press("Enter")
    expect(page.locator("#secrets li")).to_have_count(1)
    published_with_keys(page)
