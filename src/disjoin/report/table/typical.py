"""Which class is good to look at: a function of the published content, so that it can be shown in a release."""

from __future__ import annotations

import numpy as np

from disjoin.model.arrays import Flags, Ints64
from disjoin.model.table import Role
from disjoin.report.table.classes import Classes
from disjoin.report.table.sensitive import entries_of


def typical_class(classes: Classes) -> int:
    """Choose a class of usual size that generalises some columns and keeps others, with a few different values."""
    usual = int(np.sort(classes.sizes)[len(classes) // 2])
    odd = 60 * (abs(classes.sizes - usual) > usual // 2) + 4 * np.minimum(_outside(classes.sizes, 4, 10), 20)
    changed = sum((_generalised(classes, name).astype(np.int64) for name in classes.quasi), np.zeros_like(odd))
    odd += 40 * (changed == 0) + 20 * (changed == len(classes.quasi)) + 3 * _outside(changed, 1, 3)
    telling = next(iter((*classes.table.schema.with_role(Role.SENSITIVE), *classes.others)), None)
    if telling is not None:
        different = np.bincount(entries_of(classes, telling).classes, minlength=len(classes))
        odd += 8 * np.minimum(_outside(different, 2, 6), 20)
    return int(np.argmin(odd))


def _generalised(classes: Classes, name: str) -> Flags:
    """Tell for every class whether its value of a quasi-identifier stands for several; any text is borne."""
    table, tree = classes.table, classes.table.hierarchies.get(name)
    leaves = set() if tree is None else set(tree.names.slice(0, tree.n_leaves).to_pylist())
    values = table.values_of(name).to_pylist()
    several = np.array([v[:1] in ("[", "*") if tree is None else v not in leaves for v in values], dtype=np.bool_)
    return several[table.codes_of(name)[classes.rows[classes.offsets[:-1]]]]


def _outside(values: Ints64, least: int, most: int) -> Ints64:
    return np.maximum(least - values, 0) + np.maximum(values - most, 0)
