"""A message never shows the data: whatever is passed where, an error is one sentence with names and types.

Every public function gets, in place of every argument, things that hold a canary. What comes back, with the whole
traceback and all warnings, must not sing. Names that somebody types (columns, terms, measures) may be shown.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import disjoin
from disjoin import analyst
from disjoin.analyst import reconstruction
from disjoin.attack.table_risk import table_risk
from disjoin.engine import Local
from disjoin.model import Clusters, Groups, Hierarchy, Table, Transactions, Violation
from disjoin.model.hierarchy_builders import grouped_hierarchy, interval_hierarchy, mask_hierarchy
from disjoin.model.published import Draft
from disjoin.pipeline import publish
from disjoin.report.facts import facts_of
from disjoin.verify import certify, check

CANARY = "CANARY-7f3a"
RECORDS = [{"tea", CANARY}, {"tea", CANARY}, {"tea", CANARY, "jam"}, {"tea", "rye"}, {"rye", CANARY}] * 4
PEOPLE = {"age": ["31", "34", "38", "52", "57"], "who": [CANARY] * 5, "illness": ["flu", CANARY, CANARY, "flu", CANARY]}
DATA = Transactions.from_sets(RECORDS)
TABLE = Table.from_columns(PEOPLE)
TREE = Hierarchy.from_rows([[CANARY, "x", "*"], ["tea", "y", "*"], ["jam", "y", "*"], ["rye", "y", "*"]])
PROMISE = disjoin.KmAnonymity(2, 2)


class Loud:
    """Something whose repr is data."""

    def __repr__(self) -> str:
        return CANARY


WRONG: dict[str, Any] = {
    "pandas": pd.DataFrame(PEOPLE),
    "polars": pl.DataFrame(PEOPLE),
    "arrow": pa.table(PEOPLE),
    "array": pa.array([CANARY] * 3),
    "list": [CANARY, CANARY],
    "lists": [[CANARY]],
    "nested": [[[CANARY]]],
    "dict": {CANARY: [CANARY]},
    "dicts": [{"who": CANARY}],
    "mixed": [[CANARY, 3.5]],
    "objects": [[Loud()]],
    "loud": Loud(),
    "none": None,
    "number": 3,
    "float": 2.5,
    "bytes": CANARY.encode(),
    "table": TABLE,
    "data": DATA,
    "tree": TREE,
    "set": {CANARY},
    "missing": [[None]],
    "text": "no-such-file",
}
NAMES = {"list", "dict", "set"}  # where names are asked for, these hold names that somebody has typed

Call = Callable[["Shelf", Any], object]


def shown(*given: Any, **settings: Any) -> disjoin.Release:
    """Generalise the columns that have a role."""
    return disjoin.generalize(*given, drop_unassigned=True, **settings)


class Shelf:
    """Releases of every form, made once."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.clusters = disjoin.disassociate(DATA, k=3, m=2)
            self.groups = disjoin.cahd(DATA, "jam", p=2)
            self.items = disjoin.generalize_items(DATA, k=3, hierarchy=TREE)
            self.table = shown(TABLE, 2, ["age"])


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf()


CALLS: dict[str, Call] = {
    "read": lambda s, w: disjoin.read(w),
    "read_table": lambda s, w: disjoin.read_table(w),
    "uniqueness": lambda s, w: disjoin.uniqueness(w),
    "uniqueness largest": lambda s, w: disjoin.uniqueness(DATA, w),
    "uniqueness sample": lambda s, w: disjoin.uniqueness(DATA, 2, sample=w),
    "table_risk": lambda s, w: table_risk(w, ["age"]),
    "table_risk quasi names": lambda s, w: table_risk(TABLE, w),
    "table_risk sensitive names": lambda s, w: table_risk(TABLE, ["age"], w),
    "disassociate": lambda s, w: disjoin.disassociate(w, k=2),
    "disassociate k": lambda s, w: disjoin.disassociate(DATA, k=w),
    "disassociate sensitive names": lambda s, w: disjoin.disassociate(DATA, k=2, sensitive=w, l=2),
    "disassociate strategy": lambda s, w: disjoin.disassociate(DATA, k=2, strategy=w),
    "disassociate clustering": lambda s, w: disjoin.disassociate(DATA, k=2, clustering=w),
    "disassociate threads": lambda s, w: disjoin.disassociate(DATA, k=2, threads=w),
    "disassociate refine": lambda s, w: disjoin.disassociate(DATA, k=2, refine=w),
    "cahd": lambda s, w: disjoin.cahd(w, "jam", p=2),
    "cahd sensitive names": lambda s, w: disjoin.cahd(DATA, w, p=2),
    "cahd p": lambda s, w: disjoin.cahd(DATA, "jam", p=w),
    "cahd alpha": lambda s, w: disjoin.cahd(DATA, "jam", p=2, alpha=w),
    "generalize names": lambda s, w: shown(w, 2, ["age"]),
    "generalize k": lambda s, w: shown(TABLE, w, ["age"]),
    "generalize quasi names": lambda s, w: shown(TABLE, 2, w),
    "generalize sensitive names": lambda s, w: shown(TABLE, 2, ["age"], sensitive=w),
    "generalize alpha": lambda s, w: shown(TABLE, 2, ["age"], sensitive="illness", alpha=w),
    "generalize weights": lambda s, w: shown(TABLE, 2, ["age"], weights=w),
    "generalize hierarchies names": lambda s, w: shown(TABLE, 2, ["age"], hierarchies=w),
    "generalize a hierarchy": lambda s, w: shown(TABLE, 2, ["age"], hierarchies={"age": w}),
    "generalize_items": lambda s, w: disjoin.generalize_items(w, k=2),
    "generalize_items hierarchy": lambda s, w: disjoin.generalize_items(DATA, k=2, hierarchy=w),
    "diffpart": lambda s, w: disjoin.diffpart(w, domain=["tea"]),
    "diffpart epsilon": lambda s, w: disjoin.diffpart(DATA, w),
    "diffpart domain": lambda s, w: disjoin.diffpart(DATA, domain=w),
    "load": lambda s, w: disjoin.load(w),
    "verify": lambda s, w: disjoin.verify(w),
    "verify original": lambda s, w: disjoin.verify(s.clusters, original=w),
    "verify original of a table": lambda s, w: disjoin.verify(s.table, original=w),
    "verify guarantee": lambda s, w: disjoin.verify(s.clusters, guarantee=w),
    "verify exact": lambda s, w: disjoin.verify(s.clusters, exact=w),
    "evaluate": lambda s, w: disjoin.evaluate(w, DATA),
    "evaluate original": lambda s, w: disjoin.evaluate(s.clusters, w, measures=["tkd"]),
    "evaluate original of a table": lambda s, w: disjoin.evaluate(s.table, w),
    "evaluate original of items": lambda s, w: disjoin.evaluate(s.items, w, measures=["tkd"]),
    "evaluate original of groups": lambda s, w: disjoin.evaluate(s.groups, w, measures=["kl"]),
    "evaluate hierarchy": lambda s, w: disjoin.evaluate(s.clusters, DATA, measures=["tkd"], hierarchy=w),
    "evaluate measures names": lambda s, w: disjoin.evaluate(s.clusters, DATA, measures=w),
    "evaluate top": lambda s, w: disjoin.evaluate(s.clusters, DATA, measures=["tkd"], top=w),
    "evaluate label": lambda s, w: disjoin.evaluate(s.table, TABLE, label=w),
    "check": lambda s, w: check(w, PROMISE),
    "check guarantee": lambda s, w: check(s.clusters.published, w),
    "check original": lambda s, w: check(s.clusters.published, PROMISE, original=w),
    "check part_of_record": lambda s, w: check(s.clusters.published, PROMISE, original=DATA, part_of_record=w),
    "check suppressed_records": lambda s, w: check(s.clusters.published, PROMISE, suppressed_records=w),
    "certify": lambda s, w: certify(w, PROMISE, method="x", parameters={}),
    "support names": lambda s, w: s.clusters.support(w),
    "support rare": lambda s, w: s.clusters.support(["tea"], rare=w),
    "mine": lambda s, w: s.clusters.mine(w),
    "mine min_support": lambda s, w: s.clusters.mine(5, min_support=w),
    "mine max_size": lambda s, w: s.clusters.mine(5, max_size=w),
    "pairs": lambda s, w: s.clusters.pairs(at_least=w),
    "reconstruct": lambda s, w: s.clusters.reconstruct(w),
    "reconstruct seed": lambda s, w: s.clusters.reconstruct(1, w),
    "reconstruct rare": lambda s, w: s.clusters.reconstruct(1, rare=w),
    "write": lambda s, w: s.clusters.write(w),
    "analyst.support": lambda s, w: analyst.support(w, ["tea"]),
    "analyst.mine": lambda s, w: analyst.mine(w),
    "analyst.pair_matrix": lambda s, w: analyst.pair_matrix(w),
    "analyst reconstruct": lambda s, w: list(reconstruction.reconstruct(w)),
    "worlds_of": lambda s, w: list(reconstruction.worlds_of(w)),
    "Transactions.from_sets": lambda s, w: Transactions.from_sets(w),
    "with_sensitive": lambda s, w: DATA.with_sensitive(w),
    "Table.from_columns": lambda s, w: Table.from_columns(w),
    "a column": lambda s, w: Table.from_columns({"x": w}),
    "roles names": lambda s, w: Table.from_columns({"x": ["a"]}, w),
    "column of a table": lambda s, w: TABLE.column(w),
    "with_hierarchies names": lambda s, w: TABLE.with_hierarchies(w),
    "with_roles names": lambda s, w: TABLE.with_roles(w),
    "Hierarchy.from_rows": lambda s, w: Hierarchy.from_rows(w),
    "Hierarchy.encode": lambda s, w: Hierarchy.from_rows([["a", "*"]]).encode(w),
    "Clusters.from_nested": lambda s, w: Clusters.from_nested(w),
    "Groups.from_nested": lambda s, w: Groups.from_nested(w),
    "KmAnonymity": lambda s, w: disjoin.KmAnonymity(w, 2),
    "KmAnonymity sensitive": lambda s, w: disjoin.KmAnonymity(2, 2, l=2, sensitive=w),
    "KmAnonymity proven": lambda s, w: disjoin.KmAnonymity(2, 2, proven=w),
    "KmAnonymity.from_json": lambda s, w: disjoin.KmAnonymity.from_json(w),
    "PrivacyDegree": lambda s, w: disjoin.PrivacyDegree(w),
    "PrivacyDegree sensitive": lambda s, w: disjoin.PrivacyDegree(2, w),
    "KAnonymity": lambda s, w: disjoin.KAnonymity(w, ("age",)),
    "KAnonymity quasi names": lambda s, w: disjoin.KAnonymity(2, w),
    "DifferentialPrivacy": lambda s, w: disjoin.DifferentialPrivacy(w),
}


@pytest.mark.parametrize("name", CALLS)
def test_whatever_is_passed_the_answer_is_a_sentence_that_shows_no_data(
    name: str, shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, wrong in WRONG.items():
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                CALLS[name](shelf, wrong)
                text = ""
            except disjoin.DisjoinError as error:
                text = "".join(traceback.format_exception(error))
        text += "".join(str(note.message) for note in said)
        if not (name.endswith("names") and kind in NAMES):
            assert CANARY not in text, f"{name} with {kind}"


BAD_DATA: dict[str, Call] = {
    "a value without a leaf": lambda s, w: shown(TABLE, 2, ["who"], hierarchies={"who": w}),
    "a value that is no number": lambda s, w: shown(PEOPLE | {"who": [*PEOPLE["who"][:-1], "7"]}, 2, ["who"]),
    "a sensitive value that is too frequent": lambda s, w: shown(TABLE, 2, ["age"], sensitive="who", alpha=0.1),
    "too few sensitive values": lambda s, w: shown(TABLE, 2, ["age"], sensitive="who", l=3),
    "a term without a leaf": lambda s, w: disjoin.generalize_items(DATA, k=2, hierarchy=w),
    "an original that does not belong": lambda s, w: disjoin.evaluate(
        disjoin.generalize_items([{"tea"}] * 5, k=2), DATA, measures=["tkd"]
    ),
    "masked values": lambda s, w: mask_hierarchy([CANARY + "*"]),
    "intervals of names": lambda s, w: interval_hierarchy([CANARY], [5]),
    "a value without a group": lambda s, w: grouped_hierarchy({"a": "b"}, [CANARY]),
    "a leaf twice": lambda s, w: Hierarchy.from_rows([[CANARY, "*"], [CANARY, "*"]]),
    "other roots": lambda s, w: Hierarchy.from_rows([["a", CANARY], ["b", "*"]]),
    "a cell that is no value": lambda s, w: disjoin.generalize({"x": [{CANARY}, 3]}, 2, ["x"]),
    "spellings of a sensitive value": lambda s, w: disjoin.generalize(
        PEOPLE | {"illness": [CANARY, CANARY.lower(), "flu", "flu", "flu"]}, 2, ["age"], sensitive="illness", l=2
    ),
    "a term that is no text": lambda s, w: disjoin.read([[CANARY + chr(0xDC80)]]),
}


@pytest.mark.parametrize("name", BAD_DATA)
def test_an_error_about_data_tells_where_and_not_what(name: str, shelf: Shelf) -> None:
    tree = Hierarchy.from_rows([["a", "*"], ["b", "*"]])
    with pytest.raises(disjoin.DisjoinError) as caught:
        BAD_DATA[name](shelf, tree)
    assert CANARY not in "".join(traceback.format_exception(caught.value))


NO_HEADER = {
    "most are numbers": f"{CANARY},31,4350\nBob,34,4351\n",
    "a value occurs again": f"{CANARY},31,berlin\nBob,34,berlin\n{CANARY},38,oslo\n",
    "a name is missing": f"{CANARY},,berlin\nBob,34,oslo\n",
    "a name is there twice": f"{CANARY},x,{CANARY}\nBob,34,oslo\n",
    "one row": f"{CANARY},flu,berlin\n",
}


@pytest.mark.parametrize("case", NO_HEADER)
def test_the_first_row_of_a_table_without_a_header_is_not_shown(case: str, tmp_path: Path) -> None:
    """The first line is taken for the names of columns, and may be a person's values."""
    file = tmp_path / "people.csv"
    file.write_text(NO_HEADER[case])
    with pytest.raises(disjoin.errors.UnreadableInput) as caught:
        disjoin.read_table(file)
    assert CANARY not in str(caught.value) and "31" not in str(caught.value).replace(str(tmp_path), "")


LONG = f"{CANARY},hiv-{CANARY}\n" + "".join(f"p{n // 2},d{n % 7}\n" for n in range(40))
UNCLEAR = {
    "pairs": (LONG + LONG, {}),
    "pairs that are told to be long": (LONG + LONG, {"format": "long"}),
    "a first line of its own": (f"{CANARY},31,berlin\n" + "Bob,34,oslo\n" * 30, {}),
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_the_first_row_of_records_of_unclear_format_is_not_shown(case: str, tmp_path: Path) -> None:
    text, options = UNCLEAR[case]
    file = tmp_path / "people.csv"
    file.write_text(text)
    with pytest.raises(disjoin.errors.UnreadableInput) as caught:
        disjoin.read(file, **options)
    assert CANARY not in str(caught.value)


def test_a_refusal_shows_nothing_of_the_original_and_its_verdict_does() -> None:
    leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 3]]}], "term_chunk": []}
    original = Transactions.from_sets([{"tea"}, {"tea"}, {CANARY}])
    with pytest.raises(disjoin.NotAnonymous) as caught:
        certify(Clusters.from_nested([leaf]), PROMISE, method="x", parameters={}, original=original)
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    assert CANARY not in repr(caught.value.verdict)


def test_no_noun_shows_what_is_in_it(shelf: Shelf) -> None:
    outcome = publish(DATA, disjoin.Disassociation(k=3, m=2), Local(1))
    draft = disjoin.Disassociation(k=3, m=2).publish(DATA, Local(1))
    assert isinstance(draft, Draft)
    releases = [shelf.clusters, shelf.groups, shelf.items, shelf.table]
    nouns: list[object] = [DATA, DATA.intake, TABLE, TABLE.schema, TREE, outcome, draft, *releases]
    nouns += [release.published for release in releases] + [release.verdict for release in releases]
    nouns += [facts_of(release) for release in releases]
    nouns += [disjoin.evaluate(shelf.clusters, DATA, measures=["tkd", "tlost"]), disjoin.uniqueness(DATA, 2)]
    nouns += [table_risk(TABLE, ["age"], ["who"]), Violation("O1", "record 3", "it is gone.", (CANARY,))]
    for noun in nouns:
        assert CANARY not in repr(noun), type(noun)
        if not isinstance(noun, Violation):  # in words it gives its example, for the steward's screen
            assert CANARY not in str(noun), type(noun)


def test_support_of_an_unknown_term_warns_in_the_words_of_the_command_line(shelf: Shelf) -> None:
    with pytest.warns(disjoin.errors.DisjoinWarning, match=r"^2 terms are not in the release: beer, \"x, y\"\.$"):
        shelf.clusters.support(["tea", ["beer", "x, y"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shelf.clusters.support(["tea", []])
