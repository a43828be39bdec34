"""A published table read back from a folder that nobody vouches for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.files.release_columns import Oddities
from disjoin.files.release_parts import Reading, files_in
from disjoin.files.release_strings import read_strings
from disjoin.files.separated import SeparatedRows
from disjoin.forms.table.tables import BROKEN, PLAIN, TABLE, TABLES, csv_blocks, hierarchy_path, hierarchy_text
from disjoin.model.generalized import Generalized
from disjoin.model.guarantees import Promise
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.hierarchy_rows import MOST_NAMES
from disjoin.model.k_anonymity import KAnonymity
from disjoin.model.table import Role, Table
from disjoin.model.verdict import Violation

_LARGEST_HIERARCHY = 128 << 20  # bytes; it is read whole, and takes several times as many in memory
_MOST_NAMES = 2 * MOST_NAMES  # of all hierarchies of a release together


def read_generalized(folder: Path, guarantee: Promise, memory_limit: int) -> Reading:
    """Read the table of a release and the hierarchies of its quasi-identifiers, which the promise names.

    Raises `UnreadableInput` if there is no table, a column is not of strings, or a hierarchy is no tree. Rows that are
    out of order and values that no hierarchy has are read as they are: the inspector looks for them.
    """
    assert isinstance(guarantee, KAnonymity), "the form fits the guarantee"
    odd = Oddities(BROKEN, TABLE)
    table = _roles(read_strings(folder / TABLE, memory_limit, odd), guarantee)
    paths = {name: hierarchy_path(name) for name in guarantee.quasi}
    present = files_in(folder)
    hierarchies, rows = {}, {TABLE: len(table)}
    for name in table.schema.with_role(Role.QUASI_IDENTIFIER):
        path, file = paths[name], present.get(paths[name])
        if file is not None and not file.is_symlink():  # a link is not followed; that it is one is found elsewhere
            hierarchies[name] = read_hierarchy_part(file, path, memory_limit, odd)
            _require_bounded(hierarchies.values(), file)
            rows[path] = hierarchies[name].n_leaves
    if _says_the_same(folder / PLAIN, table):
        rows[PLAIN] = len(table)
    else:
        odd.found.append(Violation("F1", PLAIN, f"does not say what {TABLE} says"))
    published = Generalized(table.with_hierarchies(hierarchies), tuple(odd.found))
    return Reading(published, rows, frozenset((*TABLES, *paths.values())))


def _roles(table: Table, guarantee: KAnonymity) -> Table:
    """Give the columns the roles that the promise knows; one that is not there is for the inspector to miss."""
    roles = dict.fromkeys(guarantee.quasi, Role.QUASI_IDENTIFIER) | dict.fromkeys(guarantee.sensitive, Role.SENSITIVE)
    return table.with_roles({name: role for name, role in roles.items() if name in table.schema.names})


def _says_the_same(file: Path, table: Table) -> bool:
    if not file.is_file():
        raise UnreadableInput("the release lacks this table.", source=str(file))
    with file.open("rb") as stream:
        return all(stream.read(len(block)) == block for block in csv_blocks(table)) and not stream.read(1)


def read_hierarchy_part(file: Path, path: str, memory_limit: int, odd: Oddities) -> Hierarchy:
    """Read a hierarchy as a release has it; nothing is stripped, as names may begin or end with blanks."""
    if not file.is_file():
        raise UnreadableInput("expected the file of a hierarchy, found another thing.", source=str(file))
    limit = min(memory_limit, _LARGEST_HIERARCHY)
    if file.stat().st_size > limit:
        raise UnreadableInput(f"the hierarchy has more than {limit:,} bytes, the limit.", source=str(file))
    try:
        data = file.read_bytes()
        tree = Hierarchy.from_rows(SeparatedRows(_lines(data.decode())))
    except UnicodeDecodeError:
        raise UnreadableInput("expected UTF-8 text, found other bytes.", source=str(file)) from None
    except (UnreadableInput, InvalidParameter) as failure:
        raise UnreadableInput(str(failure), source=str(file)) from None
    if hierarchy_text(tree) != data:
        odd.found.append(Violation("F1", path, "is not written as hierarchies of a release are"))
    return tree


def _require_bounded(hierarchies: Iterable[Hierarchy], file: Path) -> None:
    """Refuse one hierarchy more if all together would take minutes to inspect."""
    cells = sum(tree.n_leaves * (tree.height + 1) for tree in hierarchies)
    if cells > _MOST_NAMES:
        message = (
            f"the hierarchies of a release have at most {_MOST_NAMES:,} names in their rows, with this one {cells:,}."
        )
        raise UnreadableInput(message, source=str(file))


def _lines(text: str) -> Iterator[str]:
    """Yield lines with their newlines: a name may have one in it."""
    first = 0
    while first < len(text):
        end = text.find("\n", first) + 1 or len(text)
        yield text[first:end]
        first = end
