"""Tables that other tools made, judged by what is promised of them."""

from __future__ import annotations

from disjoin.errors import InvalidParameter
from disjoin.model import KAnonymity, Table, Verdict
from disjoin.model.k_anonymity import XYAnonymity
from disjoin.verify.table import shape as table_shape
from disjoin.verify.table.inspection import TableInspection, with_people
from disjoin.verify.table.original import Comparison


def judge(table: Table, promise: KAnonymity | XYAnonymity, original: Table | None = None) -> Verdict:
    """Say whether a table keeps a promise, however it was made and whatever its rows are ordered by.

    Tested is what the promise says (T1 as far as there must be rows, T3-T6 or X1) and, with the original, U1 and U3,
    and U4 and U5 where people are promised.
    The roles of columns are those of the promise; `table.hierarchies` say what its values mean. Columns of the original
    may be missing. A column of the promise that the table does not have is an error.

    >>> table = Table.from_columns({"age": ["30", "30", "41"], "disease": ["flu", "cold", "flu"]})
    >>> verdict = judge(table, KAnonymity(2, "age"))
    >>> print(*verdict.violations)
    T3 at the class of row 2: it has 1 row, at least 2 are needed. (age: 41)
    >>> verdict.facts
    {'classes': 2, 'largest_k': 1}
    """
    if isinstance(promise, XYAnonymity):
        named, quasi = (*promise.x, *promise.y), (*promise.x, *promise.y)
    else:
        named, quasi = (*promise.quasi, *promise.sensitive), promise.quasi
    for name in named:
        table.schema.position(name)  # complains
    if original is not None and not isinstance(original, Table):
        raise InvalidParameter(
            f"a table is compared with the Table that it was made from, got {type(original).__name__}."
        )
    inspection = TableInspection(table, promise)
    inspection.findings += table_shape.check_rows(table)
    if len(table):
        inspection.keep_promise()
        if original is not None:
            inspection.compare(Comparison.of(table, with_people(original, promise), quasi), None, all_columns=False)
    return inspection.verdict()
