"""Nothing can be hidden in the report page of a release: not beside its charts, and not in them."""

from __future__ import annotations

import pytest

import disjoin
from disjoin.report.documents import documents_of
from disjoin.rewriting import is_drawing, is_page_of

RELEASE = disjoin.disassociate([["tea", "milk"], ["tea"], ["milk", "bread"], ["tea", "bread"]] * 5, k=3)
PAGE = documents_of(RELEASE)["report.html"]
CHART = {"title": "tea", "description": "Bars of tea.", "mark": {"color": "var(--accent)"}}


def test_the_page_of_a_release_is_known():
    assert is_page_of(RELEASE, PAGE)
    assert "<svg" in PAGE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<main>", "<main>record 17 is Bob"),
        ("</body>", "<script>alert(1)</script></body>"),
        ("</html>\n", "</html>\n<!-- record 17 is Bob -->"),
        ("</svg>", "<text>record 17 is Bob</text></svg>"),
        ("</svg>", "<script>alert(1)</script></svg>"),
        ("</svg>", "<!-- Bob --></svg>"),
        ("</svg>", '<g aria-label="record 17 is Bob"></g></svg>'),
        ("</svg>", '<g onload="alert(1)"></g></svg>'),
        ("</svg>", '<a href="http://example.org"></a></svg>'),
        ("</svg>", "<foreignObject>Bob</foreignObject></svg>"),
        ("</svg>", "</svg>Bob"),
        ("</svg>", "</g></svg>"),
    ],
)
def test_whatever_is_added_is_found(before, after):
    for place in (PAGE.find(before), PAGE.rfind(before)):
        assert not is_page_of(RELEASE, PAGE[:place] + after + PAGE[place + len(before) :])


def test_a_page_that_is_cut_short_or_another_one_is_found():
    assert not is_page_of(RELEASE, PAGE[:-1])
    assert not is_page_of(RELEASE, "")
    assert not is_page_of(disjoin.disassociate([["tea"]] * 9, k=3), PAGE)


@pytest.mark.parametrize(
    ("drawing", "is_fine"),
    [
        ('<svg width="3" viewBox="0 0 3 3"><path d="M1,2h3v-4Z" fill="var(--accent)"/></svg>', True),
        ('<svg><g transform="translate(1.5,-2) rotate(-90)"><text>1,000</text></g></svg>', True),
        ('<svg><clipPath id="c0123abcd-0"/><g clip-path="url(#c0123abcd-0)"/></svg>', True),
        ('<svg><path d="M1,2 salt"/></svg>', False),
        ('<svg><path d="' + "1" * 50_000 + 'x"/></svg>', False),  # and is found at once
        ("<p>tea</p>", False),
        ("<svg>", False),
    ],
)
def test_a_drawing_is_made_of_lines_areas_numbers_and_words_of_its_chart(drawing, is_fine):
    assert is_drawing(drawing, CHART) is is_fine
