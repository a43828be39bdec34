"""report.html on paper: the promise, the numbers and the first charts are on the first page, and nothing is cut."""

import pytest

from disjoin.report.documents import documents_of
from releases import figure_3, sealed
from table_releases import clinic, sealed_table

WIDE, HIGH = 717, 1047  # A4 with margins of 1 cm, in the browser's pixels

MEASURED = """() => ({
  wide: document.documentElement.scrollWidth,
  first: Math.max(...[...document.querySelectorAll('.numbers, figure:nth-child(-n+2)')].map(
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
    assert found["tallest"] < HIGH / 2
