"""Tells whoever listens that a loop is being compiled, and keeps count: how many, and how long each took."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from disjoin.compiling.kernel import Kernel

seconds: dict[str, list[float]] = {}


def begin(kernel: Kernel) -> float:
    return time.process_time()


def end(kernel: Kernel, began: float) -> None:
    name = f"{kernel.function.__module__}.{kernel.function.__qualname__}"
    seconds.setdefault(name, []).append(time.process_time() - began)
