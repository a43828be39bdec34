"""The studio: its first page, the memory of the server while 500,000 baskets come and are published, and questions.

Seconds are those of processors, of the server and the process that has the release open; the clock is told besides.
Asked over HTTP, as a browser does.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from benchmarks.bars import MILLION, Bars
from benchmarks.measuring import disjoin as command
from benchmarks.measuring import run

BASKETS = MILLION // 2
FEW = BASKETS // 10
ASKED = 10
PAGES = ("", "/parts", "/attack", "/use", "/take")


class Served:
    """A studio that runs, and the one visitor that it let in."""

    def __init__(self, home: Path) -> None:
        begun = time.perf_counter()
        words = [sys.executable, "-m", "disjoin", "studio", "--no-open", "--no-warm-up", "--home", str(home)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None, "it is a pipe"
        link = self.process.stdout.readline().strip()
        self.address = link.partition("/enter")[0]
        self.cookie = _cookie(link)
        self.get("/")
        self.worked, self.seconds = _worked(self.process.pid), time.perf_counter() - begun

    def get(self, address: str) -> bytes:
        """Return a page."""
        return self._answer(urllib.request.Request(self.address + address))

    def ask(self, method: str, address: str, facts: Any = None, **headers: str) -> Any:
        """Send JSON, or whatever is given as a file, and return the answer."""
        usual = {"content-type": "application/json", "origin": self.address}
        data = facts if hasattr(facts, "read") else None if method == "GET" else json.dumps(facts or {}).encode()
        asked = urllib.request.Request(self.address + address, data, usual | headers, method=method)
        return json.loads(self._answer(asked))

    def _answer(self, request: urllib.request.Request) -> bytes:
        request.add_header("cookie", self.cookie)
        try:
            with urllib.request.urlopen(request) as answer:
                body: bytes = answer.read()
                return body
        except urllib.error.HTTPError as refused:
            raise RuntimeError(f"{request.full_url}: {refused.read().decode()}") from None

    def ended(self, job: str) -> float:
        """Wait for a job that must end well; return the most memory that the server had meanwhile, in MB."""
        most = 0.0
        while (state := self.ask("GET", f"/api/jobs/{job}")["state"]) in ("queued", "running"):
            most = max(most, self.memory)
            time.sleep(0.05)
        assert state == "done", state
        return max(most, self.memory)

    @property
    def memory(self) -> float:
        """What the server holds now, in MB; its jobs and readers are processes of their own."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    def stop(self) -> None:
        """End it."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _cookie(link: str) -> str:
    try:
        urllib.request.build_opener(_NoRedirect).open(link)
    except urllib.error.HTTPError as answer:
        return str(answer.headers["set-cookie"]).partition(";")[0]
    raise AssertionError("the link leads on")


def _worked(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _published(studio: Served, file: Path) -> tuple[str, float, float]:
    """Upload and publish; return the release and the most memory during either."""
    upload, size = os.urandom(16).hex(), file.stat().st_size
    kind = {"content-type": "application/octet-stream", "x-name": file.name, "content-length": str(size)}
    with file.open("rb") as stream:
        studio.ask("PUT", f"/api/uploads/{upload}/0", stream, **kind)
    copied = studio.memory
    data = studio.ask("POST", "/api/data", {"upload": upload})["id"]
    looked = studio.ended(studio.ask("GET", f"/api/data/{data}")["inspection"])
    method = {"name": "disassociation", "k": 5, "m": 2}
    job = studio.ask("POST", f"/api/data/{data}/releases", {"method": method})["job"]
    most = studio.ended(job)
    return studio.ask("GET", f"/api/jobs/{job}")["result"].rpartition("/")[2], copied, max(looked, most)


def measure(bars: Bars) -> None:
    """Measure the first page, memory, and questions."""
    starts = []
    for number in range(bars.times + 1):
        studio = Served(bars.folder / f"studio-{number}")
        starts.append((studio.worked, studio.seconds))
        studio.stop()
    clock = min(seconds for _, seconds in starts)
    bars.add("from the start to the first page, processors", min(starts)[0], 1, "s", note=f"clock {clock:.2f} s")
    studio = Served(bars.folder / "studio")
    try:
        _memory(bars, studio)
        _questions(bars, studio)
    finally:
        studio.stop()


def _made(bars: Bars, records: int) -> Path:
    file = bars.folder / f"baskets-{records}.csv"
    if not file.exists():
        run(command("generate", "baskets", "--records", records, "-o", file))
    return file


def _memory(bars: Bars, studio: Served) -> None:
    before = studio.memory
    _, copied, few = _published(studio, _made(bars, FEW))
    _, copied_many, many = _published(studio, _made(bars, BASKETS))
    size = _made(bars, BASKETS).stat().st_size / 1e6
    note = f"at rest {before:.0f} MB; {FEW:,} baskets: copied {copied:.0f}, published {few:.0f}; "
    note += f"{BASKETS:,} ({size:.0f} MB): copied {copied_many:.0f}, published {many:.0f}; now {studio.memory:.0f}"
    bars.add(f"memory of the server for {BASKETS:,} baskets, beyond that for {FEW:,}", many - few, 10, "MB", note=note)


def _questions(bars: Bars, studio: Served) -> None:
    """Ask a release of a million records, once it is loaded."""
    release, _, _ = _published(studio, _made(bars, MILLION))
    sizes = {page: len(studio.get(f"/releases/{release}{page}")) for page in PAGES}
    bars.add("largest page of a release", max(sizes.values()) / 1000, 300, "kB", note=str(sizes))
    place = f"/api/releases/{release}"
    mined = studio.ask("POST", f"{place}/mine", {"top": 20})["job"]
    studio.ended(mined)
    rows = studio.ask("GET", f"/api/jobs/{mined}/result")["rows"]
    frequent = [row["itemset"][0] for row in rows if len(row["itemset"]) == 1][:6]
    asked = {
        "candidates of a frequent term": ("candidates", {"known": frequent[:1]}),
        "candidates of two": ("candidates", {"known": frequent[:2]}),
        "candidates of six": ("candidates", {"known": frequent}),
        "clusters with a frequent term": ("parts", {"find": frequent[0]}),
        "support of three terms": ("support", {"itemsets": [frequent[:3]]}),
        "terms that begin with what is typed": ("terms", {"typed": frequent[0][:1]}),
    }
    for what, (question, facts) in asked.items():
        worked, clock = _answered(studio, f"{place}/{question}", facts)
        bars.add(
            f"{what}, processors", 1000 * worked, 100, "ms", note=f"clock, fastest of {ASKED}: {1000 * clock:.0f} ms"
        )


def _answered(studio: Served, address: str, facts: Any) -> tuple[float, float]:
    """Ask several times; return the mean processors' time of an answer, and the least time on the clock."""
    before, clocks = _worked_here(studio.process.pid), []
    for _ in range(ASKED):
        begun = time.perf_counter()
        studio.ask("POST", address, facts)
        clocks.append(time.perf_counter() - begun)
    after = _worked_here(studio.process.pid)
    return sum(after[pid] - before.get(pid, 0.0) for pid in after) / ASKED, min(clocks)


def _worked_here(pid: int) -> dict[int, float]:
    """Return what a process and each of its children have worked; children may have ended meanwhile."""
    children = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return {each: _worked(each) for each in (pid, *children)}
