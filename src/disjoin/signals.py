"""Signals that stop the program (Ctrl-C, SIGTERM, SIGHUP), and time limits for cleaning up afterwards."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from types import FrameType, SimpleNamespace

INTERRUPTED = 130
CODES = {"SIGINT": INTERRUPTED, "SIGTERM": 143, "SIGHUP": 129}
_PATIENCE = 5.0  # seconds in which further signals are ignored, so that cleaning up can finish

_GRACE = 1.2  # seconds in which the program can stop by itself


# Additional seconds after a signal, if the program must wait for other processes to end.
grace = SimpleNamespace(seconds=0.0)
SAID = "Interrupted; no incomplete result remains."


class Stopped(KeyboardInterrupt):
    """A signal requested a stop; `exit_code` depends on the signal."""

    def __init__(self, exit_code: int) -> None:
        self.exit_code = exit_code
        super().__init__()


class _Listener:
    def __init__(self) -> None:
        self._heard: float | None = None

    @property
    def has_heard(self) -> bool:
        """Whether a signal has reached the program, which then reports it itself."""
        return self._heard is not None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._heard is not None and now - self._heard < _PATIENCE:
            return
        self._heard = now
        raise Stopped(CODES[signal.Signals(number).name])


def listen() -> None:
    """Raise `Stopped` for every signal that requests a stop; ignored signals, as under nohup, stay ignored."""
    listener = _Listener()
    if os.name != "nt" and threading.current_thread() is threading.main_thread():
        # A thread ends the program if it has not stopped by itself, because compiled loops handle no signals.
        heard, tell = os.pipe()
        os.set_blocking(tell, False)
        signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
        threading.Thread(target=_force_exit, args=(heard, listener), daemon=True).start()
    for name in CODES:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, listener)


def _force_exit(heard: int, listener: _Listener) -> None:
    """Wait for a signal, then a little, and end the program, after removing unfinished output."""
    from disjoin.atomic import abandon

    codes = {getattr(signal, name, None): code for name, code in CODES.items()}
    number = os.read(heard, 1)[0]
    while number not in codes:
        number = os.read(heard, 1)[0]
    time.sleep(_GRACE)
    if listener.has_heard:
        time.sleep(grace.seconds)
    abandon()
    if not listener.has_heard:
        with suppress(OSError):
            os.write(2, f"{SAID}\n".encode())
    os._exit(codes[number])
