"""CAHD: records with similar ordinary items form groups. A group lists its sensitive items; at most one record in p has
the same one. Correlation of sensitive with ordinary items is not hidden (`disjoin.attack.definetti`). PROOF.md, next to
this file, has the proof, and shows where the printed method fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from disjoin.errors import InvalidParameter
from disjoin.methods import min_people as rare_terms
from disjoin.methods.contract import Engine, Method
from disjoin.methods.min_people import stored_threshold, threshold_of, with_enough_people
from disjoin.methods.sensitive_terms import MATCH_HELP, MATCHES, MISSING_HELP, require_declared, terms_of
from disjoin.methods.settings import LazyEntry, by_name, check_settings, contradictions_of, import_object, setting
from disjoin.model.parameters import LEAVE_OUT, RARE, stated, threshold_in
from disjoin.model.privacy_degree import PrivacyDegree
from disjoin.progress import Progress, silent
from disjoin.text import counted

if TYPE_CHECKING:
    from disjoin.model import AnyGuarantee, Draft, Groups, Hierarchy, Transactions

_HERE = "disjoin.methods.cahd"


@dataclass(frozen=True, slots=True)
class RecordOrder(LazyEntry):
    """An order that places similar records near each other: a function of rows (offsets, items, number of items) that
    returns the orders of rows and of items. `patience` maps supports of items to a note on the running time."""

    patience: str | None = None


ORDERS = by_name(
    RecordOrder("bipartite", "by the graph of records and items", f"{_HERE}.cuthill_mckee:by_graph"),
    RecordOrder(
        "aat",
        "by the graph of records alone, in which those with common items are neighbours",
        f"{_HERE}.cuthill_mckee:by_common_items",
        patience=f"{_HERE}.cuthill_mckee:slow_note",
    ),
)
ORDER_NAMES = tuple(ORDERS)


@dataclass(frozen=True, slots=True)
class Grouping(LazyEntry):
    """A way to form groups; its function takes ordered rows, p, alpha and progress."""

    spreads: bool = False  # equal records are spread over the order before groups are formed
    is_papers: bool = False  # the paper's grouping, which reveals the records with a sensitive item


GROUPINGS = by_name(
    Grouping("blind", "by ordinary items alone", f"{_HERE}.cahd_groups:blind_groups_of", spreads=True),
    Grouping(
        "paper",
        "around each record with a sensitive item, which gives it away",
        f"{_HERE}.cahd_groups:groups_of",
        is_papers=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Cahd(Method):
    """Publish records in groups in which at most 1 in `p` has the same sensitive item."""

    name: ClassVar[str] = "cahd"
    help: ClassVar[str] = """
    Publish the records of FILE (- for standard input) with their sensitive items hidden in groups.

    At most one record in P of a group has the same sensitive item, and the release does not list which. All other items
    are published unchanged. Groups are formed of records with similar ordinary items. Correlation between ordinary
    and sensitive items is not hidden: `disjoin attack` measures how often an attacker finds an owner. The release is
    written only if an independent verifier accepts it.
    """

    p: int = setting(10, "at most one record in P of a group may have the same sensitive item", flag="-p", least=2)
    sensitive: tuple[str, ...] = setting(
        (), "the sensitive items: a file with one item per line, or a,b (B20*: all that begin with B20)", kind="terms"
    )
    sensitive_match: str = setting("exact", MATCH_HELP, choices=MATCHES)
    allow_missing_sensitive: bool = setting(False, MISSING_HELP)
    random_sensitive: int | None = setting(
        None,
        "treat N random items as sensitive, as in the papers' experiments",
        least=1,
        why="it is the number of items that are treated as sensitive.",
    )
    seed: int = setting(
        0,
        "the seed that selects random sensitive items",
        least=0,
        why="it selects the items.",
    )
    alpha: int = setting(
        3,
        "search for a group among the ALPHA times P nearest records on either side",
        least=1,
        why="groups are searched among alpha times p neighbours.",
    )
    order: str = setting(
        "bipartite",
        "the graph by which similar records are placed near each other: records and items, or records alone",
        choices=ORDERS,
    )
    grouping: str = setting(
        "blind",
        "form groups by ordinary items alone, or around each record with a sensitive item, which gives it away",
        choices=GROUPINGS,
    )
    published_check: bool = setting(
        False,
        "for the grouping of the paper: test groups as the paper prints it, for comparison; unsafe ones can be left",
    )
    min_people: int | None = setting(None, rare_terms.MIN_PEOPLE_HELP, least=2, why="with 1, nothing is left out.")
    rare: str = setting(LEAVE_OUT, rare_terms.RARE_HELP, choices=RARE)
    hierarchy: Hierarchy | None = setting(None, rare_terms.CATEGORIES_HELP)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitive", terms_of(self.sensitive))
        require_declared(self)
        check_settings(self)
        rare_terms.require_settings(self)
        object.__setattr__(self, "p", PrivacyDegree(self.p).p)
        if self.random_sensitive is not None and self.sensitive:
            raise InvalidParameter("give the sensitive items or a number of random ones, not both.")
        if self.published_check and not GROUPINGS[self.grouping].is_papers:
            raise InvalidParameter("published_check tests the groups of the paper: set grouping to 'paper' as well.")

    def prepared(self, data: Transactions) -> Transactions:
        return data if self.hierarchy is None else data.with_hierarchy(self.hierarchy)

    def warnings(self, data: Transactions) -> list[str]:
        from disjoin.methods.cahd.run import chosen_items, marked  # imported late: it loads the array libraries

        notes = chosen_items(self, data).notes()
        kept = rare_terms.kept_of(self, data)
        chosen = marked(kept.method, kept.data)
        assert chosen.sensitive is not None, "just marked"
        bare = int((chosen.records.sums(~chosen.sensitive[chosen.items]) == 0).sum())
        if bare:
            notes.append(
                f"{counted(bare, 'record has', 'records have')} sensitive items only. An attacker who knows that a "
                "person has no other items learns that the person has one of these: the guarantee does not cover such "
                "records."
            )
        if self.random_sensitive is not None:
            notes.append(f"randomly chosen sensitive items, for trying only: {', '.join(chosen.sensitive_terms())}.")
        if GROUPINGS[self.grouping].is_papers:
            notes.append(
                "groups of the paper are formed around records with a sensitive item, and an attacker can guess these: "
                "the record most similar to the others was right in up to 55% of the groups. To publish, use "
                "grouping 'blind'."
            )
        if self.published_check:
            notes.append(
                "the check of the paper can leave groups in which an item is too frequent; such a result is refused."
            )
        patience = ORDERS[self.order].patience
        if patience is not None:
            slow = import_object(patience)(chosen.supports()[~chosen.sensitive])
            notes += [slow] if slow else []
        return notes

    def claim(self, draft: Draft[Groups]) -> PrivacyDegree:
        return PrivacyDegree(self.p, min_people=threshold_of(self))

    def parameters(self) -> Mapping[str, Any]:
        facts = {"p": self.p, "alpha": self.alpha, "order": self.order, "grouping": self.grouping}
        return facts | stated(self, "published_check") | stored_threshold(self)

    @classmethod
    def contradictions(cls, guarantee: AnyGuarantee, stated: Mapping[str, Any], suppressed: int) -> list[str]:
        named = {"grouping": "paper"} | dict(stated)  # older releases do not name it
        left_out = suppressed if threshold_in(guarantee) is None else 0
        found = contradictions_of(cls, guarantee, PrivacyDegree, named, ("p",), left_out)
        if isinstance(guarantee, PrivacyDegree) and guarantee.sensitive:
            found.append("the guarantee names sensitive items, but with this method only the tables may name them")
        return found

    @with_enough_people
    def publish(self, data: Transactions, engine: Engine, progress: Progress = silent) -> Draft[Groups]:
        from disjoin.methods.cahd import run  # imported late: it loads compiled code

        chosen = run.marked(self, data)
        run.require_reachable(self.p, chosen)
        return run.grouped_draft(self, chosen, progress)
