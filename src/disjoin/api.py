"""Publishers as Python functions, one per method, and export and deposit of a release.

A publisher takes every setting of its method by name, written out for editors and type checkers. A test compares the
signatures with the settings.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from disjoin.errors import InvalidParameter, NotAnonymous, OutputExists, require_kind
from disjoin.forms.registry import FORMS
from disjoin.methods.apriori import Apriori
from disjoin.methods.cahd import Cahd
from disjoin.methods.contract import Method
from disjoin.methods.diffpart import DiffPart
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.generalization import Generalization
from disjoin.methods.mixed import MixedDisassociation
from disjoin.methods.settings import settings_of
from disjoin.model import Hierarchy, Release, Table
from disjoin.parquet.tables import files_in, paths_of
from disjoin.pipeline import load, verify, verify_written
from disjoin.plan import Plan
from disjoin.progress import Progress, silent
from disjoin.readers.databases import write_tables
from disjoin.readers.hierarchies import hierarchy_from
from disjoin.readers.people import as_people
from disjoin.readers.read import as_transactions
from disjoin.readers.tables import as_table
from disjoin.release.deposit import DEPOSIT_FILES, Deposit, add_deposit
from disjoin.release.destination import as_destination, whole_or_nothing
from disjoin.release.reader import read_release
from disjoin.text import printable

if TYPE_CHECKING:
    import pyarrow as pa


Names = Iterable[str] | str  # several, or one
Number = Fraction | float | str  # 0.5 or "1/2"
Made = TypeVar("Made", bound=Method)


def disassociate(
    data: object,
    k: int = 5,
    m: int = 2,
    *,
    clustering: Literal["horpart", "core", "core-horpart", "pruned", "auto", "bounded"] = "horpart",
    max_cluster_size: int | None = None,
    max_exposed: Number = 0,
    cover_aware: Number | None = None,
    slack: int = 0,
    strategy: Literal["abandon", "abandon-next", "suppression", "adding", "remaining", "cardiff"] = "cardiff",
    ties: Literal["lex", "first"] = "lex",
    refine: bool = True,
    refine_mode: Literal["safe", "paper"] = "safe",
    refine_builder: Literal["levels", "pairs"] = "levels",
    refine_passes: int | None = None,
    max_joint_size: int | None = None,
    sensitive: Names = (),
    sensitive_match: Literal["exact", "loose"] = "exact",
    allow_missing_sensitive: bool = False,
    l: int | None = None,  # noqa: E741 - the papers' name
    min_people: int | None = None,
    rare: Literal["leave-out", "category", "other"] = "leave-out",
    hierarchy: Hierarchy | str | Path | None = None,
    threads: int = 0,
    progress: Progress = silent,
) -> Release:
    """Publish records by disassociation; raises unless the verifier accepts the outcome.

    data: the result of `disjoin.read`, a list of sets, or a table (pyarrow, pandas, polars, duckdb).
    k, m: every set of up to m known terms must fit at least k records.
    clustering: how records are grouped: by frequent terms, around a core that is already anonymous, or the best.
    max_cluster_size: split clusters with that many records or more; by default 20 times the larger of k and l.
    max_exposed: with "bounded", this share of a cluster's records may show m + 1 terms that fewer than k have.
    cover_aware: in no chunk may up to m known terms imply another with this confidence or more; 1 excludes certainty.
    slack: an attacker who also knows that many whole records must still find k candidates among the others.
    strategy, ties: how to treat parts that are too small; which of equally frequent terms to split on.
    refine: join clusters that share rare terms, which publishes counts of these.
    refine_mode: the conditions for a joint cluster; "paper" is not proven.
    refine_builder: join many clusters at once, or two by two.
    refine_passes: stop joining after that many passes; by default when nothing can be joined.
    max_joint_size: the largest number of records in a joint cluster.
    sensitive: terms that go to term chunks only; "B20*" means all that begin with B20.
    sensitive_match: other spellings of a sensitive term are refused ("exact"), or treated as sensitive ("loose").
    allow_missing_sensitive: continue if a sensitive term does not occur in the data.
    l: in every cluster, at most one record in l may have the same sensitive term.
    min_people, rare, hierarchy: publish no term that fewer people have; leave it out, or use its category or "other".
    threads, progress: number of threads, 0 for one per core; an object that receives progress reports.
    """
    return _run(Plan(method=_method(Disassociation, locals()), source=as_transactions(data), threads=threads), progress)


def cahd(
    data: object,
    sensitive: Names = (),
    p: int = 10,
    *,
    sensitive_match: Literal["exact", "loose"] = "exact",
    allow_missing_sensitive: bool = False,
    random_sensitive: int | None = None,
    seed: int = 0,
    alpha: int = 3,
    order: Literal["bipartite", "aat"] = "bipartite",
    grouping: Literal["blind", "paper"] = "blind",
    published_check: bool = False,
    min_people: int | None = None,
    rare: Literal["leave-out", "category", "other"] = "leave-out",
    hierarchy: Hierarchy | str | Path | None = None,
    progress: Progress = silent,
) -> Release:
    """Publish records in groups that hide the sensitive items; raises unless the verifier accepts the outcome.

    data: the result of `disjoin.read`, a list of sets, or a table (pyarrow, pandas, polars, duckdb).
    sensitive: the sensitive items; "B20*" means all that begin with B20.
    p: in a group, at most one record in p may have the same sensitive item.
    sensitive_match: other spellings of a sensitive item are refused ("exact"), or treated as sensitive ("loose").
    allow_missing_sensitive: continue if a sensitive item does not occur in the data.
    random_sensitive: treat that many random items as sensitive, for experiments as in the papers.
    seed: for random_sensitive: the same seed selects the same items.
    alpha: search a group among the alpha times p nearest records on either side.
    order: how similar records are placed near each other: by the graph of records and items, or of records alone.
    grouping: form groups by ordinary items alone, or around each record with a sensitive item, which reveals it.
    published_check: with grouping "paper": test groups as printed in the paper, for comparison; may leave unsafe ones.
    min_people, rare, hierarchy: publish no item that fewer people have; leave it out, or use its category or "other".
    progress: an object that receives progress reports.
    """
    return _run(Plan(method=_method(Cahd, locals()), source=as_transactions(data), threads=1), progress)


def generalize(
    data: object,
    k: int = 5,
    quasi: Names = (),
    *,
    hierarchies: Mapping[str, Hierarchy] | str | Path | None = None,
    sensitive: Names = (),
    sensitive_match: Literal["exact", "loose"] = "exact",
    identifiers: Names = (),
    others: Names = (),
    drop_unassigned: bool = False,
    role: Mapping[str, str] | Names = (),
    person: str | None = None,
    one_row_per_person: bool = False,
    similar_ids: Literal["error", "merge", "keep"] = "error",
    algorithm: Literal["two-level", "kaca", "top-down", "top-down-kaca", "local-search"] = "local-search",
    alpha: Number | None = None,
    l: int = 1,  # noqa: E741 - the papers' name
    entropy_l: Number | None = None,
    c: Number | None = None,
    t: Number | None = None,
    t_distance: Literal["equal", "ordered", "hierarchical"] = "equal",
    beta: Number | None = None,
    enhanced_beta: bool = False,
    delta: Number | None = None,
    stub: bool = True,
    partition_size: int | None = None,
    retries: int = 0,
    suppress: Number | None = None,
    population: object = None,
    k_map: int | None = None,
    least_presence: Number | None = None,
    most_presence: Number | None = None,
    weights: Literal["uniform", "height"] = "uniform",
    whole_cells: bool = False,
    min_people: int | None = None,
    rare: Literal["leave-out", "category", "other"] = "leave-out",
    progress: Progress = silent,
) -> Release:
    """Publish a table with its quasi-identifiers generalised; raises unless the verifier accepts the outcome.

    data, hierarchies: a pyarrow, pandas, polars or duckdb table, a dict or `Table`; trees by column, or in a folder.
    k, quasi: every row has the same values in these columns, which an attacker may know, as at least k - 1 others.
    sensitive, sensitive_match: columns that must not be learned; "loose" counts spellings of a value as one.
    identifiers, others: columns that name a person, which are not published; columns that are published unchanged.
    drop_unassigned: do not publish columns without a role, which otherwise stop the run.
    role: other roles for columns that may identify people by their values, such as {"Konto": "measure:482"}.
    person, one_row_per_person, similar_ids: the column of person ids (people are counted); how to treat ids.
    algorithm, retries: how classes are formed; how often local search dissolves some of them and searches again.
    alpha, l, entropy_l, c, t, t_distance, beta, enhanced_beta, delta: limits on the sensitive values of a class.
    stub, partition_size, weights, whole_cells, suppress, progress: for KACA; TopDown-KACA; costs; lists; suppression.
    min_people, rare: publish no value of other columns that fewer people have, but *, a category or "other".
    population, k_map, least_presence, most_presence: a larger table; people per row; probability to be in the table.
    """
    method = _method(Generalization, locals())
    reading = {"hierarchies": hierarchies, "population": None if population is None else as_table(population)}
    return _run(Plan(as_table(data), method, reading=reading, threads=1), progress)


def generalize_items(
    data: object,
    k: int = 5,
    m: int = 2,
    *,
    hierarchy: Hierarchy | str | Path | None = None,
    fan_out: int | None = None,
    algorithm: Literal["apriori", "direct"] = "apriori",
    min_people: int | None = None,
    rare: Literal["leave-out", "other"] = "leave-out",
    progress: Progress = silent,
) -> Release:
    """Publish records with rare terms generalised; raises unless the verifier accepts the outcome.

    data: the result of `disjoin.read`, a list of sets, or a table (pyarrow, pandas, polars, duckdb).
    k, m: every set of up to m known terms must fit at least k records.
    hierarchy: the generalisations of terms, as a `Hierarchy` or a file; without one, terms are grouped by name.
    fan_out: without a hierarchy: the number of terms in a group; by default 10.
    algorithm: repair single terms first, then pairs and so on, or all sizes at once ("direct").
    min_people, rare: publish no term that fewer people have; it is left out, or replaced by "other".
    progress: an object that receives progress reports.
    """
    return _run(Plan(method=_method(Apriori, locals()), source=as_transactions(data), threads=1), progress)


def diffpart(
    data: object,
    epsilon: Number = 1,
    *,
    domain: Iterable[str] | Hierarchy | Literal["seen"] = (),
    fan_out: int = 10,
    prune: Number = 6.75,
    keep: Number = 2.75,
    progress: Progress = silent,
) -> Release:
    """Publish synthetic records from noisy counts, with differential privacy; needs the extra dp.

    data: the result of `disjoin.read`, a list of sets, or a table (pyarrow, pandas, polars, duckdb).
    epsilon: the budget: one record changes the probability of any outcome by at most e^epsilon; every call spends it.
    domain: all possible terms, from a source other than the data: a list, a hierarchy, or "seen" for experiments.
    fan_out: that many neighbours in the sorted list of terms form a group, on every level.
    prune: drop a partition if its noisy count is below this many standard deviations of the noise, times its level.
    keep: publish a combination if its noisy count is at least this many standard deviations of the noise.
    progress: an object that receives progress reports.
    """
    return _run(Plan(method=_method(DiffPart, locals()), source=as_transactions(data), threads=1), progress)


def mixed(
    data: object,
    k: int = 5,
    m: int = 2,
    *,
    quasi: Names = (),
    role: Mapping[str, str] | Names = (),
    items: object = None,
    id: str | None = None,
    terms: str | None = None,
    split: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | str | Path | None = None,
    link: Literal["none", "chunks", "terms", "strong"] = "chunks",
    clustering: Literal["horpart", "core", "core-horpart", "auto"] = "core",
    sensitive: Names = (),
    sensitive_match: Literal["exact", "loose"] = "exact",
    allow_missing_sensitive: bool = False,
    l: int | None = None,  # noqa: E741 - the papers' name
    sensitive_columns: Names = (),
    alpha: Number | None = None,
    column_l: int = 1,
    exclusions: Names = (),
    algorithm: Literal["two-level", "kaca", "top-down", "top-down-kaca", "local-search"] = "local-search",
    min_people: int | None = None,
    rare: Literal["leave-out", "category", "other"] = "leave-out",
    hierarchy: Hierarchy | str | Path | None = None,
    threads: int = 0,
    progress: Progress = silent,
) -> Release:
    """Publish people with columns and a set of terms each; raises unless the verifier accepts the outcome.

    data: a table with a column of lists, or with a row per person; a file, a frame, or the result of `read_people`.
    k, m: an attacker who knows all of quasi and up to m terms of a person must find at least k people.
    quasi, items: columns that an attacker may know; a table with a row per person and term, joined with data.
    role: other roles for columns that may identify people by their values, such as {"Konto": "measure:482"}.
    id, terms, split: the columns of ids, not published, and of terms; the separator of terms in a cell of text.
    hierarchies: by column, or in a folder; a column of numbers needs none.
    link: which terms are published with rows, or "strong": clusters of people with similar columns.
    clustering, algorithm: how people are grouped by their terms; how rows are generalised.
    sensitive: terms that are listed by cluster only; "B20*" means all that begin with B20.
    sensitive_match, allow_missing_sensitive: "loose" includes other spellings; continue if one does not occur.
    l: in every cluster, at most one person in l may have the same sensitive term.
    sensitive_columns: columns that must not be learned about a person.
    alpha, column_l: largest share of equal rows with the same sensitive value; least number of different ones.
    exclusions: terms that never occur with values, such as "O80:sex=m".
    min_people, rare, hierarchy: publish no term that fewer people have; leave it out, or use its category or "other".
    threads, progress: number of threads, 0 for one per core; an object that receives progress reports.
    """
    method = _method(MixedDisassociation, locals())
    columns = (*method.quasi, *method.sensitive_columns)
    people = as_people(data, columns=columns, items=items, id=id, terms=terms, split=split)
    return _run(Plan(people, method, reading={"hierarchies": hierarchies}, threads=threads), progress)


def _method(kind: type[Made], given: Mapping[str, Any]) -> Made:
    """Return the method with its settings from all arguments of a function, so that none can be forgotten."""
    settings = {setting.name: given[setting.name] for setting in settings_of(kind)}
    if "hierarchy" in settings:
        settings["hierarchy"] = hierarchy_from(settings["hierarchy"])
    return kind(**settings)


def _run(plan: Plan, progress: Progress) -> Release:
    """Run a plan on data in memory, with its notes as warnings to the caller of the publisher."""
    data = plan.read()
    for note in plan.notes(data):
        warnings.warn(note, UserWarning, stacklevel=3)
    return replace(plan, source=data, reading={}).run(progress).release


# The tables of a release for programs without lists: in a database, or as CSV files.


def export(
    release: str | Path,
    *,
    database: str | None = None,
    csv: str | Path | None = None,
    prefix: str = "",
    overwrite: bool = False,
) -> dict[str, int]:
    """Copy the tables of a release into a database, or into a folder of CSV files; return the rows of each.

    release: the folder; it is verified, and not copied if it does not hold (`NotAnonymous`).
    database: postgresql://..., sqlite:FILE, duckdb:FILE, or env:NAME for an environment variable with such an address.
    csv: a folder that does not exist yet.
    prefix: the prefix of the names of the tables.
    overwrite: replace tables of a database that have these names.

    A list column becomes a separate table: `subrecords` has an `id`, and `subrecords_terms` the terms of each id. In
    `terms`, if the release has terms, each has bounds and an estimate of its number of records.
    """
    if (database is None) == (csv is None):
        raise InvalidParameter("the tables go either into a database or into a folder (csv). Give one of the two.")
    require_kind(prefix, str, "a prefix as a text")
    tables = {f"{prefix}{name}": table for name, table in flat_tables(release).items()}
    if database is not None:
        write_tables(database, tables, overwrite=overwrite)
    else:
        _write_csv(as_destination(csv), tables)
    return {name: table.num_rows for name, table in tables.items()}


def flat_tables(folder: str | Path) -> dict[str, pa.Table]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    release = load(folder)
    form = FORMS[release.published.form]
    found: dict[str, pa.Table] = {}
    if form.original is not Table:  # every term with bounds and an estimate of its records
        supports = release.terms()
        terms = pc.list_element(supports["itemset"], 0)
        found["terms"] = supports.drop_columns(["itemset"]).add_column(0, "term", terms)
    for name in form.tables:
        if name.endswith(".parquet"):
            parts = [pq.read_table(Path(folder) / path) for path in paths_of(Path(folder), name)]
            found |= _flat(Path(name).stem, pa.concat_tables(parts))
    return found


def _flat(name: str, table: pa.Table) -> dict[str, pa.Table]:
    """Return a table, and the elements of its list column as a second one that names the row of each."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = [column for column in table.column_names if pa.types.is_list(table.schema.field(column).type)]
    if not lists:
        return {name: table}
    (column,) = lists  # every form has at most one per table
    numbers = pa.array(range(table.num_rows), pa.int64())
    terms = table[column].combine_chunks()
    elements = pa.table({"id": numbers.take(pc.list_parent_indices(terms)), "term": pc.list_flatten(terms)})
    return {name: table.drop_columns([column]).add_column(0, "id", numbers), f"{name}_{column}": elements}


def _write_csv(folder: Path, tables: Mapping[str, pa.Table]) -> None:
    from pyarrow import csv

    if folder.exists():
        raise OutputExists(f"{printable(folder)} already exists. Choose another place.", folder)
    with whole_or_nothing(folder, what="The CSV files") as place:
        for name, table in tables.items():
            csv.write_csv(table, place / f"{name}.csv", csv.WriteOptions(quoting_style="needed"))


# A release prepared for a repository: one folder with the release and the files for Zenodo, Dataverse and others.

__all__ = ["Deposit", "deposit"]


def deposit(release: str | Path, facts: Deposit, output: str | Path) -> list[str]:
    """Write a new folder with the release and the files for repositories, and return the names of these files.
    The folder is also a release, and `verify` accepts it. Raises `NotAnonymous` for a release that does not hold."""
    folder, place = Path(release), as_destination(output)
    contents = read_release(folder)
    verdict = verify(contents, guarantee=contents.guarantee)
    if not verdict.holds:
        raise NotAnonymous(f"the release does not hold: {verdict.violations[0].without_example()}", verdict)
    if place.exists():
        raise OutputExists(f"{printable(place)} already exists. Choose another place.", place)
    if place.resolve().is_relative_to(folder.resolve()):
        raise InvalidParameter(f"expected a place outside the release, found {printable(place)}. Choose another place.")
    with whole_or_nothing(place, what="The deposit") as made:
        for path, file in files_in(folder).items():
            if path not in DEPOSIT_FILES:  # files of an earlier deposit
                (made / path).parent.mkdir(exist_ok=True)
                shutil.copyfile(file, made / path)
        add_deposit(made, facts)
        verify_written(made)
    return list(DEPOSIT_FILES)
