"""What all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from disjoin.files import first_look
from nursery import Nursery

ROOT = Path(__file__).parent.parent

# Kernels compile on first use and the machine may be busy: no deadlines.
_RELAXED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
# An ordinary run tries the same examples every time: it is about the change. `make fuzz` looks for others.
settings.register_profile("short", max_examples=8, derandomize=True, **_RELAXED)
settings.register_profile("usual", max_examples=45, derandomize=True, **_RELAXED)
settings.register_profile("long", max_examples=3000, **_RELAXED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))


def pytest_configure(config):
    """Forget compiled kernels older than a source file: numba does not see that what a kernel calls has changed."""
    if hasattr(config, "workerinput"):  # a worker; the process that started it has done so
        return
    source = ROOT / "src" / "disjoin"
    sources = [file for file in source.rglob("*.py") if "compiled import" in file.read_text(encoding="utf-8")]
    newest = max(file.stat().st_mtime for file in sources)
    for compiled in source.rglob("*.nb[ic]"):
        if compiled.stat().st_mtime < newest:
            compiled.unlink(missing_ok=True)


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
