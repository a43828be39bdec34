"""What may be overwritten: only files that we would write, and that are as we wrote them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from stat import S_ISREG
from typing import Any

from disjoin.files.wording import quoted
from disjoin.releases.datapackage import fingerprint

NOT_A_FOLDER = "it is not a folder. Choose another place."
NOT_TO_BE_SEEN = "you may not look into it. Choose another place."


def objection_to_files(
    present: Mapping[str, Path], stated: Mapping[str, Any], is_known: Callable[[str], bool], whole: str
) -> str | None:
    """Say why files must not be overwritten and what to do, or None if all are as stated of the `whole`.

    What is overwritten is gone, so what is stated is not enough: every file must also be one that is known to belong
    there, and a file, not a link.
    """
    for path, file in present.items():
        name, facts = quoted(path), stated.get(path)
        if not isinstance(facts, Mapping) or not is_known(path):
            found = f"it holds {name}, which is not a part of the {whole} in it."
        elif not S_ISREG(file.lstat().st_mode):
            found = f"{name} in it is a link, a folder or another thing, where a {whole} has a file."
        elif not _is_as_stated(file, facts):
            found = f"{name} in it is not as it was when the {whole} was written."
        else:
            continue
        return f"{found} Move {name} away, or choose another place."
    return None


def _is_as_stated(file: Path, facts: Mapping[str, Any]) -> bool:
    """Compare the size first, as a file of another size need not be read."""
    if facts.get("bytes") != file.stat().st_size:
        return False
    return all(facts.get(key) == value for key, value in fingerprint(file).items())
