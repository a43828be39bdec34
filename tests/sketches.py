"""Charts for tests that are not about charts: drawings with all texts of a chart in them, and no engine to wake.

A sketch tells more than a drawing does: charts that differ in anything give sketches that differ, and no text of a
chart is left out. So what a test says about the bytes of a page, or about what may not be in them, still counts; and
the inspection of a page accepts a sketch as it does a drawing.
"""

from __future__ import annotations

import hashlib
import html
import json
from contextlib import contextmanager

from disjoin.charts import chart_process


def sketch(chart):
    """Return an SVG element with the texts of a chart, and with a fingerprint of all of it as its id."""
    digest = hashlib.sha256(json.dumps(chart, sort_keys=True).encode()).hexdigest()
    words = "".join(f"<text>{html.escape(text)}</text>" for text in texts_of(chart))
    return f'<svg id="c{digest[:8]}-{int(digest[8:], 16)}">{words}</svg>'


def texts_of(part):
    """Every text of a chart, however deep."""
    if isinstance(part, str):
        return [part]
    inside = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [text for inner in inside for text in texts_of(inner)]


class Sketcher:
    """Stands where the process that draws would: a chart per line goes in, a sketch per line comes out."""

    returncode = 0

    def __init__(self):
        self.stdin = self.stdout = self
        self._sketch = ""

    def write(self, line):
        self._sketch = sketch(json.loads(line))

    def flush(self):
        """Nothing waits."""

    def readline(self):
        return json.dumps(self._sketch) + "\n"

    def kill(self):
        """Nothing runs."""

    communicate = kill


@contextmanager
def sketching():
    """Charts are sketches meanwhile; whoever draws for this process is there again afterwards."""
    house, hired = chart_process._house, chart_process._hired
    artist, house._artist = house._artist, None
    chart_process._hired = Sketcher
    try:
        yield
    finally:
        chart_process._hired = hired
        house._artist = artist
