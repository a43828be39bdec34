"""Checking costs no more than publishing: `verify`, `load` and the first question to a release of a million records."""

from __future__ import annotations

import disjoin
from benchmarks.bars import MILLION, Bars
from benchmarks.measuring import disassociate, interleaved, python, timed
from benchmarks.measuring import disjoin as command

LOAD = "import sys, disjoin; disjoin.load(sys.argv[1])"
IMPORT = "import disjoin, numba, pyarrow, scipy.sparse"


def measure(bars: Bars) -> None:
    """Measure verify with and without the original, and loading."""
    source, out = bars.quest(MILLION), bars.folder / "checked"
    commands = {
        "publish": disassociate(source, out),
        "verify": command("verify", out),
        "with": command("verify", out, "--original", source),
        "load": python("-c", LOAD, str(out)),
        "import": python("-c", IMPORT),
    }
    found = interleaved(commands, bars.times)
    published = found["publish"]
    for name, what in (("verify", "verify"), ("with", "verify --original")):
        note = f"{found[name]} against {published}"
        bars.add(f"1M, {what} / publishing, processors", found[name].worked / published.worked, 1, "x", note=note)
    beyond = found["load"].worked - found["import"].worked
    bars.add("1M, load, processors beyond imports", beyond, 1.5, "s", note=str(found["load"]))
    disjoin.load(out).support([[]])  # compiles
    release = disjoin.load(out)
    first = timed(lambda: release.support([release.published.vocabulary[0].as_py()]))
    bars.add("1M, the first support of a loaded release, processors", first.worked, 1.5, "s")
