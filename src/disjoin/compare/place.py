"""A folder of results: looked at before long work, then written whole or not at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from disjoin.files.destination import as_destination, require_free
from disjoin.files.release_folder import whole_or_nothing


@dataclass(frozen=True, slots=True)
class Kind:
    """What a folder holds: what it is called, alone and in a sentence, its files, and the one by which it is known."""

    called: str  # comparison
    one: str  # a comparison
    files: Collection[str]
    known_by: str

    @property
    def title(self) -> str:
        """How messages begin."""
        return f"The {self.called}"

    def check(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Raise if such a folder could not be put at `path`; call it before long work.

        Only an empty folder or an older one of this kind with nothing else in it may be overwritten.
        """
        place = as_destination(path)
        require_free(place, overwrite=overwrite, objection_to=self._objection, what=self.title)
        return place

    def write(self, files: Mapping[str, str], path: str | Path, *, overwrite: bool = False) -> Path:
        """Write texts into a folder, whole or not at all, and return its path."""
        place = self.check(path, overwrite=overwrite)
        with whole_or_nothing(place.resolve(), replace=overwrite, what=self.title) as folder:
            for name, text in files.items():
                (folder / name).write_text(text, encoding="utf-8", newline="\n")
        return place

    def _objection(self, folder: Path) -> str | None:
        if not folder.is_dir():
            return "it is not a folder. Choose another place."
        try:
            names = sorted(entry.name for entry in folder.iterdir())
        except PermissionError:
            return "you may not look into it. Choose another place."
        if names and self.known_by not in names:
            return f"it is not {self.one} that disjoin has written. Choose another place."
        strangers = [name for name in names if name not in self.files]
        if not strangers:
            return None
        return f"it holds {strangers[0]!r}, which is no part of {self.one}. Move that away, or choose another place."
