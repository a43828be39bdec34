"""The release folder: written whole or not at all, read with a sharp eye."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from disjoin.errors import InvalidParameter
from disjoin.files.cells import objection_to_length
from disjoin.forms.form import Form
from disjoin.forms.registry import FORMS
from disjoin.model.release import Release
from disjoin.releases.descriptor import DESCRIPTOR, DOCUMENTS, describe, objection_to
from disjoin.releases.destination import as_destination, require_free
from disjoin.releases.folder import whole_or_nothing
from disjoin.releases.reader import ReleaseContents, read_release

__all__ = ["ReleaseContents", "check_destination", "read_release", "write_release"]


def check_destination(path: str | Path, *, overwrite: bool = False) -> Path:
    """Raise if a release could not be put at `path`; call it before long work.

    Only an empty folder or an older release with nothing else in it may be overwritten (else `OutputExists`). A place
    where nothing can be made is `CannotWrite`, what is no path at all `InvalidParameter`.
    """
    place = as_destination(path)
    require_free(place, overwrite=overwrite, objection_to=objection_to)
    return place


def _no_second_look(folder: Path) -> None:
    """Trust what was written."""


def _give_back_memory() -> None:
    """Let the system have what tables took that are written: what is read again needs the room."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


def _require_short(form: Form, release: Release) -> None:
    """Refuse what nobody could read back."""
    for texts in form.texts(release.published):
        if objection := objection_to_length(texts):
            raise InvalidParameter(f"{objection} Shorten it before you publish.")


def write_release(
    release: Release,
    path: str | Path,
    *,
    documents: Mapping[str, str | bytes],
    overwrite: bool = False,
    look_again: Callable[[Path], None] = _no_second_look,
) -> Path:
    """Write the release folder, whole or not at all, and return its path.

    `look_again` may inspect the complete folder before it gets its name, and refuse it by raising.

    `documents` are the pages for people by file name (README.md, report.html, report.json). Missing parent folders are
    made. Raises `InvalidParameter` for a term that is too long to be read back, `OutputExists` if the path is taken,
    `CannotWrite` if the disk says no; in any case nothing is left.
    """
    check_destination(path, overwrite=overwrite)
    assert set(documents) <= set(DOCUMENTS), "a release has no other documents"
    form = FORMS[release.published.form]
    _require_short(form, release)
    parts = form.lay_out(release.published)
    # A link is followed, so that the new release comes to lie where the old one did.
    with whole_or_nothing(Path(path).resolve(), replace=objection_to if overwrite else None) as folder:
        for name, text in documents.items():
            (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        for place, part in parts.items():
            (folder / place).parent.mkdir(exist_ok=True)
            part.write(folder / place)
        package = describe(release, folder, parts)
        (folder / DESCRIPTOR).write_text(package, encoding="utf-8", newline="\n")
        parts.clear()
        _give_back_memory()
        look_again(folder)
    return Path(path)
