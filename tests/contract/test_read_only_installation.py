"""A container, cron or systemd: the package cannot be written to, and there is no home."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import disjoin

SOURCE = Path(disjoin.__file__).parent


def test_the_command_works_where_nothing_can_be_kept(tmp_path: Path) -> None:
    package = tmp_path / "site" / "disjoin"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (package, *(each for each in package.rglob("*") if each.is_dir())):
        (folder / "__pycache__").write_text("")  # a file in its place: not even root can keep anything here
    baskets = tmp_path / "baskets.txt"
    baskets.write_text("".join(f"bread milk t{i % 7} u{i % 11}\n" for i in range(300)), encoding="utf-8")
    nowhere = {"HOME": "/dev/null/home", "XDG_CACHE_HOME": "/dev/null/cache", "PYTHONPATH": str(package.parent)}
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ} | nowhere
    command = [sys.executable, "-m", "disjoin", "disassociate", str(baskets), "-k", "5", "-m", "2", "-o", "release"]

    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)

    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    assert (tmp_path / "release" / "report.html").is_file()
