"""Signals that ask the command line to stop: all are heard as Ctrl-C is, so that nothing half-written is left."""

from __future__ import annotations

import signal
import time
from types import FrameType

INTERRUPTED = 130
CODES = {"SIGINT": INTERRUPTED, "SIGTERM": 143, "SIGHUP": 129}
_PATIENCE = 5.0  # seconds in which further signals are part of the same wish, and do not cut tidying up short


class Stopped(KeyboardInterrupt):
    """Somebody asked us to stop; `exit_code` tells by which signal."""

    def __init__(self, exit_code: int) -> None:
        self.exit_code = exit_code
        super().__init__()


class _Listener:
    def __init__(self) -> None:
        self._heard: float | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._heard is not None and now - self._heard < _PATIENCE:
            return
        self._heard = now
        raise Stopped(CODES[signal.Signals(number).name])


def listen() -> None:
    """Let every signal that asks us to stop raise `Stopped`; one that is ignored, as under nohup, stays ignored."""
    listener = _Listener()
    for name in CODES:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, listener)
