"""What all tests share."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import kernels_on_disk
from disjoin.compiling.decision import decision
from disjoin.files import first_look
from nursery import Nursery

ROOT = Path(__file__).parent.parent
COMPILED = tuple(
    ROOT / "tests" / name
    for name in (
        *("golden", "properties", "unit/methods", "unit/analyst", "unit/measure", "unit/attack", "unit/generate"),
        "unit/verify",
    )
)
UNTRACED = (*COMPILED, ROOT / "tests" / "contract")

# Kernels compile on first use and the machine may be busy: no deadlines.
_RELAXED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
# An ordinary run tries the same examples every time: it is about the change. `make fuzz` looks for others.
settings.register_profile("short", max_examples=8, derandomize=True, **_RELAXED)
settings.register_profile("usual", max_examples=45, derandomize=True, **_RELAXED)
settings.register_profile("long", max_examples=3000, **_RELAXED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))


def is_interpreted():
    """Whether this run has no compiler at all."""
    return os.environ.get("DISJOIN_COMPILE") == "never" or os.environ.get("NUMBA_DISABLE_JIT") == "1"


def is_in(folders, path):
    """Whether a file of tests is in one of these folders."""
    return any(folder in path.parents for folder in folders)


def pytest_configure(config):
    """For a run with workers, compile loops once before these start."""
    is_worker = hasattr(config, "workerinput")
    if not is_worker and not is_interpreted() and config.getoption("numprocesses", None):
        kernels_on_disk.compile_all()


@pytest.fixture(scope="module", autouse=True)
def loops(request):
    """Loops are compiled where they are compared with their oracles, and elsewhere as the size of the work decides."""
    if is_interpreted() or os.environ.get("DISJOIN_COMPILE"):
        return
    decision.decide()
    decision.spent = 0.0
    if is_in(COMPILED, request.path):
        decision.compile_from_now_on()


@pytest.fixture(scope="session", autouse=True)
def nursery():
    """First looks at files are forks of one process, so that the hundreds of them take seconds and not minutes."""
    if not Nursery.is_possible:
        yield
        return
    waiting, usual = Nursery(), first_look.ended
    first_look.ended = waiting.ended
    yield
    first_look.ended = usual
    waiting.close()


def data_folder() -> Path:
    return Path(os.environ.get("DISJOIN_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder of benchmark datasets, which are not part of the repository."""
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip(f"the benchmark datasets are not here ({folder.name}); set DISJOIN_DATA to their folder")
    return folder


def pytest_collection_modifyitems(items):
    for item in items:
        if "datasets" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.realdata)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """What is traced elsewhere is not traced here, which would double its time.

    Tests of loops are traced by `make kernels`, and contracts run what the tests of each room run.
    """
    tracer = sys.gettrace()
    is_of_coverage = type(tracer).__module__.startswith("coverage")  # a debugger goes on
    if not is_of_coverage or is_interpreted() or not is_in(UNTRACED, item.path):
        return (yield)
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)
