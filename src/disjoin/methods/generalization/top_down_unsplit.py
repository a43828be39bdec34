"""Rows that are taken back from a split, so that those that stay behind are a class as demanded (section D.4)."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from disjoin.jit.compiled import inner
from disjoin.methods.generalization.diversity import clear, count, holds


@inner
def unspecialise(kids, work, demands, tally, stayers, found, staying):
    """Move rows of fine kids to those that stay until these are as demanded; return how many stay then.

    A kid that cannot spare a row is given up as a whole.
    """
    _list_runs(kids, work, found)
    attempt = 0
    while not holds(demands, stayers, staying):
        kid = _largest(kids, found)
        if kid < 0:
            break
        attempt += 1
        run = _rarest(kids, work, stayers, kid, attempt)
        while run >= 0 and not _bears(kids, work, demands, tally, kid, run):
            work.run_tried[run] = attempt
            run = _rarest(kids, work, stayers, kid, attempt)
        if run < 0:
            staying += kids.sizes[kid]
            kids.is_fine[kid] = False
            for each in range(kids.runs[kid], kids.runs[kid + 1]):
                while work.run_next[each] < work.run_end[each]:
                    _stay(work, stayers, each)
        else:
            _stay(work, stayers, run)
            kids.sizes[kid] -= 1
            staying += 1
    return staying


@inner
def _list_runs(kids, work, found):
    """Line the rows of every fine kid up by their sensitive values: one run a combination, rows in order."""
    runs = 0
    for kid in range(found):
        kids.runs[kid] = runs
        if not kids.is_fine[kid]:
            continue
        first = runs
        for i in range(kids.begins[kid], kids.begins[kid + 1]):
            combo = work.combos[work.order[work.lined[i]]]
            if work.run_of_combo[combo] < 0:
                work.run_of_combo[combo] = runs
                work.run_combo[runs] = combo
                work.run_end[runs] = 0
                work.run_tried[runs] = 0
                runs += 1
            work.run_end[work.run_of_combo[combo]] += 1
        place = kids.begins[kid]
        for run in range(first, runs):
            work.run_next[run] = place
            place += work.run_end[run]
            work.run_end[run] = work.run_next[run]
        for i in range(kids.begins[kid], kids.begins[kid + 1]):
            run = work.run_of_combo[work.combos[work.order[work.lined[i]]]]
            work.spare[work.run_end[run]] = work.lined[i]
            work.run_end[run] += 1
        for i in range(kids.begins[kid], kids.begins[kid + 1]):
            work.lined[i] = work.spare[i]
        for run in range(first, runs):
            work.run_of_combo[work.run_combo[run]] = -1
    kids.runs[found] = runs


@inner
def _largest(kids, found):
    """Return the fine kid with most rows, the one with the last node among equals; -1 if none is fine."""
    best = -1
    for kid in range(found):
        if kids.is_fine[kid] and (
            best < 0
            or kids.sizes[kid] > kids.sizes[best]
            or (kids.sizes[kid] == kids.sizes[best] and kids.nodes[kid] > kids.nodes[best])
        ):
            best = kid
    return best


@inner
def _rarest(kids, work, stayers, kid, attempt):
    """Return the run whose values are rarest among those that stay; the one with the smallest row among equals."""
    best, least = -1, 0
    for run in range(kids.runs[kid], kids.runs[kid + 1]):
        if work.run_next[run] == work.run_end[run] or work.run_tried[run] == attempt:
            continue
        rarity = 0
        for column in range(work.codes.shape[1]):
            rarity += stayers.counts[work.codes[work.run_combo[run], column]]
        if (
            best < 0
            or rarity < least
            or (rarity == least and work.lined[work.run_next[run]] < work.lined[work.run_next[best]])
        ):
            best, least = run, rarity
    return best


@inner
def _bears(kids, work, demands, tally, kid, without):
    """Tell whether a kid is still as demanded without one row of a run."""
    if demands.only_k:
        return kids.sizes[kid] - 1 >= demands.k
    for run in range(kids.runs[kid], kids.runs[kid + 1]):
        times = work.run_end[run] - work.run_next[run] - (run == without)
        for column in range(work.codes.shape[1]):
            count(tally, work.codes[work.run_combo[run], column], times)
    good = holds(demands, tally, kids.sizes[kid] - 1)
    clear(tally)
    return good


@inner
def _stay(work, stayers, run):
    """Leave the first row of a run behind."""
    work.labels[work.lined[work.run_next[run]]] = -1
    work.run_next[run] += 1
    for column in range(work.codes.shape[1]):
        count(stayers, work.codes[work.run_combo[run], column], 1)
