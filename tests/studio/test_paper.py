"""report.html and the dossier on paper: what comes first is on the first page, nothing is cut, and nothing is dark."""

import re

import pytest

import disjoin
from disjoin.advise.settings_tried import settings_tried
from disjoin.report.documents import documents_of
from disjoin.report.dossier import dossier_of
from disjoin.report.facts import facts_of
from helpers.releases import figure_3, sealed
from helpers.table_releases import clinic, sealed_table

WIDE, HIGH = 657, 986  # A4 with margins of 18 mm, in the browser's pixels

MEASURED = """() => ({
  wide: document.documentElement.scrollWidth,
  first: Math.max(...[...document.querySelectorAll('.head, .brief')].map(
    each => each.getBoundingClientRect().bottom)),
  cut: [...document.querySelectorAll('.numbers div, figure, figure svg, .chunks table, .limits li')].filter(
    each => each.getBoundingClientRect().right > innerWidth || each.scrollWidth > each.clientWidth + 1).length,
  tallest: Math.max(...[...document.querySelectorAll('figure')].map(each => each.offsetHeight)),
})"""


@pytest.mark.parametrize("release", [lambda: sealed(figure_3()), lambda: sealed_table(clinic())])
def test_a_report_fits_a_page(browser, release):
    page = browser.new_page(viewport={"width": WIDE, "height": HIGH})
    page.emulate_media(media="print")
    page.set_content(documents_of(release())["report.html"])
    found = page.evaluate(MEASURED)
    page.close()
    assert found["wide"] <= WIDE
    assert found["cut"] == 0
    assert found["first"] < HIGH
    assert found["tallest"] < HIGH * 2 / 3  # with the table behind it


def test_a_dossier_is_printed_light_and_without_empty_pages(browser):
    names = [f"a term with a name as long as names of articles are, number {n}" for n in range(12)]
    data = disjoin.read([[names[n % 12], names[(n * 5 + 1) % 12], "bread"] for n in range(60)])
    advice = disjoin.advise(data, k=3, clusterings="horpart").to_json()
    release = disjoin.disassociate(data, k=3, m=2)
    verdict, tried = disjoin.verify(release, original=data), settings_tried(advice, facts_of(release))
    text = dossier_of(release, data, verdict, name="n" * 90 + ".csv", plan="x" * 300, tried=tried)
    page = browser.new_page(viewport={"width": 320, "height": 256}, color_scheme="dark")
    page.set_content(text)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.set_viewport_size({"width": WIDE, "height": HIGH})
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDE
    high = page.evaluate("document.documentElement.scrollHeight")
    printed = len(re.findall(rb"/Type /Page\b", page.pdf(format="A4")))
    page.close()
    assert printed <= high // (HIGH * 3 // 4) + 1
