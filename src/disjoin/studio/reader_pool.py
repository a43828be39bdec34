"""Pool of reader processes, so that the server never computes."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from disjoin.errors import DisjoinError, InvalidParameter, place_of

MOST_OPEN = 3
IDLE = 600.0  # seconds after which a reader ends
PATIENCE = 120.0  # seconds for one answer
_LIMIT = 64 << 20  # bytes of one answer


class QuestionRefused(DisjoinError):
    """A reader's own words about a question."""


@dataclass(slots=True)
class OpenDesk:
    """A process with something open."""

    process: asyncio.subprocess.Process
    used: float
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Desks:
    """Readers by what they have open."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, ...], OpenDesk] = {}

    async def ask(self, program: str, arguments: tuple[str, ...], question: str, **asked: Any) -> dict[str, Any]:
        """Return the answer of the reader that has this open; one is started if there is none."""
        name = (program, *arguments)
        reader = self._open.get(name)
        if reader is None or reader.process.returncode is not None:
            reader = self._open[name] = await self._started(name)
        async with reader.turn:
            reader.used = time.monotonic()
            answer = await self._answer(name, reader, {"question": question, **asked})
        if "error" in answer:
            refused = QuestionRefused(answer["error"])
            refused.exit_code = answer["exit_code"]
            raise refused
        return dict(answer["answer"])

    async def _answer(self, name: tuple[str, ...], reader: OpenDesk, asked: dict[str, Any]) -> dict[str, Any]:
        stdin, stdout = reader.process.stdin, reader.process.stdout
        assert stdin is not None and stdout is not None, "both are pipes"
        try:
            stdin.write(json.dumps(asked).encode() + b"\n")
            await stdin.drain()
            line = await asyncio.wait_for(stdout.readline(), PATIENCE)
            return dict(json.loads(line))
        except (OSError, ValueError, TimeoutError):
            self._end(name)
            raise QuestionRefused("this took too long or too much memory, and was stopped.") from None

    async def _started(self, name: tuple[str, ...]) -> OpenDesk:
        program, *arguments = name
        while len(self._open) >= MOST_OPEN:
            self._end(min(self._open, key=lambda each: self._open[each].used))
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", f"disjoin.studio.{program}", *arguments),
            stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, limit=_LIMIT, start_new_session=True,
        )  # fmt: skip
        return OpenDesk(process, time.monotonic())

    def _end(self, name: tuple[str, ...]) -> None:
        reader = self._open.pop(name, None)
        if reader is not None and reader.process.returncode is None:
            reader.process.kill()

    def close(self, *parts: str) -> None:
        """End the readers that have something open in whose name one of the parts occurs; all, if none is given."""
        for name in list(self._open):
            if not parts or any(part in argument for part in parts for argument in name):
                self._end(name)

    async def end_all(self) -> None:
        processes = [reader.process for reader in self._open.values()]
        self.close()
        for process in processes:
            await process.wait()

    def close_idle(self) -> None:
        for name, reader in list(self._open.items()):
            if time.monotonic() - reader.used > IDLE:
                self._end(name)


def answers(desk_of: Callable[[], Any], questions: tuple[str, ...]) -> None:
    """Answer line by line until the input ends: what a reader process does."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    desk: Any = None
    for line in sys.stdin:
        asked = json.loads(line)
        is_new = desk is None
        try:
            desk = desk or desk_of()
            if asked["question"] not in questions:
                raise InvalidParameter("there is no such question.")
            answer = {"answer": getattr(desk, asked["question"])(asked)}
        except DisjoinError as error:
            answer = {"error": str(error), "exit_code": error.exit_code}
        except Exception as mistake:
            answer = {"error": f"disjoin failed unexpectedly ({place_of(mistake)}).", "exit_code": 70}
        out.write(json.dumps(answer) + "\n")
        out.flush()
        if is_new and desk is not None:
            desk.get_ready()
