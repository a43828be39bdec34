"""Compiled kernels on disk: which are still true, and all of them compiled before the workers start.

numba keeps a compiled kernel until its own file changes; it does not see that something which the kernel calls has
changed. So every file with kernels has a fingerprint: of its text, and of the text of all that it imports at its top.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numba

SOURCE = Path(__file__).parent.parent / "src" / "disjoin"
COMPILED = re.compile(r"^from disjoin\.(jit\.compiled|verify\.counting) import", re.MULTILINE)
STAMP = "kernels.json"  # beside the compiled files of the package, where git does not look


def fingerprints(source: Path = SOURCE) -> dict[str, str]:
    """Return the fingerprint of each file that has kernels, by its path below the package."""
    found = {}
    for file in sorted(source.rglob("*.py")):
        if COMPILED.search(file.read_text(encoding="utf-8")):
            found[file.relative_to(source).as_posix()] = _fingerprint(file, source)
    return found


def forget_stale(source: Path = SOURCE) -> bool:
    """Delete what was compiled from other sources than today's; say whether anything has to be compiled anew."""
    now, before = fingerprints(source), _stamp(source)
    stale = [name for name in now if before.get(name) != now[name]]
    for name in stale:
        file = source / name
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.nb[ic]"):
            compiled.unlink(missing_ok=True)
    return bool(stale)


def remember(source: Path = SOURCE) -> None:
    """Note that what is compiled now comes from today's sources."""
    (source / "__pycache__").mkdir(exist_ok=True)
    (source / "__pycache__" / STAMP).write_text(json.dumps(fingerprints(source) | {"numba": numba.__version__}))


def compile_all() -> None:
    """Compile what most tests need, in two processes that share no kernel; what they miss is compiled when called."""
    command = [sys.executable, "-W", "ignore", "-P", str(Path(__file__).with_name("warming.py"))]
    for process in [subprocess.Popen([*command, half]) for half in ("sets", "tables")]:
        process.wait()


def _stamp(source: Path) -> dict[str, str]:
    try:
        before: dict[str, str] = json.loads((source / "__pycache__" / STAMP).read_text())
    except (OSError, ValueError):
        return {}
    return before if isinstance(before, dict) and before.get("numba") == numba.__version__ else {}


def _fingerprint(file: Path, source: Path) -> str:
    seen: set[Path] = set()
    waiting = [file]
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting += _imported(one.read_text(encoding="utf-8"), source)
    digest = hashlib.sha256()
    for one in sorted(seen):
        digest.update(one.relative_to(source).as_posix().encode() + b"\0" + one.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def _imported(text: str, source: Path) -> list[Path]:
    """Files of the package that a file with this text imports at its top, whatever is imported of them."""
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == source.name:
            place = source.joinpath(*(node.module or "").split(".")[1:])
            found += [place.with_suffix(".py"), place / "__init__.py"]
            found += [place / f"{alias.name}.py" for alias in node.names]
    return [one for one in found if one.is_file()]
