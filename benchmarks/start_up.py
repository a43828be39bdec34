"""The first minute: commands with empty caches, and what a command takes beyond its work when they are full.

A copy of the package without compiled loops, in a home of its own, stands for a fresh installation. Processor seconds,
the least of several runs.
"""

from __future__ import annotations

import compileall
import shutil
from collections.abc import Iterator
from pathlib import Path

import disjoin
from benchmarks.bars import Bars
from benchmarks.measuring import disassociate, interleaved, run, together
from benchmarks.measuring import disjoin as command

BY_PERSON = ("--id", "patient_id", "--terms", "diagnosis")


def fresh(folder: Path) -> dict[str, str]:
    """Install a copy, and return the environment that uses it."""
    copy = folder / "fresh" / "disjoin"
    shutil.rmtree(copy.parent, ignore_errors=True)
    shutil.copytree(Path(disjoin.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(str(copy), quiet=2)
    home = folder / "fresh" / "home"
    home.mkdir()
    return {"PYTHONPATH": str(copy.parent), "HOME": str(home), "XDG_CACHE_HOME": str(home), "DISJOIN_COMPILE": "auto"}


def demo(folder: Path) -> list[list[str]]:
    """Return the commands of make demo."""
    visits, release = folder / "visits.csv", folder / "demo"
    return [
        command("generate", "visits", "--records", 3000, "--seed", 1, "-o", visits, "--overwrite"),
        command("inspect", visits, *BY_PERSON),
        command("disassociate", visits, *BY_PERSON, "-k", 5, "-m", 2, "-o", release, "--overwrite"),
        command("verify", release, "--original", visits, *BY_PERSON),
        command("show", release, "--typical"),
    ]


def measure(bars: Bars) -> None:
    """Measure a fresh installation, then a used one."""
    took = [[run(each, new).worked for each in demo(bars.folder)] for new in _fresh_ones(bars)]
    least = min(took, key=sum)
    each = ", ".join(f"{seconds:.1f}" for seconds in least)
    every = ", ".join(f"{sum(one):.1f}" for one in took)
    note = f"one by one {each}; all runs {every}"
    bars.add("the five commands of make demo, empty caches", sum(least), 6, "s", note=note)
    wv1 = bars.real("wv1")
    if wv1:
        cold = run(disassociate(wv1, bars.folder / "wv1"), fresh(bars.folder))
        bars.add("WV1, whole command, empty caches", cold.worked, 25, "s", note=str(cold))
    _overhead(bars)
    helps = interleaved({name: command(*name.split(), "--help") for name in ("disassociate", "verify")}, bars.times)
    for name, found in helps.items():
        bars.add(f"disjoin {name} --help", found.worked, 0.3, "s")


def _fresh_ones(bars: Bars) -> Iterator[dict[str, str]]:
    for _ in range(bars.times):
        yield fresh(bars.folder)


def _overhead(bars: Bars) -> None:
    """Publish next to nothing, with all loops that are needed compiled already."""
    few = bars.folder / "few.dat"
    few.write_text("\n".join(f"bread milk t{i % 7} u{i % 11}" for i in range(300)) + "\n", encoding="utf-8")
    compiled = {"DISJOIN_COMPILE": "always"}
    run(disassociate(few, bars.folder / "few"), compiled)
    warm = together(run(disassociate(few, bars.folder / "few"), compiled) for _ in range(bars.times))
    bars.add("300 baskets with compiled loops, warm: all is overhead", warm.worked, 1.2, "s", note=str(warm))
