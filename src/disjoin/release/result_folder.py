"""Result folders: checked before long work, written atomically; only files on their own list are ever overwritten."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disjoin.atomic import owner_only
from disjoin.release.destination import (
    NOT_A_FOLDER,
    NOT_TO_BE_SEEN,
    fingerprint,
    objection_to_files,
    require_free,
    whole_or_nothing,
)
from disjoin.text import json_text

LIST = "files.json"  # the other files of the folder, with sizes and hashes
_STATED = {"bytes", "hash"}
_LARGEST = 64 << 20  # bytes of a list


@dataclass(frozen=True, slots=True)
class ResultFolder:
    """A kind of folder: the beginning of messages, its name, and a pattern of the names of its files."""

    title: str  # The comparison
    called: str  # comparison
    names: str
    private: bool = False  # facts about an original: only the owner can read folder and files

    def check(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Raise, before long work, unless `path` is free, or may be overwritten: an unchanged folder of this kind."""
        return require_free(path, overwrite=overwrite, objection_to=self.objection_to, what=self.title)

    @contextmanager
    def filled(self, path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
        """Yield a hidden folder to be filled; when the block ends it gets its list of files, and its name."""
        place = self.check(path, overwrite=overwrite).resolve()
        replace = self.objection_to if overwrite else None
        with whole_or_nothing(place, replace=replace, what=self.title, private=self.private) as folder:
            yield folder
            files = {file.name: file for file in folder.iterdir()}
            assert all(self.is_known(name) for name in files), "only known files are written to such a folder"
            self._write(folder / LIST, self.list_of(files))

    def write(self, files: Mapping[str, str], path: str | Path, *, overwrite: bool = False) -> Path:
        with self.filled(path, overwrite=overwrite) as folder:
            for name, text in files.items():
                self._write(folder / name, text)
        return Path(path)

    def _write(self, file: Path, text: str) -> None:
        with open(file, "x", encoding="utf-8", newline="\n", opener=owner_only if self.private else None) as stream:
            stream.write(text)

    def list_of(self, files: Mapping[str, Path]) -> str:
        return self._list({name: fingerprint(file) for name, file in files.items()})

    def _list(self, stated: Mapping[str, Any]) -> str:
        return json_text({"of": self.called, "files": stated}, indent=1, sort_keys=True) + "\n"

    def is_known(self, name: str) -> bool:
        return re.fullmatch(self.names, name) is not None

    def objection_to(self, folder: Path) -> str | None:
        if not folder.is_dir():
            return NOT_A_FOLDER
        try:
            present = {entry.name: entry for entry in sorted(folder.iterdir())}
            return self.objection_to_these(present) if present else None
        except PermissionError:
            return NOT_TO_BE_SEEN

    def objection_to_these(self, present: Mapping[str, Path]) -> str | None:
        """Return why some files, one of which may be the list of the others, must not be overwritten, or None."""
        stated = self._stated(present[LIST]) if LIST in present else None
        if stated is None:
            return f"it is not a {self.called} from disjoin with a list of its files. Choose another place."
        files = {name: file for name, file in present.items() if name != LIST}
        return objection_to_files(files, stated, self.is_known, self.called)

    def _stated(self, file: Path) -> dict[str, Any] | None:
        try:
            if file.is_symlink() or not file.is_file() or file.stat().st_size > _LARGEST:
                return None
            text = file.read_bytes().decode("utf-8")
            stated: dict[str, Any] = json.loads(text)["files"]
            is_ours = all(facts.keys() == _STATED for facts in stated.values()) and text == self._list(stated)
        except PermissionError:
            raise  # for the caller to explain
        except (OSError, ValueError, RecursionError, TypeError, LookupError, AttributeError):
            return None
        return stated if is_ours else None
