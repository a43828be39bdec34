"""Small work is interpreted, large work compiled, and the user has the last word."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from disjoin.errors import InvalidParameter
from disjoin.jit import cache
from disjoin.jit import decision as deciding
from disjoin.jit import kernel as looping
from disjoin.jit.decision import COLD, HOMELESS, TOGETHER, WARM, Decision
from disjoin.jit.kernel import kernel
from unit.jit.loops import counted, mixed, total


@pytest.fixture
def fresh(monkeypatch):
    """The decision of a process on a machine of its own."""
    for name in ("DISJOIN_COMPILE", "NUMBA_DISABLE_JIT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(cache, "folder", lambda: Path())
    return Decision()


@pytest.mark.parametrize(
    ("seconds", "compiled", "may_compile"),
    [(WARM / 2, False, False), (WARM * 2, True, False), (COLD * 2, True, True)],
)
def test_work_is_compiled_only_if_it_is_large_or_on_disk(fresh, seconds, compiled, may_compile):
    fresh.expect(seconds)
    assert (fresh.compiled, fresh.may_compile) == (compiled, may_compile)


@pytest.fixture
def machine(fresh, monkeypatch):
    """The same, asked by loops."""
    monkeypatch.setattr(looping, "decision", fresh)
    monkeypatch.setattr(cache, "has", lambda kernel: False)
    fresh.decide()
    return fresh


def test_a_loop_on_disk_runs_compiled_once_the_work_takes_longer_than_loading_it(machine, monkeypatch):
    monkeypatch.setattr(cache, "has", lambda kernel: kernel.name.endswith("total"))
    kept, other = kernel(total.function), kernel(counted.function)
    assert not kept.is_compiled
    machine.expect(WARM * 2)
    assert kept.is_compiled
    assert not other.is_compiled


def test_what_was_interpreted_counts(fresh):
    for _ in range(20):
        fresh.expect(TOGETHER / 20)
        fresh.add(TOGETHER / 19)
    assert fresh.may_compile


def test_where_nothing_can_be_kept_compiling_has_to_pay_in_one_run(fresh, monkeypatch):
    monkeypatch.setattr(cache, "folder", lambda: None)
    fresh.expect(COLD * 2)
    assert not fresh.may_compile
    fresh.expect(HOMELESS * 2)
    assert fresh.may_compile


def test_a_loop_over_very_many_numbers_is_compiled_though_nobody_said_so(fresh):
    fresh.expect_numbers(100)
    assert not fresh.compiled
    fresh.expect_numbers(10**9)
    assert fresh.may_compile


@pytest.mark.parametrize(("wish", "compiled"), [("always", True), ("never", False), ("auto", False), ("", False)])
def test_the_user_has_the_last_word(fresh, monkeypatch, wish, compiled):
    monkeypatch.setenv("DISJOIN_COMPILE", wish)
    fresh.expect(WARM / 2)
    assert fresh.compiled is compiled
    fresh.expect(COLD * 2)
    assert fresh.compiled is (wish != "never")


def test_numba_without_its_compiler_means_interpreted(fresh, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    fresh.expect(COLD * 9)
    assert not fresh.compiled


def test_another_wish_is_one_sentence(fresh, monkeypatch):
    monkeypatch.setenv("DISJOIN_COMPILE", "sometimes")
    with pytest.raises(InvalidParameter, match="DISJOIN_COMPILE must be one of auto, always, never, got 'sometimes'"):
        fresh.expect(1)


def test_hashes_overflow_without_a_word(monkeypatch):
    monkeypatch.setattr(deciding.decision, "compiled", False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mixed(np.int64(2**40)) == (2**40 * 0x9E3779B97F4A7C15) % 2**64


def test_numbers_of_few_bits_never_wrap_unheard(monkeypatch):
    monkeypatch.setattr(deciding.decision, "compiled", False)
    with pytest.raises(FloatingPointError):
        counted(np.array([2**30], dtype=np.int32), 4)


COMMANDS = """
import sys
from disjoin.cli.startup import block_optional_imports
from disjoin.cli.main import run

block_optional_imports()
source, release = sys.argv[1:]
for command in (
    ["generate", "baskets", "--records", "3000", "--seed", "1", "-o", source],
    ["disassociate", source, "-k", "5", "-m", "2", "-o", release, "--quiet"],
    ["verify", release],
    ["show", release, "--typical"],
    ["support", release, "milk"],
    ["mine", release, "--top", "5"],
):
    code = run(command)
    assert code == 0, command
    heavy = {"numba", "llvmlite", "pandas"} & set(sys.modules)
    assert not heavy, (command, heavy)
"""


def test_three_thousand_baskets_need_no_compiler(tmp_path):
    environment = os.environ | {"DISJOIN_COMPILE": "auto", "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    program = f"from disjoin.jit import cache\ncache.has = lambda kernel: False\n{COMMANDS}"
    arguments = [sys.executable, "-c", program, str(tmp_path / "baskets.csv"), str(tmp_path / "release")]
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
