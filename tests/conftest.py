"""What all tests share."""

import gc
import os
import sys
from contextlib import contextmanager
from functools import partial, wraps
from importlib import import_module
from itertools import count
from math import inf
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from disjoin.jit.decision import decision
from disjoin.jit.kernel import Kernel
from disjoin.parquet import untrusted
from disjoin.verify.clusters import support_bounds
from helpers.compile_all import compile_all
from helpers.forked_readers import ForkedReaders
from helpers.source_files import FILES, SOURCE

ROOT = Path(__file__).parent.parent
LOOPS = tuple(
    ROOT / "tests" / name
    for name in (
        *("golden", "properties", "unit/methods", "unit/analyst", "unit/measure", "unit/attack", "unit/generate"),
        "unit/verify",
    )
)
UNTRACED = tuple(
    ROOT / "tests" / name
    for name in (
        *("contract", "docs", "house", "unit/generate/test_randomness.py"),
        *("unit/analyst/test_reconstruction_chances.py", "unit/methods/test_disassociation_steps.py"),
    )
)
AS_FOR_USERS = (ROOT / "tests" / "unit" / "compiling",)  # what is decided there is the point
WATCHED = 12  # examples of a property that coverage sees
NEW_OBJECTS = 20_000  # between two searches for garbage; with Python's 700 they take a tenth of a run

# Kernels compile on first use and the machine may be busy: no deadlines.
_RELAXED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
# An ordinary run tries the same examples every time: it is about the change. `make fuzz` looks for others.
settings.register_profile("short", max_examples=8, derandomize=True, **_RELAXED)
settings.register_profile("usual", max_examples=30, derandomize=True, **_RELAXED)
settings.register_profile("compiled", max_examples=60, derandomize=True, **_RELAXED)
settings.register_profile("long", max_examples=3000, **_RELAXED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))


def is_interpreted():
    """Whether this run has no compiler at all."""
    return os.environ.get("DISJOIN_COMPILE") == "never" or os.environ.get("NUMBA_DISABLE_JIT") == "1"


def is_in(folders, path):
    """Whether a file of tests is in one of these folders."""
    return any(folder == path or folder in path.parents for folder in folders)


def is_large(item):
    """Whether a test does work that loops are compiled for."""
    return item.get_closest_marker("slow") is not None or item.get_closest_marker("realdata") is not None


def is_as_it_stands(item):
    """Whether a test takes data or commands as they are, and cannot have fewer records."""
    return any(item.get_closest_marker(name) is not None for name in ("realdata", "every_page", "compiler"))


def pytest_addoption(parser):
    """`--compiled`: with the compiler wherever loops are compared with their oracles."""
    parser.addoption("--compiled", action="store_true", help="compile the loops that are compared with their oracles")


def pytest_configure(config):
    """For a compiled run try twice as many examples, and with workers compile loops once before these start."""
    if config.getoption("compiled") and "HYPOTHESIS_PROFILE" not in os.environ:
        settings.load_profile("compiled")
    is_worker = hasattr(config, "workerinput")
    if config.getoption("compiled") and not is_worker and config.getoption("numprocesses", None):
        compile_all()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Loops are interpreted, and compiled where tests compare large work; real data and pages decide as for users."""
    if is_interpreted() or os.environ.get("DISJOIN_COMPILE"):
        return
    decision.decide()
    decision.spent = 0.0
    if is_in(LOOPS, item.path) and (is_large(item) or item.config.getoption("compiled")):
        decision.compile_from_now_on()
    elif not (is_in(AS_FOR_USERS, item.path) or is_as_it_stands(item) or item.config.getoption("compiled")):
        decision.limit = inf


@pytest.fixture(scope="session", autouse=True)
def forked_readers():
    """First looks at files are forks of one process, so that the hundreds of them take seconds and not minutes."""
    if not ForkedReaders.is_possible:
        yield
        return
    waiting, usual = ForkedReaders(), untrusted.ended
    untrusted.ended = waiting.ended
    yield
    untrusted.ended = usual
    waiting.close()


@pytest.fixture(scope="session", autouse=True)
def short_samples(request):
    """Without the compiler, O7 stops after a tenth of a second: every inspection would go on for half of one."""
    with pytest.MonkeyPatch.context() as patch:
        if not request.config.getoption("compiled"):
            patch.setattr(support_bounds, "SECONDS", 0.1)
        yield


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
        if is_large(item) and is_in(LOOPS, item.path):
            item.add_marker(pytest.mark.compiler)


@contextmanager
def resting_coverage():
    """Give a function after which coverage rests until the end of the block; a debugger goes on."""
    tracer = sys.gettrace()
    rest = partial(sys.settrace, None) if type(tracer).__module__.startswith("coverage") else lambda: None
    try:
        yield rest
    finally:
        sys.settrace(tracer)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Coverage sees all modules imported, and not how tests are collected, which would take twice as long."""
    if sys.gettrace() is not None:
        for file in FILES:
            name = ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts)
            if not name.endswith("__main__"):
                import_module(name.removesuffix(".__init__"))
    with resting_coverage() as rest, rare_garbage():
        rest()
        return (yield)


@contextmanager
def rare_garbage():
    """Look for no garbage while tests are collected, never again among them, and seldom later."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(NEW_OBJECTS, 20, 20)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Examples in docstrings are those of the package, so nobody looks for them in tests."""
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Coverage, which doubles the time, need not see contracts, docs and house rules: they run what others run too.

    Of a property it sees the first examples, and loops, in which it takes longest, in the tests that are about them.
    """
    with resting_coverage() as rest, pytest.MonkeyPatch.context() as patch:
        if is_in(UNTRACED, item.path):
            rest()
        elif not is_in(LOOPS, item.path):
            patch.setattr(Kernel, "__call__", run_unseen)
        with first_examples_of(item, then=rest):
            return (yield)


run_kernel = Kernel.__call__


def run_unseen(kernel, *arguments):
    """Run a loop while coverage rests, which then waits for the next call of a function: so there is one."""
    with resting_coverage() as rest:
        rest()
        found = run_kernel(kernel, *arguments)
    _awake()
    return found


def _awake():
    pass


@contextmanager
def first_examples_of(item, then):
    """Call a function when a property has been tried with enough examples."""
    handle = getattr(getattr(item, "obj", None), "hypothesis", None)
    if handle is None:
        yield
        return
    inner, tried = handle.inner_test, count()

    @wraps(inner)
    def example(*arguments, **named):
        if next(tried) == WATCHED:
            then()
        return inner(*arguments, **named)

    handle.inner_test = example
    try:
        yield
    finally:
        handle.inner_test = inner
