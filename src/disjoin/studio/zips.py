"""Zip files of releases, unpacked without trust."""

from __future__ import annotations

import re
import shutil
import stat
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from disjoin.errors import UnreadableInput

MOST_MEMBERS = 200
MOST_BYTES = 8 << 30
LARGEST_RATIO = 200
DEEPEST = 2  # hierarchies/age.csv
_BLOCK = 1 << 20
_NAME = re.compile(r"[^\x00-\x1f\x7f/\\:*?\"<>|]{1,120}")


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """Return where each name belongs inside a folder; if one folder holds all of them, it is left out.

    >>> safe_names(["release/README.md", "release/hierarchies/age.csv"])
    {'release/README.md': 'README.md', 'release/hierarchies/age.csv': 'hierarchies/age.csv'}
    >>> safe_names(["../evil"])
    Traceback (most recent call last):
    disjoin.errors.UnreadableInput: expected the files of a release, found a name that leads out of its folder.
    """
    listed = list(names)
    if len(listed) > MOST_MEMBERS:
        raise UnreadableInput(f"expected at most {MOST_MEMBERS} files, found {len(listed):,}: this is no release.")
    parts = {name: _parts(name) for name in listed}
    while all(len(each) > 1 for each in parts.values()):
        outermost = {each[0] for each in parts.values()}
        if len(outermost) != 1 or outermost == {"hierarchies"}:
            break
        parts = {name: each[1:] for name, each in parts.items()}
    if any(len(each) > DEEPEST for each in parts.values()):
        raise UnreadableInput("expected the files of a release, found folders inside folders.")
    return {name: "/".join(each) for name, each in parts.items()}


def _parts(name: str) -> tuple[str, ...]:
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or ".." in path.parts:
        raise UnreadableInput("expected the files of a release, found a name that leads out of its folder.")
    if not all(_NAME.fullmatch(part) for part in path.parts):
        raise UnreadableInput("expected the files of a release, found a name that no file of one has.")
    return path.parts


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a zip into a new folder, or raise; sizes are counted while it is unpacked, not believed."""
    try:
        with zipfile.ZipFile(archive) as packed:
            members = [info for info in packed.infolist() if not info.is_dir()]
            places = safe_names([info.filename for info in members])
            if len(set(places.values())) < len(members):
                raise UnreadableInput("expected a zip of a release, found two files of one name.")
            left = MOST_BYTES
            for info in members:
                left -= _unpacked(packed, info, _inside(folder, places[info.filename]), left)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as failure:
        raise UnreadableInput("expected a zip of a release, found something else or a damaged one.") from failure


def _unpacked(packed: zipfile.ZipFile, info: zipfile.ZipInfo, place: Path, left: int) -> int:
    if stat.S_ISLNK(info.external_attr >> 16) or info.flag_bits & 1:
        raise UnreadableInput("expected a zip of plain files, found a link or a locked one.")
    most = min(left, max(LARGEST_RATIO * info.compress_size, _BLOCK))
    size = 0
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with packed.open(info) as source, place.open("xb") as target:
        while block := source.read(_BLOCK):
            size += len(block)
            if size > most:
                raise UnreadableInput("this zip unpacks to far more than it is: it was not unpacked.")
            target.write(block)
    return size


def put_together(files: Mapping[str, Path], folder: Path) -> None:
    for name, place in safe_names(files).items():
        target = _inside(folder, place)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.move(files[name], target)


def _inside(folder: Path, place: str) -> Path:
    target = folder / place
    if not target.resolve().is_relative_to(folder.resolve()):
        raise UnreadableInput("expected the files of a release, found a name that leads out of its folder.")
    return target


def pack(folder: Path, archive: Path, name: str) -> None:
    """Pack a folder unchanged, below `name`; equal folders give equal bytes."""
    with zipfile.ZipFile(archive, "x", zipfile.ZIP_STORED) as packed:
        for file in sorted(each for each in folder.rglob("*") if each.is_file()):
            info = zipfile.ZipInfo(f"{name}/{file.relative_to(folder).as_posix()}")
            info.external_attr = 0o644 << 16
            with packed.open(info, "w", force_zip64=True) as target, file.open("rb") as source:
                shutil.copyfileobj(source, target)
