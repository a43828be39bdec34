"""A published table read back from a folder that nobody vouches for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from disjoin.errors import UnreadableInput
from disjoin.files.release_columns import Oddities
from disjoin.files.release_hierarchies import hierarchy_path, read_hierarchy_part
from disjoin.files.release_parts import TablesRead, files_in
from disjoin.files.release_strings import read_strings
from disjoin.forms.table.tables import BROKEN, PLAIN, TABLE, TABLES, csv_blocks
from disjoin.model.generalized import Generalized
from disjoin.model.guarantees import Promise
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.hierarchy_rows import MOST_NAMES
from disjoin.model.k_anonymity import KAnonymity
from disjoin.model.table import Role, Table
from disjoin.model.verdict import Violation

_MOST_NAMES = 2 * MOST_NAMES  # of all hierarchies of a release together


def read_generalized(folder: Path, guarantee: Promise, memory_limit: int) -> TablesRead:
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
    return TablesRead(published, rows, frozenset((*TABLES, *paths.values())))


def _roles(table: Table, guarantee: KAnonymity) -> Table:
    """Give the columns the roles that the promise knows; one that is not there is for the inspector to miss."""
    roles = dict.fromkeys(guarantee.quasi, Role.QUASI_IDENTIFIER) | dict.fromkeys(guarantee.sensitive, Role.SENSITIVE)
    return table.with_roles({name: role for name, role in roles.items() if name in table.schema.names})


def _says_the_same(file: Path, table: Table) -> bool:
    if not file.is_file():
        raise UnreadableInput("the release lacks this table.", source=str(file))
    with file.open("rb") as stream:
        return all(stream.read(len(block)) == block for block in csv_blocks(table)) and not stream.read(1)


def _require_bounded(hierarchies: Iterable[Hierarchy], file: Path) -> None:
    """Refuse one hierarchy more if all together would take minutes to inspect."""
    cells = sum(tree.n_leaves * (tree.height + 1) for tree in hierarchies)
    if cells > _MOST_NAMES:
        message = (
            f"the hierarchies of a release have at most {_MOST_NAMES:,} names in their rows, with this one {cells:,}."
        )
        raise UnreadableInput(message, source=str(file))
