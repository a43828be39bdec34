"""A release made ready for a repository: one folder with the release and what Zenodo, Dataverse and others ask for."""

from __future__ import annotations

import shutil
from pathlib import Path

from disjoin.errors import InvalidParameter, NotAnonymous, OutputExists
from disjoin.escaping import legible
from disjoin.files.release_parts import files_in
from disjoin.pipeline import look_again, verify
from disjoin.releases.deposit_facts import DEPOSIT_FILES, Deposit
from disjoin.releases.deposit_files import add_deposit
from disjoin.releases.door import read_release
from disjoin.releases.folder import as_destination, whole_or_nothing

__all__ = ["Deposit", "deposit"]


def deposit(release: str | Path, facts: Deposit, output: str | Path) -> list[str]:
    """Write a new folder with the release and the files for repositories, and return the names of these files.

    The new folder is a release: `verify` and `load` accept it, and its datapackage.json has the facts. Nothing is
    written for a folder that does not hold what it states (`NotAnonymous`).
    """
    folder, place = Path(release), as_destination(output)
    _require_sound(folder)
    if place.exists():
        raise OutputExists(f"{legible(place)} already exists. Choose another place.", place)
    if place.resolve().is_relative_to(folder.resolve()):
        raise InvalidParameter(f"expected a place outside the release, found {legible(place)}. Choose another place.")
    with whole_or_nothing(place, what="The deposit") as made:
        for path, file in files_in(folder).items():
            if path not in DEPOSIT_FILES:  # of an earlier deposit
                (made / path).parent.mkdir(exist_ok=True)
                shutil.copyfile(file, made / path)
        add_deposit(made, facts)
        look_again(made)
    return list(DEPOSIT_FILES)


def _require_sound(folder: Path) -> None:
    """Raise `NotAnonymous` unless the folder keeps what it states, tables and texts."""
    contents = read_release(folder)
    verdict = verify(contents, guarantee=contents.guarantee)
    if not verdict.holds:
        raise NotAnonymous(f"the release does not hold: {verdict.violations[0].without_example()}", verdict)
