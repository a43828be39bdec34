"""Small work is interpreted, large work compiled, and the user has the last word."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from disjoin.compiling import account as accounts
from disjoin.compiling import decision as deciding
from disjoin.compiling import kernel as looping
from disjoin.compiling import places
from disjoin.compiling.account import ALL, FILE, MachineAccount
from disjoin.compiling.decision import COLD, HOMELESS, IN_ALL_RUNS, PER_LOOP, PER_PROCESS, TOGETHER, WARM, Decision
from disjoin.compiling.fingerprint import fingerprint
from disjoin.compiling.kernel import kernel
from disjoin.errors import InvalidParameter
from unit.compiling.loops import counted, mixed, total


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """The decision of a process on a machine of its own."""
    for name in ("DISJOIN_COMPILE", "NUMBA_DISABLE_JIT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(places, "can_keep", lambda: True)
    monkeypatch.setattr(places, "folder", lambda: tmp_path)
    monkeypatch.setattr(accounts, "account", MachineAccount())
    monkeypatch.setattr(deciding.atexit, "register", lambda function: None)
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
    monkeypatch.setattr(places, "has", lambda kernel: False)
    fresh.decide()
    return fresh


def test_a_loop_on_disk_runs_compiled_once_the_work_takes_longer_than_loading_it(machine, monkeypatch):
    monkeypatch.setattr(places, "has", lambda kernel: kernel.name.endswith("total"))
    kept, other = kernel(total.function), kernel(counted.function)
    assert not kept.is_compiled
    machine.expect(WARM * 2)
    assert kept.is_compiled
    assert not other.is_compiled


@pytest.mark.parametrize("is_loaded", [True, False])
def test_a_loop_is_compiled_by_itself_once_interpreting_it_has_cost_as_much(machine, monkeypatch, is_loaded):
    monkeypatch.setitem(sys.modules, "numba", sys.modules.get("numba"))
    if not is_loaded:
        monkeypatch.delitem(sys.modules, "numba")
    loop, other = kernel(total.function), kernel(counted.function)
    price = PER_LOOP * 2 + (0 if is_loaded else PER_PROCESS)  # it calls one
    machine.expect(WARM * 2)
    machine.add(price * 0.9, loop)
    assert not loop.is_compiled
    machine.add(price * 0.2, loop)
    assert loop.is_compiled
    assert loop.is_bought
    assert not other.is_compiled


def test_a_loop_is_not_compiled_by_itself_where_it_cannot_be_kept(machine, monkeypatch):
    monkeypatch.setattr(places, "can_keep", lambda: False)
    loop = kernel(total.function)
    machine.expect(WARM * 2)
    machine.add(PER_LOOP * 9, loop)
    assert not loop.is_compiled


def run_of(seconds, *, by=total):
    """Another process on this machine, which interprets a loop for some seconds; return its decision in the end."""
    accounts.account = MachineAccount()
    process = Decision()
    process.decide()
    process.add(seconds, by)
    process.remember()
    return process


def test_a_machine_that_keeps_working_compiles_one_loop_and_in_the_end_all(machine):
    run_of(COLD - 1, by=kernel(total.function))
    accounts.account = MachineAccount()
    machine.expect(WARM * 2)
    assert kernel(total.function).is_compiled
    assert not machine.may_compile
    assert any(run_of(COLD - 1).may_compile for _ in range(round(IN_ALL_RUNS / COLD)))


def test_when_all_is_compiled_the_machine_begins_anew(machine, tmp_path):
    run_of(COLD - 1)
    assert (tmp_path / FILE).exists()
    machine.compile_from_now_on()
    machine.remember()
    assert not (tmp_path / FILE).exists()


def test_a_loop_that_is_compiled_is_struck_off(machine, tmp_path):
    loop = kernel(total.function)
    run_of(5.0, by=loop)
    run_of(4.0, by=counted)
    loop.is_bought = True
    run_of(3.0, by=loop)
    assert json.loads((tmp_path / FILE).read_text()) == {ALL: 4, fingerprint(counted): 4}


def test_a_loop_that_earlier_runs_have_paid_for_is_struck_off_though_this_one_never_interprets_it(machine, tmp_path):
    run_of(9.0, by=kernel(total.function))
    accounts.account = MachineAccount()
    machine.expect(WARM * 2)
    machine.add(WARM * 2, counted)
    assert kernel(total.function).is_compiled
    machine.remember()
    assert json.loads((tmp_path / FILE).read_text()) == {ALL: 2, fingerprint(counted): 2}


def test_the_machine_remembers_whole_seconds_and_nothing_else(machine, tmp_path):
    run_of(2.7)
    run_of(3.6, by=counted)
    assert json.loads((tmp_path / FILE).read_text()) == {ALL: 5, fingerprint(total): 2, fingerprint(counted): 3}


@pytest.mark.parametrize("content", ["", "[1]", '{"all": "many"}', "\0"])
def test_a_damaged_account_is_an_empty_one(fresh, tmp_path, content):
    (tmp_path / FILE).write_text(content)
    assert MachineAccount().before(ALL) == 0
    run_of(2.0)
    assert MachineAccount().before(ALL) == 2


def test_where_nothing_can_be_written_nothing_is_remembered(fresh, monkeypatch):
    for folder in (None, Path("/dev/null/nowhere")):
        monkeypatch.setattr(places, "folder", lambda folder=folder: folder)
        run_of(2.0)
        assert MachineAccount().before(ALL) == 0
        MachineAccount().close()


def test_what_was_interpreted_counts(fresh):
    for _ in range(20):
        fresh.expect(TOGETHER / 20)
        fresh.add(TOGETHER / 19, total)
    assert fresh.may_compile


def test_where_nothing_can_be_kept_compiling_has_to_pay_in_one_run(fresh, monkeypatch):
    monkeypatch.setattr(places, "can_keep", lambda: False)
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
from disjoin.cli.lightness import travel_light
from disjoin.cli.run import run

travel_light()
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
    program = f"from disjoin.compiling import places\nplaces.has = lambda kernel: False\n{COMMANDS}"
    arguments = [sys.executable, "-c", program, str(tmp_path / "baskets.csv"), str(tmp_path / "release")]
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
