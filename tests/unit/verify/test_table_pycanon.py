"""What tables keep, by our inspector and by pycanon, whose numbers were recorded or are asked for anew."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
RECORDED = [  # of the tables of seeds 0 to 7, by pycanon 1.3.6
    {"k": 5, "alpha": 0.8, "l": 2, "entropy_l": 1},
    {"k": 11, "alpha": 0.6470588235294118, "l": 2, "entropy_l": 1},
    {"k": 8, "alpha": 0.625, "l": 3, "entropy_l": 2},
    {"k": 15, "alpha": 0.7333333333333333, "l": 2, "entropy_l": 1},
    {"k": 3, "alpha": 1.0, "l": 1, "entropy_l": 1},
    {"k": 6, "alpha": 0.8333333333333334, "l": 2, "entropy_l": 1},
    {"k": 15, "alpha": 0.5384615384615384, "l": 2, "entropy_l": 1},
    {"k": 6, "alpha": 0.7692307692307693, "l": 2, "entropy_l": 1},
]


@pytest.fixture(scope="module")
def comparing() -> Any:
    spec = importlib.util.spec_from_file_location("pycanon_check", ROOT / "benchmarks" / "pycanon_check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(len(RECORDED)))
def test_pycanon_measured_the_same(comparing: Any, seed: int) -> None:
    assert comparing.agree(comparing.ours(comparing.generated(seed)), RECORDED[seed])


@pytest.mark.parametrize("name", ["k", "alpha", "l", "entropy_l"])
def test_a_difference_would_be_noticed(comparing: Any, name: str) -> None:
    other = {**RECORDED[2], name: RECORDED[2][name] + 1}
    assert not comparing.agree(comparing.ours(comparing.generated(2)), other)


@pytest.mark.slow
def test_pycanon_measures_the_same_today() -> None:
    python = os.environ.get("DISJOIN_PYCANON")
    if not python:
        pytest.skip("DISJOIN_PYCANON names no Python that has pycanon")
    command = [sys.executable, "-m", "benchmarks.pycanon_check", "--python", python]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("tables, 0 differ\n")
