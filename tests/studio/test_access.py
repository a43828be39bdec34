"""For everybody: axe finds nothing, light and dark; narrow screens; contrast (B18 to B20)."""

import re
from pathlib import Path

import pytest

from helpers.studio_browser import expect, objections, opened

SOURCE = Path(__file__).parent.parent.parent / "src" / "disjoin"
PAGES = ("/", "/check", "/help", "/help/how-to/publish-again", "/help/reference/reading-a-report", "/nowhere")
OF_DATA = ("", "/promise")
OF_RELEASE = ("", "/parts", "/attack", "/use", "/take")


def addresses(served, release):
    data, name = release
    return [
        *(served.address + page for page in PAGES),
        *(f"{served.address}/data/{data}{page}" for page in OF_DATA),
        f"{served.address}/data/{data}/against/{name}",
        *(f"{served.address}/releases/{name}{page}" for page in OF_RELEASE),
    ]


def at_rest(page, address):
    page.goto(address)
    if "/data/" in address and address.endswith("/promise"):
        expect(page.locator("#advice p").first).to_be_visible()
    if address.endswith("/attack"):
        page.locator("#term").fill("bread")
        page.keyboard.press("Enter")
        expect(page.locator("#original .big")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page, served, release, scheme, visit):
    page.emulate_media(color_scheme=scheme)
    found = {}
    for address in addresses(served, release):
        at_rest(page, address)
        if objected := objections(page):
            found[address.removeprefix(served.address)] = objected
    page.emulate_media(color_scheme="light")
    visit.complaints.clear()  # /nowhere is not there
    assert found == {}


@pytest.mark.parametrize("width", [320, 390])
def test_narrow_screens_need_no_sideways_scrolling(page, served, release, width, visit):
    page.set_viewport_size({"width": width, "height": 800})
    wide = {}
    for address in addresses(served, release):
        page.goto(address)
        needed = page.evaluate("document.documentElement.scrollWidth")
        if needed > width:
            wide[address.removeprefix(served.address)] = needed
    page.set_viewport_size({"width": 1200, "height": 900})
    visit.complaints.clear()
    assert wide == {}


CUT_OFF = """() => [...document.querySelectorAll("main table, main pre, main svg, main img, main input, main select")].filter((each) => {
  if (each.getBoundingClientRect().right <= innerWidth + 1 || each.closest(".hidden, .hidden-input")) return false;
  const wide = each.closest(".scroll, pre");
  return !(wide && wide.tabIndex === 0 && getComputedStyle(wide).overflowX === "auto");
}).map((each) => each.outerHTML.slice(0, 80))"""  # noqa: E501 - a script is read by lines


def test_at_400_percent_nothing_is_cut_off_that_cannot_be_scrolled_by_itself(browser, served, release):
    """WCAG 1.4.10: a window of 1280 pixels at 400 % has 320 CSS pixels, each four of the screen's wide and high."""
    watched = opened(browser, served, device_scale_factor=4)
    page = watched.page
    page.set_viewport_size({"width": 320, "height": 256})
    assert page.evaluate("devicePixelRatio * innerWidth") == 1280
    found = {}
    for address in addresses(served, release):
        at_rest(page, address)
        needed, cut = page.evaluate("document.documentElement.scrollWidth"), page.evaluate(CUT_OFF)
        if needed > 320 or cut:
            found[address.removeprefix(served.address)] = needed, cut
    page.context.close()
    assert found == {}


def test_every_page_has_one_heading_a_main_part_and_a_way_to_skip_to_it(page, served, release, visit):
    for address in addresses(served, release):
        page.goto(address)
        assert page.locator("h1").count() == 1, address
        assert page.locator("main").count() == 1
        page.locator(".skip").focus()
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
    visit.complaints.clear()


def test_from_page_to_page_the_focus_goes_to_the_heading_and_not_when_a_page_is_loaded_again(page, served, release):
    page.goto(f"{served.address}/releases/{release[1]}")
    page.get_by_role("link", name="Use it").click()
    page.wait_for_url("**/use")
    expect(page.locator("h1")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Overview")).to_be_focused()
    page.reload()
    page.wait_for_load_state("load")
    expect(page.locator("h1")).not_to_be_focused()


def luminance(colour):
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


PAIRS = [
    *(("ink", ground) for ground in ("paper", "card", "soft", "warn-soft", "alarm-soft")),
    *(("muted", ground) for ground in ("paper", "card")),
    *(("accent", ground) for ground in ("paper", "card", "soft")),
    *(("warn", ground) for ground in ("card", "warn-soft")),
    *(("alarm", ground) for ground in ("card", "alarm-soft", "paper")),
    ("button-ink", "accent"),
    ("paper", "warn"),
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_what_is_behind_them(scheme):
    colours = {}
    for file in (SOURCE / "report" / "page.css", SOURCE / "studio" / "static" / "studio.css"):
        light, *others = file.read_text().split("@media")
        dark = "".join(each.partition("}")[0] for each in others if "prefers-color-scheme: dark" in each)
        colours |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", light + (dark if scheme == "dark" else "")))
    low = {pair: contrast(*(colours[name] for name in pair)) for pair in PAIRS}
    assert {pair: round(value, 2) for pair, value in low.items() if value < 4.5} == {}
