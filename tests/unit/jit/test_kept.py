"""What is compiled is kept, is never stale, and breaks no run."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from disjoin.jit import cache
from disjoin.jit.fingerprint import fingerprint, reached
from disjoin.jit.kernel import Kernel, kernel
from disjoin.progress import count
from unit.jit import loops
from unit.jit.loops import Pair, both, stepped, total

LOOP = """
from disjoin.jit.kernel import inner, kernel
{constant}
@inner
def stepped(value):
    return value * STEP
@kernel
def total(values):
    {comment}
    found = 0
    for i in range(values.size):
        found += stepped(values[i])
    return found
"""


def forget():
    """Let the next question about places be answered anew."""
    cache.folder.cache_clear()
    cache._names.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A place of its own for what is compiled."""
    monkeypatch.setattr(cache, "places", lambda: iter([tmp_path]))
    forget()
    yield tmp_path
    forget()


def module_of(tmp_path, name, *, constant="STEP = 3", comment="pass"):
    (tmp_path / f"{name}.py").write_text(LOOP.format(constant=constant, comment=comment))
    spec = importlib.util.spec_from_file_location("loops_on_disk", tmp_path / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled_again(one: Kernel) -> Kernel:
    """The same loop as a new process has it: nothing is compiled yet."""
    return kernel(one.function)


def run_compiled(one, *arguments):
    """Run a loop compiled; return the result and how many loops were compiled for it."""
    before = sum(map(len, count.seconds.values()))
    return one.dispatcher(*arguments), sum(map(len, count.seconds.values())) - before


@pytest.fixture(autouse=True)
def _compiler(monkeypatch):
    if os.environ.get("DISJOIN_COMPILE") == "never" or os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip("a run without the compiler")
    from disjoin.jit.decision import decision

    monkeypatch.setattr(decision, "may_compile", True)


def test_a_second_process_finds_what_the_first_has_compiled(folder):
    values = np.arange(4)
    assert run_compiled(compiled_again(total), values, 0)[0] == total.plain(values, 0) == 18
    assert list(folder.iterdir())
    assert run_compiled(compiled_again(total), values, 0) == (18, 0)


def test_one_kind_of_number_and_one_kind_of_array_is_compiled(folder):
    again, frozen = compiled_again(total), np.arange(4)
    frozen.flags.writeable = False
    assert run_compiled(again, frozen, 1)[0] == 19
    for values in (frozen, np.arange(4)):
        for extra in (1, np.int32(1), np.int64(1), np.uint8(1)):
            assert run_compiled(again, values, extra) == (19, 0)


def test_arrays_in_tuples_are_of_one_kind_too(folder):
    again, frozen = compiled_again(both), np.arange(4)
    frozen.flags.writeable = False
    assert run_compiled(again, Pair(frozen, np.arange(4)))[0] == 0
    assert run_compiled(again, Pair(np.arange(4), np.arange(4))) == (0, 0)


@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_a_damaged_file_is_compiled_again(folder, damage):
    run_compiled(compiled_again(total), np.arange(4), 0)
    for file in folder.iterdir():
        content = file.read_bytes()
        file.write_bytes(content[: len(content) // 2] if damage is None else damage)
    found, compiled = run_compiled(compiled_again(total), np.arange(4), 0)
    assert found == 18
    assert compiled


def test_what_a_loop_calls_and_looks_up_is_part_of_it(tmp_path):
    one = module_of(tmp_path, "one")
    assert {each.function.__name__ for each in reached(one.total)} == {"total", "stepped"}
    assert fingerprint(module_of(tmp_path, "two").total) == fingerprint(one.total)
    assert fingerprint(module_of(tmp_path, "three", comment="# a comment\n    pass").total) == fingerprint(one.total)
    assert fingerprint(module_of(tmp_path, "four", constant="STEP = 4").total) != fingerprint(one.total)
    assert fingerprint(module_of(tmp_path, "five", comment="values = values[1:]").total) != fingerprint(one.total)


def test_a_changed_constant_is_never_served_from_disk(folder, tmp_path):
    (tmp_path / "sources").mkdir()
    assert run_compiled(module_of(tmp_path / "sources", "one").total, np.arange(4))[0] == 18
    assert run_compiled(module_of(tmp_path / "sources", "two", constant="STEP = 5").total, np.arange(4))[0] == 30


def test_a_newer_version_replaces_an_older_one(folder, tmp_path):
    (tmp_path / "sources").mkdir()
    run_compiled(module_of(tmp_path / "sources", "one").total, np.arange(4))
    before = len([*folder.glob("*.compiled")])
    run_compiled(module_of(tmp_path / "sources", "two", constant="STEP = 5").total, np.arange(4))
    assert len([*folder.glob("*.compiled")]) == before


def test_a_folder_of_somebody_else_is_not_trusted(tmp_path):
    ours, open_to_all, link = tmp_path / "ours", tmp_path / "open", tmp_path / "link"
    ours.mkdir(mode=0o700)
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    link.symlink_to(ours)
    assert cache.is_private(ours)
    assert not any(map(cache.is_private, (open_to_all, link, tmp_path / "nowhere")))


def test_inner_loops_are_plain_functions_to_one_another():
    assert total.plain.__globals__["stepped"] is stepped.plain
    assert loops.stepped is stepped


NOWHERE = """
import sys, tempfile, pathlib
tempfile.tempdir = "/dev/null/nowhere"
from disjoin.jit import cache
package = cache.places
def elsewhere():
    for place in package():
        yield pathlib.Path("/dev/null/package") if "__pycache__" in place.parts else place
cache.places = elsewhere
from disjoin.jit.kernel import kernel
import numpy as np
@kernel
def double(values):
    return values.sum() * 2
assert double(np.arange(4)) == 12
assert double(np.arange(4.0)) == 12
from disjoin.jit.decision import decision
assert decision.compiled
"""


def test_where_nothing_can_be_kept_it_is_said_once_and_the_work_is_done():
    homeless = {"HOME": "/dev/null/home", "XDG_CACHE_HOME": "/dev/null/cache", "DISJOIN_COMPILE": "always"}
    environment = {**os.environ, **homeless}
    environment.pop("NUMBA_CACHE_DIR", None)
    arguments = [sys.executable, "-W", "always", "-c", NOWHERE]
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Compiled code cannot be stored") == 1


def test_the_folders_are_the_package_then_the_users_then_a_temporary_one(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/users/cache")
    package, user, temporary = cache.places()
    assert package.parts[-3:] == ("disjoin", "__pycache__", "compiled")
    if sys.platform == "linux":
        assert user == Path("/users/cache/disjoin/compiled")
    assert temporary.name.startswith("disjoin-compiled-")


LOADED = """
import sys
import numpy as np
from disjoin.cli.startup import block_optional_imports
block_optional_imports()
from disjoin.jit.decision import decision
from disjoin.progress import count
from unit.jit.loops import summed
decision.decide()
assert summed(np.arange(4)) == 6
print(count.done, *sys.modules)
"""


def modules_of_a_process(folder: Path) -> tuple[int, set[str]]:
    """How many loops a process of the command line compiles in order to run one, and the modules that it loads."""
    paths = os.pathsep.join([str(Path(cache.__file__).parents[2]), str(Path(__file__).parents[2])])
    environment = os.environ | {"DISJOIN_COMPILE": "always", "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": paths}
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    compiled, *modules = done.stdout.split()
    return int(compiled), set(modules)


def test_numba_is_loaded_without_linear_algebra_and_in_part_where_nothing_is_compiled(tmp_path):
    compiled, modules = modules_of_a_process(tmp_path)
    assert compiled == 1
    assert "numba.np.arraymath" in modules
    assert not modules & {"scipy", "coverage", "pandas"}
    compiled, modules = modules_of_a_process(tmp_path)
    assert compiled == 0
    assert "numba" in modules
    assert not modules & {"scipy", "coverage", "pandas", "numba.np.arraymath", "numba.np.linalg"}


def test_a_call_with_known_kinds_of_arguments_is_not_looked_up_again(monkeypatch):
    from disjoin.jit.numba_dispatcher import Dispatcher

    monkeypatch.setenv("DISJOIN_COMPILE", "always")
    asked = []
    look_up = Dispatcher._compile_for_args
    monkeypatch.setattr(Dispatcher, "_compile_for_args", lambda self, *a: asked.append(1) or look_up(self, *a))
    own = Kernel(both.function, has_way_in=True)
    frozen = np.arange(3)
    frozen.flags.writeable = False
    for _ in range(5):
        assert own.dispatcher(Pair(np.arange(3), np.arange(3) + 1)) == 1
        assert own.dispatcher(Pair(frozen, frozen)) == 0
    assert len(asked) == 2
