"""Experiments with CAHD: KL divergence, settings, bandwidth and the deFinetti attack."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from disjoin.advise.results import Rows
from disjoin.attack.definetti import definetti
from disjoin.charts.svg import Chart
from disjoin.engine import Local
from disjoin.errors import InvalidParameter
from disjoin.forms.groups.facts import grid_of, matrix_facts
from disjoin.lab.claims import Claim, Judgement, expect, judged, judged_by_data
from disjoin.lab.cost import Measured, seconds_spent
from disjoin.lab.drawing import bars, by_title, density, lines
from disjoin.lab.experiment import Experiment, Point, Setting, grid, notes_on
from disjoin.lab.rows import Row, distinct, of_the_papers, rows_with
from disjoin.lab.sources import ExperimentSource
from disjoin.measure.kl import mean_kl
from disjoin.methods.cahd import GROUPINGS, ORDER_NAMES, Cahd
from disjoin.methods.cahd.cahd_groups import Prepared, groups_of, prepared
from disjoin.methods.cahd.run import draft_of, marked
from disjoin.model import Groups, Transactions
from disjoin.model.ragged import ranks_of

USUAL_P = tuple(range(4, 21, 2))  # from the paper, as are these: alpha, the items of a query, and the queries
ALPHA, R, QUERIES = 3, 4, 100
BY_CONTENT, AT_RANDOM, ONE_GROUP = "content", "random", "one group"  # instead of an order of similarity
ANATOMY = "anatomy"  # instead of a grouping of the method


@dataclass(frozen=True, slots=True)
class FormingGroups:
    """How groups are formed. `order`: the method's, `content`, `random`, or all records in `one group`; `grouping`: the
    method's, or `anatomy` (in a random order, by sensitive items only)."""

    p: int
    alpha: int = ALPHA
    order: str = ORDER_NAMES[0]
    grouping: str = "blind"


def drawn_items(data: Transactions, number: int, largest_p: int, seed: int) -> tuple[str, ...]:
    """Draw sensitive items among those that allow `largest_p`, so that they serve for every lower p too."""
    drawn = marked(Cahd(p=largest_p, random_sensitive=number, seed=seed), data)
    return tuple(drawn.sensitive_terms())


def groups_formed(data: Transactions, sensitive: tuple[str, ...], how: FormingGroups, seed: int) -> Groups:
    """Form groups without the verifier, which measures do not need; `seed` is that of a random order."""
    if how.order in ORDER_NAMES and how.grouping in GROUPINGS:
        method = Cahd(p=how.p, alpha=how.alpha, order=how.order, grouping=how.grouping, sensitive=sensitive)
        published: Groups = method.publish(data, Local()).published
        return published
    return _formed_otherwise(data.with_sensitive(sensitive), how, seed)


def _formed_otherwise(data: Transactions, how: FormingGroups, seed: int) -> Groups:
    found: Prepared = prepared(data)
    groups, number = np.zeros(len(data), dtype=np.int64), 1
    if how.order != ONE_GROUP:
        is_anatomy = how.grouping == ANATOMY
        assert is_anatomy or how.order in (BY_CONTENT, AT_RANDOM), f"no order is called {how.order}"
        is_random = is_anatomy or how.order == AT_RANDOM
        order = np.random.default_rng(seed).permutation(len(data)) if is_random else np.arange(len(data))
        rows = found.rows.in_order(order)
        if is_anatomy:  # all records are equally similar
            rows = replace(rows, ordinary=rows.ordinary.where(np.zeros(rows.ordinary.items.size, np.bool_)))
        groups[order], number = groups_of(rows, how.p, how.alpha)
    return draft_of(found, groups, number).published


def share_left_over(groups: Groups, p: int) -> float:
    entries = groups.secrets.lengths
    counts, sizes = groups.sensitive_counts, np.repeat(groups.sizes, entries)
    return float(counts[sizes > p].sum() / counts.sum())


def over_draws(name: str, values: list[float]) -> Measured:
    """Return the mean over draws of sensitive items, and the standard deviation as `spread`.

    >>> over_draws("kl", [1.0, 3.0])
    {'kl': 2.0, 'kl spread': 1.0}
    """
    return {name: statistics.fmean(values), f"{name} spread": statistics.pstdev(values)}


SIMILAR = "bipartite"
NUMBERS = (10, 20)  # sensitive items


def _points_kl(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    degrees, numbers = ((4, 8), NUMBERS[:1]) if quick else (USUAL_P, NUMBERS)
    fixed = {"alpha": ALPHA, "r": R, "queries": QUERIES, "draws": 2 if quick else 10, "largest p": degrees[-1]}
    axes = {"sensitive items": numbers, "p": degrees, "order": (SIMILAR, BY_CONTENT, AT_RANDOM, ONE_GROUP)}
    ends = (degrees[0], degrees[-1])  # records in one group are the same for every p
    found = grid(sources, axes, fixed)
    return [point for point in found if point.setting["order"] != ONE_GROUP or point.setting["p"] in ends]


def _measure_kl(data: Transactions, setting: Setting) -> Measured:
    """Return means over draws; a draw has the same items and the same queries at every p and in every order."""
    how = FormingGroups(setting["p"], setting["alpha"], setting["order"])
    divergences, left = [], []
    for seed in range(1, setting["draws"] + 1):
        sensitive = drawn_items(data, setting["sensitive items"], setting["largest p"], seed)
        groups = groups_formed(data, sensitive, how, seed)
        divergences.append(mean_kl(groups, data, setting["r"], setting["queries"], seed))
        left.append(share_left_over(groups, how.p))
    return over_draws("kl", divergences) | {"share left over": sum(left) / len(left)}


def _charts_kl(rows: Rows) -> dict[str, Chart]:
    similar = rows_with(rows, measure="kl", order=SIMILAR)
    series = [{**row, "series": f"{row['data']}, {row['sensitive items']} items"} for row in similar]
    fewest = rows_with(rows, measure="kl", **{"sensitive items": NUMBERS[0]})
    return by_title(
        [
            lines("KL against p", series, ("p", "p"), "KL (nats)", "series"),
            *(
                lines(f"KL by order of the records, {d}", rows_with(fewest, data=d), ("p", "p"), "KL (nats)", "order")
                for d in distinct(rows, "data")
            ),
        ]
    )


def _series(rows: Rows, order: str) -> dict[tuple[str, int], list[Row]]:
    found: dict[tuple[str, int], list[Row]] = {}
    for row in sorted(rows_with(rows, measure="kl", order=order), key=lambda row: int(row["p"])):
        found.setdefault((row.get("known_as") or row["data"], row["sensitive items"]), []).append(row)
    return found


def _first_above_second(rows: Rows) -> Judgement:
    found = _series(of_the_papers(rows), SIMILAR)
    pairs, worse = [], 0
    for number in distinct(rows, "sensitive items"):
        first, second = (found.get((name, number), []) for name in ("WV1", "WV2"))
        for one, two in zip(first, second, strict=False):
            worse += one["value"] <= two["value"]
            pairs.append((f"{number} items, p = {one['p']}: {one['value']:.3f} against {two['value']:.3f}", number))
    if not pairs:
        return Judgement("not comparable", "WV1 and WV2 are not both among the data")
    shown = {number: words for words, number in pairs}  # at the largest p
    ours = f"WV1 against WV2: so at {len(pairs) - worse} of {len(pairs)} settings; {'; '.join(shown.values())}"
    return judged(not worse, ours)


def _grows(rows: Rows) -> Judgement:
    series = _series(of_the_papers(rows), SIMILAR)
    if not series:
        return Judgement("not comparable", "none of the papers' datasets")
    falls = sum(b["value"] < a["value"] for found in series.values() for a, b in pairwise(found))
    steps = sum(len(found) - 1 for found in series.values())
    ends = {key: (found[0]["value"], found[-1]["value"]) for key, found in series.items()}
    words = [f"{data}, {number} items {a:.3f} to {b:.3f}" for (data, number), (a, b) in ends.items()]
    ours = f"{', '.join(words)}; it falls at {falls} of {steps} steps"
    return judged(all(a < b for a, b in ends.values()), ours)


def _smaller_than(other: str, rows: Rows) -> Judgement:
    ratios: dict[str, list[float]] = {}
    theirs = _series(rows, other)
    for (data, number), found in _series(rows, SIMILAR).items():
        pairs = zip(found, theirs[data, number], strict=True)
        ratios.setdefault(data, []).extend(b["value"] / a["value"] if a["value"] else 1.0 for a, b in pairs)
    settings, smaller = (sum(map(len, ratios.values())), sum(ratio > 1 for every in ratios.values() for ratio in every))
    means = [f"{sum(every) / len(every):.2f} times as large ({data})" for data, every in ratios.items()]
    words = f"smaller at {smaller} of {settings} settings; that of `{other}` is on average {', '.join(means)}"
    return judged(smaller == settings, words)


CAHD_KL = Experiment(
    name="cahd-kl",
    title="KL divergence of CAHD against p",
    question="How far are the groups' counts of sensitive items from the truth, for p = 4 to 20?",
    points=_points_kl,
    measure=_measure_kl,
    charts=_charts_kl,
    claims=(
        Claim("GTK08", "KL on BMS1 (WV1) is above that on BMS2 (WV2)", _first_above_second),
        Claim("GTK08", "KL grows with p (here: from the least p to the largest)", _grows),
        expect(
            "KL is smaller with similar records together than with shuffled ones", partial(_smaller_than, AT_RANDOM)
        ),
        expect(
            "KL is smaller with similar records together than with records sorted by content",
            partial(_smaller_than, BY_CONTENT),
        ),
    ),
    shown=("kl",),
    across="order",
    notes=notes_on("cahd-kl"),
)


NUMBER = 10  # sensitive items
SECONDS = "processor seconds"  # because differences matter, and other programs run, too
LARGEST_P = 20  # the draws are those of the experiment cahd-kl
NEAR_AAT = 1.1  # largest ratio of the KL of the default order to that of the other
NOT_MEASURED: Measured = {"kl": None, "kl spread": None, SECONDS: None}


def _points_settings(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    usual = {"p": 10, "alpha": ALPHA, "r": R, "order": ORDER_NAMES[0]}
    series: dict[str, tuple[int | str, ...]] = {
        "r": (2, 4) if quick else tuple(range(2, 9)),
        "alpha": (1, 3) if quick else tuple(range(1, 6)),
        "order": ORDER_NAMES,
    }
    fixed = {"queries": QUERIES, "draws": 2 if quick else 10, "runs": 1 if quick else 3}
    return [
        Point(source, {"against": against, **usual, against: value, **fixed})
        for source in sources
        for against, values in series.items()
        for value in values
    ]


def _measure_settings(data: Transactions, setting: Setting) -> Measured:
    how = FormingGroups(setting["p"], setting["alpha"], setting["order"])
    divergences = []
    try:
        for seed in range(1, setting["draws"] + 1):
            sensitive = drawn_items(data, NUMBER, LARGEST_P, seed)
            groups = groups_formed(data, sensitive, how, seed)
            divergences.append(mean_kl(groups, data, setting["r"], setting["queries"], seed))
    except InvalidParameter:  # some data are too large for order 'aat'
        if how.order == ORDER_NAMES[0]:
            raise
        return NOT_MEASURED
    found = over_draws("kl", divergences)
    if setting["against"] != "r":  # queries come after the timed work
        found[SECONDS] = seconds_spent(lambda: groups_formed(data, sensitive, how, seed), setting["runs"])[SECONDS]
    return found


def _charts_settings(rows: Rows) -> dict[str, Chart]:
    charts = {}
    for against, called in (("r", "ordinary items of a query (r)"), ("alpha", "alpha")):
        chosen = rows_with(rows, against=against, measure="kl")
        charts[f"KL against {against}"] = lines(f"KL against {against}", chosen, (against, called), "KL (nats)")
    slow = rows_with(rows, against="alpha", measure=SECONDS)
    charts["Time against alpha"] = lines("Time against alpha", slow, ("alpha", "alpha"), SECONDS)
    for title, measure, unit in (("KL by order", "kl", "KL (nats)"), ("Time by order", SECONDS, SECONDS)):
        charts[title] = bars(title, rows_with(rows, against="order", measure=measure), "data", unit, "order")
    return charts


def _first_to_last(against: str, rows: Rows, *, grows: bool) -> Judgement:
    values = distinct(rows_with(rows, against=against), against)
    ends = min(values), max(values)

    def compared(data: str, rows: Rows) -> tuple[bool, str]:
        found = {row[against]: row["value"] for row in rows_with(rows, against=against, measure="kl")}
        first, last = (found[end] for end in ends)
        return (first < last if grows else first > last), f"{data} {first:.3f} to {last:.3f}"

    return judged_by_data(rows, compared, before=f"{against} = {ends[0]} to {ends[1]}: ")


def _default_order_serves(rows: Rows) -> Judgement:
    """Compare the default order with the other one, which costs a matrix of records by records."""

    def compared(data: str, rows: Rows) -> tuple[bool | None, str]:
        ours, other = (rows_with(rows, against="order", order=order, measure="kl")[0]["value"] for order in ORDER_NAMES)
        if other is None:
            return None, f"{data} is too large for `aat`"
        return ours <= NEAR_AAT * other, f"{data} {ours:.3f} against {other:.3f}"

    return judged_by_data(rows, compared)


CAHD_SETTINGS = Experiment(
    name="cahd-settings",
    title="KL divergence of CAHD against r and alpha",
    question="How does KL depend on the items of a query, on alpha and on the order, and what does each setting cost?",
    points=_points_settings,
    measure=_measure_settings,
    charts=_charts_settings,
    claims=(
        expect("KL grows with r, because more items cut finer cells", partial(_first_to_last, "r", grows=True)),
        expect(
            "KL falls with alpha, because there are more records to choose from",
            partial(_first_to_last, "alpha", grows=False),
        ),
        expect(f"the default order has a KL of at most {NEAR_AAT} times that of `aat`", _default_order_serves),
    ),
    shown=("kl", "kl spread", SECONDS),
    notes=notes_on("cahd-settings", number=NUMBER),
)


DRAWN, BY_CHANCE = "10 items", "1 item by chance"
ATTACKED_GROUPINGS = ("blind", "paper", ANATOMY)
SHARE = 0.02  # share of the records with the item that is assigned by chance
SECRET = "given by chance"
RIGHT, SUREST, GUESSED = "right", "right, surest fifth", "random guess"
EXPECTED_RIGHT, EXPECTED_SUREST = "expected", "expected, surest fifth"
CLOSE = 1.25  # times a random guess, without correlation


def _points_attack(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    fixed = {"alpha": ALPHA, "r": R, "queries": QUERIES, "draws": 1 if quick else 5}
    degrees = (4,) if quick else (10, 20)
    return grid(sources, {"sensitive": (DRAWN, BY_CHANCE), "p": degrees, "grouping": ATTACKED_GROUPINGS}, fixed)


def _measure_attack(data: Transactions, setting: Setting) -> Measured:
    found: dict[str, list[float]] = {}
    for seed in range(1, setting["draws"] + 1):
        for name, value in _attacked(*_secrets(data, setting["sensitive"], seed), setting, seed).items():
            found.setdefault(name, []).append(value)
    means: Measured = {}
    for name, values in found.items():
        means |= over_draws(name, values)
    return means


def _attacked(data: Transactions, sensitive: tuple[str, ...], setting: Setting, seed: int) -> dict[str, float]:
    how = FormingGroups(setting["p"], setting["alpha"], grouping=setting["grouping"])
    groups = groups_formed(data, sensitive, how, seed)
    attack = definetti(groups, data)
    assert attack.right is not None and attack.right_surest is not None, "the original was given"
    return {
        "kl": mean_kl(groups, data, setting["r"], setting["queries"], seed),
        RIGHT: attack.right,
        SUREST: attack.right_surest,
        EXPECTED_RIGHT: attack.expected,
        EXPECTED_SUREST: attack.expected_surest,
        GUESSED: attack.random,
    }


def _secrets(data: Transactions, sensitive: str, seed: int) -> tuple[Transactions, tuple[str, ...]]:
    if sensitive == DRAWN:
        return data, drawn_items(data, 10, LARGEST_P, seed)
    records = data.to_sets()
    drawn = np.random.default_rng(seed).choice(len(records), max(1, round(SHARE * len(records))), replace=False)
    for number in drawn.tolist():
        records[number] = records[number] | {SECRET}
    return Transactions.from_sets(records), (SECRET,)


def _charts_attack(rows: Rows) -> dict[str, Chart]:
    return by_title(
        bars(
            f"Right guesses, {sensitive}, p = {p}",
            rows_with(rows, sensitive=sensitive, p=p, measure=RIGHT),
            "data",
            "share of the groups",
            "grouping",
        )
        for sensitive in distinct(rows, "sensitive")
        for p in distinct(rows, "p")
    )


def _compared(
    sensitive: str, groupings: tuple[str, str], measures: tuple[str, str], times: float, rows: Rows
) -> Judgement:
    words, holds = [], []
    for data in distinct(rows, "data"):
        for p in distinct(rows, "p"):
            one, other = (
                rows_with(rows, data=data, p=p, sensitive=sensitive, grouping=grouping, measure=measure)[0]["value"]
                for grouping, measure in zip(groupings, measures, strict=True)
            )
            holds.append(one < times * other)
            words.append(f"{data}, p = {p}: {one:.3f} and {other:.3f}")
    return judged(all(holds), f"so at {sum(holds)} of {len(holds)}; {'; '.join(words)}")


CAHD_ATTACK = Experiment(
    name="cahd-attack",
    title="The deFinetti attack on groups",
    question="How often does an attacker who learns from the release name a holder of a sensitive item?",
    points=_points_attack,
    measure=_measure_attack,
    charts=_charts_attack,
    claims=(
        expect(
            "correlation is not hidden: the attacker is right at least twice as often as a random guess (`blind`)",
            partial(_compared, DRAWN, ("blind", "blind"), (GUESSED, RIGHT), 0.5),
        ),
        expect(
            f"without correlation the attacker is right less than {CLOSE} times as often as a random guess (`blind`)",
            partial(_compared, BY_CHANCE, ("blind", "blind"), (RIGHT, GUESSED), CLOSE),
        ),
        expect(
            "grouping by sensitive items only (`anatomy`) gives the attacker fewer right guesses than `blind`",
            partial(_compared, DRAWN, (ANATOMY, "blind"), (RIGHT, RIGHT), 1),
        ),
        expect(
            "`anatomy` has at most 1.1 times the KL of `blind`",
            partial(_compared, DRAWN, (ANATOMY, "blind"), ("kl", "kl"), 1.1),
        ),
    ),
    shown=("kl", RIGHT, SUREST, EXPECTED_RIGHT, EXPECTED_SUREST, GUESSED),
    notes=notes_on("cahd-attack", share=SHARE),
)


P, SEED = 10, 1
IN_FILE, BEFORE = "as in the file", "sorted by content"
PICTURE = "ones in a line of the picture"  # a picture in tidy form: one row per line, its cells as text


def _measure_bandwidth(data: Transactions, setting: Setting) -> Rows:
    sensitive = drawn_items(data, setting["sensitive items"], P, setting["seed"])
    groups = groups_formed(data, sensitive, FormingGroups(P), setting["seed"])
    rows: Rows = []
    for order in ORDER_NAMES:
        facts = matrix_facts(groups, order)
        if facts is None:
            continue
        if not rows:
            about = {"order": IN_FILE, "ordinary items": facts["columns"]}
            rows.append({**about, "measure": "bandwidth", "value": bandwidth_in_file(data, sensitive)})
            rows += _rows_of(facts, "before", BEFORE)
        rows += _rows_of(facts, "after", order)
    return rows


def bandwidth_in_file(data: Transactions, sensitive: tuple[str, ...]) -> float:
    marked = data.with_sensitive(sensitive)
    assert marked.sensitive is not None, "just marked"
    ordinary = ~marked.sensitive & (data.supports() > 0)
    kept = ordinary[data.items]
    i = data.records.owners()[kept]
    j = ranks_of(ordinary)[data.items[kept]].astype(int)
    off = j * len(data) / int(ordinary.sum()) - i
    return round(float(max(0.0, off.max()) + max(0.0, -off.min()) + 1), 1)


def _rows_of(facts: dict[str, Any], when: str, order: str) -> Rows:
    found, about = facts[when], {"order": order, "ordinary items": facts["columns"]}
    rows: Rows = [{**about, "measure": name, "value": found[key]} for name, key in _WIDTHS.items()]
    return rows + [
        {**about, "line": line, "cells": cells, "measure": PICTURE, "value": sum(map(int, cells.split()))}
        for line, cells in enumerate(found["density"])
    ]


_WIDTHS = {"bandwidth": "bandwidth", "mean span of a record": "mean_spread"}


def _charts_bandwidth(rows: Rows) -> dict[str, Chart]:
    charts = {}
    for data in distinct(rows, "data"):
        found = rows_with(rows, data=data, measure=PICTURE)
        size = (found[0]["records"], found[0]["ordinary items"])
        grids = {
            order: grid_of(
                row["cells"] for row in sorted(rows_with(found, order=order), key=lambda row: int(row["line"]))
            )
            for order in distinct(found, "order")
        }
        for order in grids:
            title = f"{data}, {'order ' if order != BEFORE else ''}{order}"
            charts[title] = density(title, order, grids, size)
    return charts


def _narrower(measure: str, before: str, rows: Rows) -> Judgement:
    def compared(data: str, rows: Rows) -> tuple[bool, str]:
        found = {row["order"]: row["value"] for row in rows_with(rows, measure=measure)}
        others = "".join(f", `{order}` {found[order]:,.1f}" for order in ORDER_NAMES[1:] if order in found)
        ours = found[ORDER_NAMES[0]]
        return ours < found[before], f"{data} {found[before]:,.1f} to {ours:,.1f}{others}"

    return judged_by_data(rows, compared, "; ")


CAHD_BANDWIDTH = Experiment(
    name="cahd-bandwidth",
    title="Bandwidth of CAHD",
    question="How narrow is the band around the diagonal of records and items after ordering?",
    points=lambda sources, quick: grid(sources, {}, {"sensitive items": NUMBER, "seed": SEED}),
    measure=_measure_bandwidth,
    charts=_charts_bandwidth,
    claims=(
        expect("the default order makes the band narrower than in the file", partial(_narrower, "bandwidth", IN_FILE)),
        expect(
            "the default order makes the band narrower than sorting by content does",
            partial(_narrower, "bandwidth", BEFORE),
        ),
        expect(
            "in the default order a record spans fewer columns than with items sorted by name",
            partial(_narrower, "mean span of a record", BEFORE),
        ),
    ),
    shown=tuple(_WIDTHS),
    notes=notes_on("cahd-bandwidth"),
)
