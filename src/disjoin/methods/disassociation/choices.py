"""Choices of the settings of disassociation: a record per clustering and per strategy. Options, advice, comparisons and
charts read these lists, in their order. Reading them loads no compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from disjoin.errors import InvalidParameter
from disjoin.methods.settings import LazyEntry, by_name, different
from disjoin.model.km_anonymity import KmAnonymity
from disjoin.model.parameters import fraction_from

if TYPE_CHECKING:
    from disjoin.model import AnyGuarantee


TIE_RULES = ("lex", "first")
REFINE_MODES = ("safe", "paper")
REFINE_BUILDERS = ("levels", "pairs")

BOUNDED = "bounded"
MOST_KNOWN = 2  # the largest m for which some records may be exposed by one more term

_HERE = "disjoin.methods.disassociation.clustering"


@dataclass(frozen=True, slots=True)
class Clustering(LazyEntry):
    """A clustering: its function (a `Task` -> `Clustered`) and its properties. One that tries others has no function:
    `disjoin.advise` compares them, and has the function for each."""

    title: str = ""  # in a comparison: how it differs from the others
    is_papers: bool = False  # the paper's: others are compared with it, and a release does not name it
    splits: bool = True  # by frequent terms, so max_cluster_size and ties have an effect
    has_core: bool = False  # has one large cluster that needs no cutting
    tries_others: bool = False  # several are published, and `disjoin.advise` takes the best
    is_stated: bool = True  # a release can name it
    is_candidate: bool = True  # 'auto' tries it


@dataclass(frozen=True, slots=True)
class Strategy(LazyEntry):
    """What happens to parts that are too small: a function of a task, records and a splitting function."""

    leaves_out: bool = False  # records may be missing in the release
    is_sequential: bool = False  # small parts move from part to part, so parts cannot be split in parallel


CLUSTERINGS = by_name(
    Clustering("horpart", "by frequent terms", f"{_HERE}:horpart", is_papers=True),
    Clustering(
        *("core", "a core that is k^m-anonymous as it is, apart from the rest", f"{_HERE}:core"),
        title="the core apart from the rest",
        splits=False,
        has_core=True,
    ),
    Clustering(
        *("core-horpart", "a core, and the rest by frequent terms", f"{_HERE}:core_horpart"),
        title="the core apart and the rest split",
        has_core=True,
    ),
    Clustering(
        *("pruned", "a core, and clusters of the size that keeps most", None),
        title="clusters of the size that is worth most",
        splits=False,
        has_core=True,
        tries_others=True,
    ),
    Clustering(
        *("auto", "the best of these that reveals no more than horpart", None),
        tries_others=True,
        is_stated=False,
        is_candidate=False,
    ),
    Clustering(
        BOUNDED,
        "a core, and clusters that also keep the guarantee for m + 1 terms",
        None,
        title="the guarantee of m + 1",
        splits=False,
        has_core=True,
        tries_others=True,
        is_candidate=False,
    ),
)


def _strategy(name: str, sentence: str, **more: bool) -> Strategy:
    return Strategy(name, sentence, f"{_HERE}:{name.replace('-', '_')}", **more)


STRATEGIES = by_name(
    _strategy("abandon", "the split is not made; the part stays whole at any size"),
    _strategy("abandon-next", "the next most frequent term is tried, until both sides are large enough"),
    _strategy("suppression", "its records are suppressed; their number is stated", leaves_out=True),
    _strategy("adding", "it is added to the part that is split next, or to the last cluster", is_sequential=True),
    _strategy(
        "remaining",
        "the records of all such parts are collected and split again, as long as that helps; the rest is cut into "
        "blocks",
    ),
    _strategy("cardiff", "like `remaining`, but with two passes at most (the default)"),
)
STRATEGY_NAMES = tuple(STRATEGIES)


def settled() -> tuple[str, ...]:
    """Return the names of the clusterings that group records without trying others.

    >>> settled()
    ('horpart', 'core', 'core-horpart')
    """
    return tuple(name for name, way in CLUSTERINGS.items() if not way.tries_others)


def stated_clusterings() -> tuple[str, ...]:
    """Return the names of the clusterings that a release can name; without a name it is the paper's.

    >>> stated_clusterings()
    ('core', 'core-horpart', 'pruned', 'bounded')
    """
    return tuple(name for name, way in CLUSTERINGS.items() if way.is_stated and not way.is_papers)


def candidates() -> tuple[str, ...]:
    """Return the names of the clusterings that 'auto' compares with the paper's.

    >>> candidates()
    ('core', 'core-horpart', 'pruned')
    """
    return tuple(name for name in stated_clusterings() if CLUSTERINGS[name].is_candidate)


def papers() -> str:
    """Return the name of the paper's clustering.

    >>> papers()
    'horpart'
    """
    return next(name for name, way in CLUSTERINGS.items() if way.is_papers)


def known_terms(stated: Mapping[str, Any]) -> Any:
    """Return the number of known terms that a release with these parameters protects against: m + 1 if bounded.

    >>> known_terms({"m": 2}), known_terms({"m": 2, "clustering": "bounded"})
    (2, 3)
    >>> known_terms({"m": 2, "clustering": "bounded", "max_exposed": "1/100"})
    2
    """
    m = stated.get("m")
    is_bounded = stated.get("clustering") == BOUNDED and "max_exposed" not in stated
    return m + 1 if is_bounded and isinstance(m, int) else m


def share_of_exposed(given: Any, clustering: str, m: int) -> Fraction:
    """Return the share of records that may be exposed; raise if it is invalid here.

    >>> share_of_exposed("0.01", "bounded", 2)
    Fraction(1, 100)
    """
    share = fraction_from("max_exposed", given)
    if not 0 <= share <= 1:
        raise InvalidParameter(f"max_exposed must be in 0..1, a share of the records, got {given}.")
    if share > 0 and clustering != BOUNDED:
        raise InvalidParameter(
            f"max_exposed is for the clustering 'bounded', got {clustering!r}: leave it out, or use 'bounded'."
        )
    if share > 0 and m > MOST_KNOWN:
        raise InvalidParameter(
            f"max_exposed is for m up to {MOST_KNOWN}, got m = {m}: sets of more than {MOST_KNOWN + 1} terms are not "
            "counted row by row. Lower m, or leave max_exposed out."
        )
    return share


def about_kept_columns(columns: tuple[str, ...], m: int) -> list[str]:
    """Return a note on columns that become terms of the records, if there are any."""
    if not columns:
        return []
    *others, last = columns
    names, are = (f"{', '.join(others)} and {last}", "are") if others else (last, "is")
    return [
        f"{names} {are} published as terms, which m counts, too: an attacker may know at most {m} values and terms of "
        "a person together. An attacker who knows that every person has one value of a column can rule out more. "
        "`disjoin mixed` covers attackers who know all columns and m terms."
    ]


def contradictions_of(guarantee: AnyGuarantee, stated: Mapping[str, Any], suppressed: int) -> list[str]:
    """Return the contradictions between parameters, or the number of suppressed records, and the guarantee."""
    if not isinstance(guarantee, KmAnonymity):
        return [f"the method guarantees km-anonymity, but {guarantee.to_json()['type']} is stated"]
    meant = {"slack": 0, "l": 1, **stated, "m": known_terms(stated)}
    names = ("k", "m", "slack", "cover_aware", *(["l"] if guarantee.sensitive else []))
    found = different(meant, {"slack": 0, **guarantee.to_json()}, names)
    if guarantee.proven and stated.get("refine_mode") == "paper":
        found.append("the parameter refine_mode is 'paper', which is not proven, but the guarantee is stated as proven")
    if "clustering" in stated and stated["clustering"] not in stated_clusterings():
        found.append(f"the parameter clustering is {stated['clustering']!r}, which no release states")
    leaving = [name for name, strategy in STRATEGIES.items() if strategy.leaves_out]
    if suppressed and stated.get("strategy") not in leaving and guarantee.min_people is None:
        found.append(f"{suppressed} records are suppressed, but not by strategy {' or '.join(map(repr, leaving))}")
    return found
