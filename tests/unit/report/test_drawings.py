"""Nothing can be hidden in the report page of a release: not next to its charts, and not in them."""

from __future__ import annotations

import subprocess

import pytest

import disjoin
from helpers.tampering import compared, rehash

RECORDS = [["tea", "milk"], ["tea"], ["milk", "bread"], ["tea", "bread"]] * 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return disjoin.disassociate(RECORDS, k=3).write(tmp_path_factory.mktemp("page") / "release")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<main>", "<main>record 17 is Bob"),
        ("</body>", "<script>alert(1)</script></body>"),
        ("</html>\n", "</html>\n<!-- record 17 is Bob -->"),
        ("</svg>", "<text>record 17 is Bob</text></svg>"),
        ("</svg>", "<!-- Bob --></svg>"),
        ("</svg>", "</svg>Bob"),
        ("<desc>", "<desc>Bob: "),
        ('width="340"', 'width="341"'),
        ("</html>\n", "</html>"),
    ],
)
def test_whatever_is_changed_is_found(folder, before, after):
    page = folder / "report.html"
    text = page.read_text(encoding="utf-8")
    assert before in text
    try:
        for place in (text.find(before), text.rfind(before)):
            page.write_text(text[:place] + after + text[place + len(before) :], encoding="utf-8")
            rehash(folder, "report.html")
            assert ("F1", "report.html") in {(v.invariant, v.place) for v in compared(folder).violations}
    finally:
        page.write_text(text, encoding="utf-8")
        rehash(folder, "report.html")
    assert not compared(folder).violations


def test_publishing_starts_no_process_to_draw(tmp_path, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", lambda *arguments, **named: pytest.fail("a process was started"))
    folder = disjoin.disassociate(RECORDS, k=3).write(tmp_path / "release")
    assert (folder / "report.html").read_text(encoding="utf-8").count('<svg role="img"') >= 3
