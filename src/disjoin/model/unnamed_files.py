"""Arrays in unnamed temporary files, for small memory: inaccessible to others, and deleted with the process."""

from __future__ import annotations

import os
import tempfile
from math import prod
from mmap import mmap
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray


def room(shape: int | tuple[int, ...], dtype: Any, folder: Path) -> NDArray[Any]:
    """Return zeros in a file in that folder; raises `OSError` if the disk has no space for them.

    >>> room((2, 3), np.int32, Path(tempfile.gettempdir())).tolist()
    [[0, 0, 0], [0, 0, 0]]
    """
    size = prod(shape) if isinstance(shape, tuple) else shape
    with tempfile.TemporaryFile(dir=folder) as file:
        length = int(size) * np.dtype(dtype).itemsize
        file.truncate(length)
        if length and hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, length)  # else writing to a full disk kills the program
        return _mapped(file, dtype).reshape(shape)


class Growing:
    """An array in a file that grows at its end."""

    def __init__(self, dtype: Any, folder: Path) -> None:
        self.dtype = dtype
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `array`

    def add(self, values: NDArray[Any]) -> None:
        self._file.write(np.ascontiguousarray(values, self.dtype).data)

    def array(self) -> NDArray[Any]:
        """Return all appended items; no more can be appended."""
        with self._file as file:
            file.flush()
            return _mapped(file, self.dtype)


def _mapped(file: IO[bytes], dtype: Any) -> NDArray[Any]:
    if not os.fstat(file.fileno()).st_size:  # an empty file cannot be mapped
        return np.zeros(0, dtype)
    return np.frombuffer(mmap(file.fileno(), 0), dtype)
