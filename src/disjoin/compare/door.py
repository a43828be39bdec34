"""Methods side by side, for anyone who writes Python: `disjoin.compare`."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from disjoin.compare.comparison import Contest, compare_methods, contenders_named
from disjoin.compare.conditions import USUAL_FAN_OUT, conditions_for
from disjoin.files.reading import read
from disjoin.model import Hierarchy
from disjoin.pipeline import require_people
from disjoin.progress import Progress, silent
from disjoin.trials.folder import name_of

USUAL = ("disassociation", "apriori", "diffpart")


def compare(
    data: object,
    methods: Iterable[str] | str = USUAL,
    k: int = 5,
    m: int = 2,
    *,
    epsilon: Fraction | float | str = 1,
    hierarchy: Hierarchy | str | Path | None = None,
    fan_out: int = USUAL_FAN_OUT,
    seed: int | None = None,
    top: int = 1000,
    threads: int = 0,
    progress: Progress = silent,
) -> Contest:
    """Let methods publish the same records, each in a process of its own, and return what each loses and takes.

    A method that fails is an entry that says why; raises if all fail. The figures are facts about the original: they
    are for the data steward and must not be published.

    data: what `disjoin.read` takes: a path, a list of sets or a table.
    methods: those who take part; an unknown name lists all.
    k, m: crowds to hide in, and terms that somebody may know.
    epsilon: the budget of those who add noise.
    hierarchy: of the terms, itself or as a file; built over the sorted terms, if not given.
    fan_out: children of a node in trees that are built.
    seed: draw noise from a seed: for trials only; noise to be relied on, if not given.
    top: how many itemsets are compared.
    threads, progress: how many threads, 0 for one per core; and an object that is told how far the work is.

    >>> contest = compare([{"tea", "milk"}, {"tea", "jam"}, {"milk"}] * 5, "apriori", k=3)
    >>> contest, contest.to_table().column_names
    (Contest(1 method, 15 records), ['method', 'measure', 'value'])
    """
    names = [methods] if isinstance(methods, str) else list(methods)
    contenders_named(names)  # complains before any work is done
    records = read(data)
    require_people(records)
    agreed = conditions_for(
        records, hierarchy, k=k, m=m, epsilon=epsilon, fan_out=fan_out, seed=seed, top=top, threads=threads
    )
    return compare_methods(records, names, agreed, of=name_of(data), progress=progress)
