"""One function a method, for who writes Python: data in, a release out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from disjoin.engines.local import Local
from disjoin.errors import InvalidParameter
from disjoin.files.hierarchies import hierarchy_from, read_hierarchies
from disjoin.files.reading import as_transactions
from disjoin.files.table_reading import as_table
from disjoin.methods.apriori import Apriori
from disjoin.methods.cahd import Cahd
from disjoin.methods.contract import Method
from disjoin.methods.diffpart import DiffPart
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.generalization import Generalization
from disjoin.model import Hierarchy, Release, Role, Table
from disjoin.pipeline import publish
from disjoin.progress import Progress, silent


def disassociate(
    data: object,
    k: int = 5,
    m: int = 2,
    *,
    threads: int = 0,
    progress: Progress = silent,
    **parameters: Any,
) -> Release:
    """Publish records by disassociation; raises unless the inspector accepts the outcome.

    `data` is what `disjoin.read` returns, a list of sets, or a table (pyarrow, pandas, polars, duckdb). `parameters`
    are those of `disjoin.Disassociation`: clustering, max_cluster_size, strategy, ties, sensitive, l and others.
    """
    return _released(data, Disassociation(k=k, m=m, **parameters), threads, progress)


def cahd(
    data: object,
    sensitive: Iterable[str] | str = (),
    p: int = 10,
    *,
    progress: Progress = silent,
    **parameters: Any,
) -> Release:
    """Publish records in groups that hide the `sensitive` items; raises unless the inspector accepts the outcome.

    `data` is what `disjoin.read` returns, a list of sets, or a table (pyarrow, pandas, polars, duckdb). `parameters`
    are those of `disjoin.Cahd`: alpha, order, grouping, random_sensitive, seed, published_check.
    """
    hidden: Any = sensitive  # one item or several: the method sorts that out
    return _released(data, Cahd(p=p, sensitive=hidden, **parameters), 1, progress)


def generalize(
    data: object,
    k: int = 5,
    quasi: Iterable[str] | str = (),
    *,
    hierarchies: Mapping[str, Hierarchy] | str | Path | None = None,
    progress: Progress = silent,
    **parameters: Any,
) -> Release:
    """Publish a table with its `quasi`-identifiers generalised; raises unless the inspector accepts the outcome.

    `data` is a pyarrow, pandas, polars or duckdb table, a dict of columns, a list of dicts or a `Table`. `hierarchies`
    are by column, or in a folder; a column of numbers does without. `parameters` are those of
    `disjoin.Generalization`: sensitive, identifiers, algorithm, alpha, l, entropy_l and others.
    """
    named: Any = quasi
    method = Generalization(k=k, quasi=named, **parameters)
    table = as_table(data)
    if isinstance(hierarchies, (str, Path)):
        named = (*method.quasi, *table.schema.with_role(Role.QUASI_IDENTIFIER))
        hierarchies = hierarchies_of(table, dict.fromkeys(named), hierarchies)
    if hierarchies is not None:
        if not isinstance(hierarchies, Mapping):
            raise InvalidParameter(f"hierarchies must be a folder or by column, got {type(hierarchies).__name__}.")
        table = table.with_hierarchies({**table.hierarchies, **hierarchies})
    return _released(table, method, 1, progress)


def generalize_items(
    data: object,
    k: int = 5,
    m: int = 2,
    *,
    hierarchy: Hierarchy | str | Path | None = None,
    progress: Progress = silent,
    **parameters: Any,
) -> Release:
    """Publish records with rare terms generalised; raises unless the inspector accepts the outcome.

    `data` is what `disjoin.read` returns, a list of sets, or a table (pyarrow, pandas, polars, duckdb). `hierarchy`
    says what terms generalise to, itself or as a file; without one, terms are grouped by name. `parameters` are those
    of `disjoin.Apriori`: fan_out, algorithm.
    """
    method = Apriori(k=k, m=m, hierarchy=hierarchy_from(hierarchy), **parameters)
    return _released(data, method, 1, progress)


def diffpart(data: object, epsilon: Any = 1, *, progress: Progress = silent, **parameters: Any) -> Release:
    """Publish records made up from noisy counts, which hardly depend on any one record; needs the extra dp.

    `data` is what `disjoin.read` returns, a list of sets, or a table (pyarrow, pandas, polars, duckdb). `parameters`
    are those of `disjoin.DiffPart`: domain, fan_out, prune, keep. Every call spends `epsilon` again.
    """
    return _released(data, DiffPart(epsilon=epsilon, **parameters), 1, progress)


def hierarchies_of(table: Table, columns: Iterable[str], folder: str | Path) -> dict[str, Hierarchy]:
    """Return the hierarchies that a folder has of the table's columns; about unknown columns the method complains."""
    return read_hierarchies(folder, [name for name in columns if name in table.schema.names])


def _released(data: object, method: Method, threads: int, progress: Progress) -> Release:
    records = as_table(data) if method.takes == "table" else as_transactions(data)
    for note in method.warnings(records):
        warnings.warn(note, UserWarning, stacklevel=3)
    return publish(records, method, Local(threads), progress).release
