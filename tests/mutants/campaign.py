"""A campaign: one process loads everything and learns which test runs which line; a fork of it tries each mutant."""

import gc
import json
import os
import resource
import select
import signal
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

import pytest

from mutants.mutations import Mutant
from mutants.patching import module_of, put_into

KILLED, TIMEOUT, SURVIVED, UNSEEN = "killed", "timeout", "survived", "unseen"
PATIENCE = 90  # seconds on the clock for one mutant that waits and does nothing
MEMORY = 6 << 30


@dataclass
class Lines:
    """Which lines of some files were run, by whom."""

    files: frozenset[str]
    seen: set[tuple[str, int]] = field(default_factory=set)

    def start(self) -> None:
        threading.settrace(self._call)
        sys.settrace(self._call)

    def stop(self) -> set[tuple[str, int]]:
        """Return the lines that were run since the start."""
        sys.settrace(None)
        threading.settrace(None)
        seen, self.seen = self.seen, set()
        return seen

    def _call(self, frame, event, argument):
        return self._line if frame.f_code.co_filename in self.files else None

    def _line(self, frame, event, argument):
        self.seen.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


@dataclass(eq=False)
class Test:
    """A test, the lines that it runs, and how long it takes."""

    item: pytest.Item
    lines: set[tuple[str, int]]
    seconds: float


class Campaign:
    """A plugin that takes the place of pytest's loop over tests."""

    def __init__(self, mutants: list[Mutant], package: str, results, *, budget: float, say=print) -> None:
        self.mutants, self.package, self.results = mutants, package, results
        self.budget, self.say = budget, say
        self._lines = Lines(frozenset(str(mutant.file) for mutant in mutants))
        self._of_fixture: dict[object, set[tuple[str, int]]] = {}
        self._failed: list[str] = []
        self._killers: dict[str, Counter[str]] = {}  # by function and by file: how many mutants a test has killed
        for name, found in results.known.items():
            self._praise(name, found.get("by"))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        """What makes a fixture that several tests share is run for each of them."""
        before = set(self._lines.seen)
        found = yield
        if fixturedef.scope != "function":
            self._of_fixture.setdefault(fixturedef, set()).update(self._lines.seen - before)
        return found

    def pytest_runtest_logreport(self, report) -> None:
        if report.failed:
            self._failed = str(report.longrepr).strip().splitlines()[-1:] or ["?"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session) -> bool:
        """Run every test once, then every mutant."""
        self._tests = self._baseline(session.items)
        session.config.pluginmanager.unregister(name="terminalreporter")
        gc.collect()
        gc.freeze()
        for mutant in self.mutants:
            self._try(mutant)
        return True

    def _baseline(self, items: list[pytest.Item]) -> list[Test]:
        """Run every test and note its lines; tests that fail by themselves are left out."""
        tests = []
        for item, following in pairwise([*items, None]):
            if following is None and items[0].path != item.path:
                following = items[0]  # fixtures of the session stay, those of the module go
            began = time.process_time()
            self._lines.start()
            passed = self._passes(item, following)
            lines = self._lines.stop()
            if passed:
                tests.append(Test(item, lines, time.process_time() - began))
            else:
                self.say(f"fails without a mutant, and is left out: {item.nodeid} {self._failed}")
        for test in tests:
            for held in test.item._fixtureinfo.name2fixturedefs.values():
                test.lines.update(*(self._of_fixture.get(each, ()) for each in held))
        return sorted(tests, key=lambda test: test.seconds)

    def _passes(self, item: pytest.Item, following: pytest.Item | None) -> bool:
        self._failed = []
        example = getattr(item, "dtest", None)  # of a docstring; it forgets its names when it has run
        names = dict(example.globs) if example else {}
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if example:
            example.globs.update(names)
        return not self._failed

    def _try(self, mutant: Mutant) -> None:
        lines = {(str(mutant.file), line) for line in mutant.lines}
        near, far = (self._killers.get(place, {}) for place in _places(mutant.name))
        chosen = sorted(
            (test for test in self._tests if not lines.isdisjoint(test.lines)),
            key=lambda test: (-near.get(test.item.nodeid, 0), -min(far.get(test.item.nodeid, 0), 1)),
        )
        outcome = self._outcome(mutant, chosen)
        self._praise(mutant.name, outcome.get("by"))
        self.results.add(mutant, **outcome)
        if outcome["status"] in (SURVIVED, UNSEEN):
            self.say(f"{outcome['status']} (line {mutant.lines[0]}, {len(chosen)} tests): {mutant.name}")

    def _praise(self, name: str, killer: str | None) -> None:
        """Remember the test that killed a mutant: it is tried first for others nearby."""
        for place in _places(name) if killer else ():
            self._killers.setdefault(place, Counter())[killer] += 1

    def _outcome(self, mutant: Mutant, tests: list[Test]) -> dict[str, object]:
        """Try a mutant; a kill counts if the test alone fails with the mutant, and passes without it afterwards."""
        while tests:
            outcome = self._in_a_fork(mutant, tests)
            killer = next((test for test in tests if test.item.nodeid == outcome.get("by")), None)
            if killer is None:
                return outcome
            is_alone = killer is tests[0] or self._in_a_fork(mutant, [killer])["status"] != SURVIVED
            passes = self._in_a_fork(None, [killer])["status"] == SURVIVED
            if is_alone and passes:
                return outcome
            tests = [test for test in tests if test is not killer]
            if not passes:
                self.say(f"fails in a fork without a mutant, and is left out: {killer.item.nodeid}")
                self._tests.remove(killer)
        return {"status": UNSEEN}

    def _in_a_fork(self, mutant: Mutant | None, tests: list[Test]) -> dict[str, object]:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            _be_limited()
            self._be_the_child(mutant, tests, writing)
        os.close(writing)
        is_late = not select.select([reading], [], [], PATIENCE)[0]
        if is_late:
            os.kill(child, signal.SIGKILL)
        said = b"" if is_late else os.read(reading, 65536)
        os.close(reading)
        _, _, used = os.wait4(child, 0)
        outcome = json.loads(said) if said else {"status": TIMEOUT}
        return outcome | {"seconds": round(used.ru_utime + used.ru_stime, 2)}

    def _be_the_child(self, mutant: Mutant | None, tests: list[Test], writing: int) -> NoReturn:
        """Write the outcome to the pipe and end, whatever happens."""
        outcome: dict[str, object] = {"status": KILLED, "by": tests[0].item.nodeid}
        try:
            if mutant is not None:
                put_into(module_of(mutant, self.package), mutant)
            tests[0].item.session._setupstate.teardown_exact(tests[0].item)
            outcome = self._run(tests)
        finally:
            os.write(writing, json.dumps(outcome).encode())
            os._exit(0)

    def _run(self, tests: list[Test]) -> dict[str, object]:
        """Run tests until one fails or the time is up."""
        for number, (test, following) in enumerate(pairwise([*tests, tests[-1]])):
            spent = time.process_time()
            if spent > self.budget:
                return {"status": SURVIVED, "tried": number, "of": len(tests)}
            limit = int(spent + 3 + 6 * test.seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            try:
                passed = self._passes(test.item, following.item)
            except BaseException:  # of pytest itself, too
                passed = False
            if not passed:
                return {"status": KILLED, "by": test.item.nodeid}
        return {"status": SURVIVED, "tried": len(tests), "of": len(tests)}


def _places(name: str) -> tuple[str, str]:
    """Return function and file of a mutant's name."""
    file, _, change = name.partition("::")
    return f"{file}::{change.partition(':')[0]}", file


def _be_limited() -> None:
    """Take no more memory than there is, and leave no dump."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


class Results:
    """What is known of mutants: a line of JSON for each that was tried, the last one counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.known = {found["mutant"]: found for found in map(json.loads, lines)}

    def add(self, mutant: Mutant, **outcome: object) -> None:
        """Keep the outcome of a mutant."""
        found = {"mutant": mutant.name, "function": mutant.digest, **outcome}
        self.known[mutant.name] = found
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")

    def of(self, mutant: Mutant) -> dict[str, object] | None:
        """Return what is known, unless the function has changed since."""
        found = self.known.get(mutant.name)
        return found if found and found["function"] == mutant.digest else None
