"""Plug-ins: entries that installed packages add to lists of disjoin, through entry points."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from disjoin.errors import InvalidParameter, kind_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Entry = TypeVar("Entry")


class Registry(MutableMapping[str, Entry], Generic[Entry]):
    """Entries of disjoin and of other packages' entry points: searched for unknown names and lists, imported on use."""

    def __init__(
        self,
        group: str,
        kinds: tuple[type[Any], ...],
        entries: Mapping[str, Entry] | None = None,
        reserved: Collection[str] = (),  # further names that no plug-in may have
    ) -> None:
        self._group, self._kinds, self._reserved = group, kinds, reserved
        self._entries = dict(entries or {})
        self._found: dict[str, EntryPoint] | None = None

    def __getitem__(self, name: str) -> Entry:
        if name not in self._entries:
            self._entries[name] = self._load(self._plugins()[name])
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._plugins()

    def __iter__(self) -> Iterator[str]:
        own = list(self._entries)
        yield from own  # own entries first, then packages
        yield from [name for name in self._plugins() if name not in own]

    def __len__(self) -> int:
        return len({*self._entries, *self._plugins()})

    def __setitem__(self, name: str, entry: Entry) -> None:
        self._entries[name] = entry

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def _plugins(self) -> dict[str, EntryPoint]:
        if self._found is None:
            from importlib.metadata import entry_points

            found: dict[str, EntryPoint] = {}
            for point in sorted(entry_points(group=self._group)):
                if point.name in self._entries or point.name in self._reserved or point.name in found:
                    other = _package(found[point.name]) if point.name in found else "disjoin"
                    added = f"{_package(point)} adds {point.name!r} to {self._group}"
                    raise InvalidParameter(f"{added}, but {other} has that name already: rename or uninstall one.")
                found[point.name] = point
            self._found = found
        return self._found

    def _load(self, point: EntryPoint) -> Entry:
        what = f"the plug-in {point.name!r} of {_package(point)} ({self._group})"
        try:
            loaded: Entry = point.load()
        except Exception as failure:  # a plug-in may raise any exception
            found = f"{what} cannot be imported ({type(failure).__name__}: {failure})"
            raise InvalidParameter(f"{found}: install its requirements, or uninstall {_package(point)}.") from failure
        if not isinstance(loaded, self._kinds):
            kinds = " or ".join(kind.__name__ for kind in self._kinds)
            raise InvalidParameter(f"{what} must be a {kinds}, found {kind_of(loaded)}.")
        if getattr(loaded, "name", point.name) != point.name:
            raise InvalidParameter(f"{what} must have the same name as its entry point, found another.")
        return loaded


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "a package"
