"""The measures of tables, against slow twins and by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import disjoin
from disjoin.errors import InvalidParameter
from disjoin.measure import EVALUATIONS, TableEvidence, igpl
from disjoin.measure.evaluation import evaluate_tables
from disjoin.measure.tables import all_roots
from disjoin.model import Generalized, Hierarchy, KAnonymity, Release, Role, Table, Verdict
from disjoin.model.release import SEAL
from helpers.hypothesis_profile import examples
from oracle import table_utility as twin

OF_TABLES = [name for name, comparison in EVALUATIONS.items() if "table" in comparison.forms]
TREES: twin.Trees = {
    "pet": {
        "cat": ("cat", "furry", "tame", "*"),
        "dog": ("dog", "furry", "tame", "*"),
        "hen": ("hen", "hen", "tame", "*"),
        "fox": ("fox", "fox", "wild", "*"),
        "?": ("?", "?", "?", "*"),
    },
    "sex": {"m": ("m", "any"), "f": ("f", "any")},
    "age": None,
}
QUASI = tuple(TREES)
HIERARCHIES = {name: Hierarchy.from_rows(tree.values()) for name, tree in TREES.items() if tree}


class Recoded(NamedTuple):
    """Rows, and what each is published as; None for a suppressed one."""

    pairs: list[tuple[twin.Row, twin.Row | None]]

    @property
    def rows(self) -> list[twin.Row]:
        return [row for row, _ in self.pairs]

    @property
    def shown(self) -> list[twin.Row]:
        return [row for _, row in self.pairs if row is not None]

    def evidence(self, **more: Any) -> TableEvidence:
        published = table(self.shown).with_hierarchies(HIERARCHIES)
        return TableEvidence(table(self.rows), published, QUASI, ("ill",), label="ill", **more)


def table(rows: list[twin.Row]) -> Table:
    return Table.from_columns({name: [row[name] for row in rows] for name in (*QUASI, "ill")}, {"ill": Role.SENSITIVE})


def hull(values: set[str]) -> str:
    if values == {"?"} or "?" in values:
        return "?" if values == {"?"} else "*"
    low, high = min(values, key=Fraction), max(values, key=Fraction)
    return low if low == high else f"[{low}, {high}]"


def lifted(tree: twin.Tree, values: set[str], extra: int) -> str:
    """Return the lowest name above all values, or one up to `extra` steps higher."""
    paths = [tree[value] for value in values]
    lowest = next(at for at in range(len(paths[0])) if len({path[at] for path in paths}) == 1)
    return paths[0][min(lowest + extra, len(paths[0]) - 1)]


@st.composite
def recoded(draw: st.DrawFn, may_suppress: bool = True) -> Recoded:
    row = st.fixed_dictionaries(
        {
            "pet": st.sampled_from(sorted(TREES["pet"] or {})),
            "sex": st.sampled_from("mf"),
            "age": st.sampled_from(["7", "19", "20.5", "64", "?"]),
            "ill": st.sampled_from(["flu", "gout", "none"]),
        }
    )
    groups = draw(st.lists(st.lists(row, min_size=1, max_size=5), min_size=1, max_size=4))
    pairs: list[tuple[twin.Row, twin.Row | None]] = []
    for group in groups:
        shown = {
            name: lifted(tree, {r[name] for r in group}, draw(st.integers(0, 2)))
            for name, tree in TREES.items()
            if tree
        }
        shown["age"] = draw(st.sampled_from([hull({r["age"] for r in group}), "*"]))
        gone = may_suppress and draw(st.integers(0, 5)) == 0
        pairs += [(r, None if gone else {**shown, "ill": r["ill"]}) for r in group]
    assume(any(shown for _, shown in pairs))
    return Recoded(draw(st.permutations(pairs)))


def value(name: str, evidence: TableEvidence) -> Any:
    return EVALUATIONS[name].compute(evidence).value


@examples(150)
@given(recoded(), st.lists(st.integers(0, 3), min_size=3, max_size=3))
def test_losses_of_cells_are_the_twins_exactly(drawn: Recoded, weighing: list[int]) -> None:
    assume(any(weighing))
    weights = {name: Fraction(weight) for name, weight in zip(QUASI, weighing, strict=True)}
    evidence = drawn.evidence(weights=weights)
    rows, gone = len(drawn.rows), len(drawn.rows) - len(drawn.shown)

    def total(loss: Any, only: str | None = None) -> Fraction:
        return twin.total(drawn.shown, TREES if only is None else {only: TREES[only]}, loss, gone)

    assert value("distortion", evidence) == total(twin.uniform)
    assert value("distortion_height", evidence) == total(twin.by_height)
    assert value("distortion_per_cell", evidence) == total(twin.uniform) / (3 * rows)
    assert value("granularity", evidence) == 1 - total(twin.spread) / (3 * rows)
    assert value("iloss", evidence) == sum(weights[name] * total(twin.iloss, name) for name in QUASI)
    assert value("ncp", evidence) == sum(weights[name] * total(twin.ncp, name) for name in QUASI) / rows / sum(weighing)


@examples(60)
@given(recoded())
def test_precision_is_what_distortion_leaves(drawn: Recoded) -> None:
    evidence = drawn.evidence()
    assert value("precision", evidence) == 1 - value("distortion", evidence) / (len(drawn.rows) * len(QUASI))


@examples(100)
@given(recoded(), st.integers(1, 5))
def test_measures_of_classes_are_the_twins(drawn: Recoded, k: int) -> None:
    evidence, names, rows = drawn.evidence(k=k), list(QUASI), len(drawn.rows)
    sizes = [len(members) for members in twin.classes_of(drawn.shown, names)]
    assert value("discernibility", evidence) == twin.discernibility(drawn.shown, names, rows)
    assert value("cavg", evidence) == Fraction(len(drawn.shown), len(sizes)) / k
    assert value("classes", evidence) == len(sizes)
    assert (value("smallest_class", evidence), value("largest_class", evidence)) == (min(sizes), max(sizes))
    assert value("classification_metric", evidence) == twin.classification_metric(drawn.shown, names, "ill", rows)


@examples(80)
@given(recoded())
def test_entropy_loss_is_the_twins_which_knows_who_was_who(drawn: Recoded) -> None:
    found = value("entropy_loss", drawn.evidence())
    assert found == pytest.approx(twin.entropy_loss(drawn.pairs, TREES), abs=1e-12)
    assert 0 <= found <= 1


@examples(60)
@given(recoded(may_suppress=False), st.lists(st.sets(st.sampled_from(QUASI), min_size=1), min_size=1, max_size=3))
def test_information_gain_per_anonymity_lost_is_the_twins(drawn: Recoded, qids: list[set[str]]) -> None:
    names, published = list(QUASI), drawn.evidence().published
    roots = [{**row, **dict.fromkeys(QUASI, "*")} for row in drawn.shown]
    alone = twin.igpl(roots, drawn.shown, names, "ill", [names])
    assert value("igpl", drawn.evidence()) == pytest.approx(alone, abs=1e-12)
    several = twin.igpl(roots, drawn.shown, names, "ill", [sorted(qid) for qid in qids])
    assert igpl(all_roots(published, QUASI), published, "ill", QUASI, qids) == pytest.approx(several, abs=1e-12)


@examples(20)
@given(recoded(), st.randoms())
def test_the_order_of_rows_does_not_matter(drawn: Recoded, random: Any) -> None:
    shuffled = Recoded(random.sample(drawn.pairs, len(drawn.pairs)))
    one, other = drawn.evidence(k=2), shuffled.evidence(k=2)
    for name in OF_TABLES:
        assert EVALUATIONS[name].compute(one) == EVALUATIONS[name].compute(other)


def test_nothing_generalised_is_nothing_lost() -> None:
    rows = [{"pet": "cat", "sex": "m", "age": "7", "ill": "flu"}, {"pet": "?", "sex": "f", "age": "?", "ill": "gout"}]
    found = {row.name: row.value for row in evaluate_tables(with_trees(rows), table(rows), QUASI, "ill", k=2).rows}
    assert found["granularity"] == found["precision"] == 1
    nothing = ("distortion", "distortion_height", "iloss", "ncp", "entropy_loss", "classification_metric")
    assert [found[name] for name in nothing] == [0] * len(nothing)
    assert list(found) == OF_TABLES


def with_trees(rows: list[twin.Row]) -> Table:
    return table(rows).with_hierarchies(HIERARCHIES)


CATS = [{"pet": "cat", "sex": "m", "age": "7", "ill": "flu"}, {"pet": "dog", "sex": "m", "age": "9", "ill": "flu"}]


def changed(at: int = 0, **cells: str) -> list[twin.Row]:
    return [{**row, **cells} if number == at else row for number, row in enumerate(CATS)]


@pytest.mark.parametrize(
    ("published", "named", "message"),
    [
        (CATS + CATS, {}, "the published table has 4 rows, the original only 2: they do not belong together"),
        (changed(pet="cow"), {}, "'pet' has the value 'cow', which is not in its hierarchy"),
        (changed(pet="hen"), {}, "'pet' has more rows with 'hen' than the original can have"),
        (changed(pet="dog"), {}, "'pet' has more rows with 'dog' than the original can have"),
        (changed(age="old"), {}, "'age' has no hierarchy, so its values must be numbers or intervals"),
        (changed(age="[20, 30]"), {}, "'age' has more rows with '\\[20, 30\\]' than the original can have"),
        (changed(ill="gout"), {}, "'gout' is in 1 published rows of column 'ill' and in 0 of the original"),
        (CATS, {"quasi": ("pet", "size")}, "there is no column 'size'"),
        (CATS, {"quasi": ()}, "quasi must name at least one column"),
        (CATS, {"quasi": ("pet", "ill")}, "a column has one role, 'ill'"),
        (CATS, {"label": "pet"}, "the label must be published unchanged, and 'pet' is generalised"),
        (CATS, {"label": "size"}, "there is no column 'size'"),
        (CATS, {"weights": {"pet": -1}}, "weights are numbers from 0"),
        (CATS, {"weights": dict.fromkeys(QUASI, 0)}, "at least one quasi-identifier must weigh more than 0"),
        (CATS, {"weights": {"ill": 1}}, "weights are numbers from 0 for columns of quasi"),
        (CATS, {"k": 0}, "k must be a whole number of at least 1"),
        (CATS, {"measures": ["tkd_a"]}, "'tkd_a' is for releases of clusters, and this one has a table"),
    ],
)
def test_what_does_not_fit_is_one_sentence(published: list[twin.Row], named: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        evaluate_tables(with_trees(published), table(CATS), **{"quasi": QUASI, "sensitive": "ill", **named})


def test_an_original_value_without_a_leaf_is_refused() -> None:
    with pytest.raises(
        InvalidParameter, match="every value of 'pet' needs a leaf in its hierarchy, and one of the original has none"
    ):
        evaluate_tables(with_trees(changed(pet="*")), table(changed(pet="cow")), QUASI)
    with pytest.raises(InvalidParameter, match="'age' has no hierarchy, so its values must be numbers, and one of"):
        evaluate_tables(with_trees(changed(age="*")), table(changed(age="x")), QUASI)


def test_a_star_is_the_root_whatever_that_is_called_and_missing_values_get_a_leaf() -> None:
    original = [{"pet": "cat", "sex": "?", "age": "7", "ill": "flu"}, CATS[1]]
    starred = [{**row, "sex": "*"} for row in original]
    named = [{**row, "sex": "any"} for row in original]
    one, other = (evaluate_tables(with_trees(rows), table(original), QUASI) for rows in (starred, named))
    assert one == other
    assert one["granularity"] == 2 / 3


def test_hierarchies_may_come_with_the_original() -> None:
    assert evaluate_tables(table(CATS), with_trees(CATS), QUASI) == evaluate_tables(
        with_trees(CATS), table(CATS), QUASI
    )


def test_rows_that_say_nothing_are_a_class_and_a_note_says_what_they_would_be_as_suppressed_ones() -> None:
    stars = dict.fromkeys(QUASI, "*")
    rows = [CATS[0], {**CATS[1], **stars}]
    finding = EVALUATIONS["discernibility"].compute(TableEvidence(table(CATS), with_trees(rows), QUASI))
    assert (finding.value, finding.details["if_suppressed"]) == (2, 1 + 2)


def test_without_k_or_a_label_a_note_says_what_is_needed() -> None:
    rows = {row.name: row for row in evaluate_tables(with_trees(CATS), table(CATS), QUASI).rows}
    assert rows["cavg"].value is rows["classification_metric"].value is rows["igpl"].value is None
    assert "Needs k" in rows["cavg"].notes[0]
    assert "Needs a label" in rows["igpl"].notes[0]


def test_a_class_below_k_is_noted() -> None:
    rows = {row.name: row for row in evaluate_tables(with_trees(CATS), table(CATS), QUASI, k=2).rows}
    assert rows["smallest_class"].notes == ("That is less than k = 2.",)


def test_a_table_without_any_published_row_has_lost_everything() -> None:
    found = evaluate_tables(with_trees([]), table(CATS), QUASI, "ill", k=2)
    assert (found["granularity"], found["precision"], found["discernibility"]) == (0, 0, 4)
    assert found["cavg"] is found["igpl"] is found["smallest_class"] is None
    assert found["classification_metric"] == 1


def test_a_release_is_evaluated_with_its_own_k_and_columns() -> None:
    published = Generalized(with_trees(changed(pet="furry")).with_roles(dict.fromkeys(QUASI, Role.QUASI_IDENTIFIER)))
    guarantee = KAnonymity(2, QUASI, ("ill",))
    release = Release(published, guarantee, Verdict(guarantee, (), ("T1",)), "generalization", seal=SEAL)
    found = disjoin.evaluate(release, table(CATS))
    assert found == evaluate_tables(published.table, table(CATS), QUASI, "ill", k=2)
    assert found.settings["k"] == 2
    with pytest.raises(InvalidParameter, match="no measure of tables looks at a hierarchy of terms"):
        disjoin.evaluate(release, table(CATS), hierarchy=HIERARCHIES["sex"])
    with pytest.raises(InvalidParameter, match="'flu' is in 2 published rows"):
        disjoin.evaluate(release, table(changed(ill="gout")))
