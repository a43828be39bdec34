"""Folder of the studio: private, with names chosen by the server."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from disjoin.atomic import held
from disjoin.errors import CannotWrite, InvalidParameter, Placeholder, Remedy

_SUFFIX = re.compile(r"(\.[a-z0-9]{1,8}){0,2}")
VARIABLE = "DISJOIN_STUDIO_HOME"


def usual_home() -> Path:
    if given := os.environ.get(VARIABLE):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "disjoin" / "studio"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "disjoin" / "studio"


def new_id() -> str:
    """Return a name that cannot be guessed: 128 random bits."""
    return secrets.token_hex(16)


def is_id(text: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{32}", text) is not None


@dataclass(frozen=True, slots=True)
class Home:
    """Where everything is; every path below it is made of ids and of names from this file."""

    path: Path

    def prepare(self) -> Home:
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.path.chmod(0o700)
            for name in ("uploads", "data", "jobs", "releases", "keys"):
                (self.path / name).mkdir(exist_ok=True, mode=0o700)
        except OSError as failure:
            raise CannotWrite(
                f"the studio cannot write its folder: {failure.strerror}.",
                remedies=[Remedy("home", Placeholder("FOLDER"), "choose another folder")],
            ) from failure
        return self

    @property
    def database(self) -> Path:
        return self.path / "studio.db"

    def upload(self, upload_set: str, number: int) -> Path:
        return self._of("uploads", upload_set) / f"{number:04d}"

    def data(self, data: str) -> Path:
        return self._of("data", data)

    def source(self, data: str, name: str, number: int = 0) -> Path:
        """The copy of an uploaded original; of its name only the suffix is kept, which readers look at."""
        return self.data(data) / f"source{number or ''}{safe_suffix(name)}"

    def job(self, job: str) -> Path:
        return self._of("jobs", job)

    def release(self, release: str) -> Path:
        """The folder around a release; the release itself is `release` in it."""
        return self._of("releases", release)

    def secret(self, name: str) -> str:
        """Return a secret of this folder, made when it is first asked for."""
        file = self.path / name
        if not file.exists():
            self.write(file, secrets.token_urlsafe(32).encode())
        return file.read_text(encoding="ascii")

    def write(self, file: Path, content: bytes) -> None:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)

    def size(self) -> int:
        return sum(each.stat().st_size for each in self.path.rglob("*") if each.is_file() and not each.is_symlink())

    def remove(self) -> None:
        """Remove everything; refuse while a studio is running here."""
        if not self.path.exists():
            return
        if is_held(self.path / "running"):
            raise InvalidParameter("a studio is running there. Stop it first, with Ctrl-C.")
        shutil.rmtree(self.path)

    def _of(self, kind: str, name: str) -> Path:
        assert is_id(name), "an id is made by the server and checked at its door"
        return self.path / kind / name


def safe_suffix(name: str) -> str:
    """Return what a name ends with, if that is harmless: at most two short parts, as in .csv.gz.

    >>> safe_suffix("Baskets 2024.CSV.gz"), safe_suffix("../../etc/passwd"), safe_suffix("a.b/c")
    ('.csv.gz', '', '')
    """
    suffix = "".join(Path(name.replace("\\", "/")).suffixes[-2:]).lower()
    if not _SUFFIX.fullmatch(suffix):
        suffix = Path(name).suffix.lower()
    return suffix if _SUFFIX.fullmatch(suffix) else ""


def is_held(file: Path) -> bool:
    """Return whether a living process holds the lock of a file."""
    if not file.exists():
        return False
    try:
        with held(file):
            return False
    except OSError:
        return True
