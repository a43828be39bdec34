"""Disassociation: k^m-anonymity for sets of terms; every term is kept, rare combinations of terms are separated.
Records are grouped into clusters: HORPART puts similar records together, and a core that is already anonymous is one
cluster. The terms of a cluster are cut into chunks in which every combination of up to m terms occurs k times or not
at all (VERPART). Clusters that share rare terms are joined (REFINE). PROOF.md in this folder has the proofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods import min_people as rare_terms
from disjoin.methods.contract import Engine, Method
from disjoin.methods.disassociation import choices
from disjoin.methods.disassociation.choices import CLUSTERINGS, REFINE_BUILDERS, REFINE_MODES, STRATEGIES, TIE_RULES
from disjoin.methods.min_people import stored_threshold, threshold_of, with_enough_people
from disjoin.methods.sensitive_terms import MATCH_HELP, MATCHES, MISSING_HELP, chosen_terms, require_declared, terms_of
from disjoin.methods.settings import check_settings, setting
from disjoin.model.km_anonymity import KmAnonymity, cover_limit
from disjoin.model.parameters import LEAVE_OUT, RARE, require_integer, stated
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.disassociation.clustering import Task
    from disjoin.model import AnyGuarantee, Clusters, Draft, Hierarchy, Transactions

_CLUSTERINGS = "; ".join(f"{each.name}: {each.sentence}" for each in CLUSTERINGS.values())
LARGE_CLUSTER = 5_000  # the smallest default of `max_cluster_size` next to a core


def default_cluster_size(least: int) -> int:
    """Return the default of `max_cluster_size` for clusters of at least `least` records."""
    return 20 * least


@dataclass(frozen=True, slots=True)
class Disassociation(Method):
    """The method: an attacker who knows up to `m` terms of a record finds at least `k` candidates in the release."""

    name: ClassVar[str] = "disassociation"
    sharded: ClassVar[tuple[str, ...]] = ("HORPART", "VERPART")
    help: ClassVar[str] = """
    Publish the records of FILE (- for standard input) in clusters, with k^m-anonymity.

    An attacker who knows up to M terms of a record finds at least K candidates. Records are grouped into clusters, and
    the terms of each cluster are divided into chunks, so that rare combinations are separated. Every term is kept;
    the strategy `suppression` leaves out whole records. The release is written only if an independent verifier
    accepts it.
    """

    k: int = setting(5, "an attacker who knows up to m terms finds at least K candidates", flag="-k", least=2)
    m: int = setting(2, "how many terms of a record an attacker may know", flag="-m", least=1)
    clustering: str = setting(choices.papers(), f"how records are grouped: {_CLUSTERINGS}", choices=CLUSTERINGS)
    max_cluster_size: int | None = setting(
        None,
        "split clusters of N records or more (default: 20 times the larger of k and l, next to a core at least 5000)",
        least=3,
        why="clusters with that many records are split.",
    )
    max_exposed: Fraction = setting(
        0,
        "the share of a cluster's records that may have m + 1 terms that fewer than k records have, such as 0.01 "
        "(bounded)",
    )
    cover_aware: Fraction | None = setting(
        None, "no association rule with up to m known terms may reach this confidence in a chunk (1: certainty)"
    )
    slack: int = setting(
        0,
        "an attacker who also knows N whole records still finds k candidates among the others",
        least=0,
        why="it is the number of whole records that an attacker may know.",
    )
    strategy: str = setting(
        "cardiff",
        "what to do with groups of records that are too small to publish (cardiff: collect and split them again)",
        choices=STRATEGIES,
    )
    ties: str = setting(
        "lex",
        "which of equally frequent terms to split on (lex: the first in alphabetical order; first: the first in "
        "the file)",
        choices=TIE_RULES,
    )
    refine: bool = setting(True, "join clusters that share rare terms, which adds counts for these terms")
    refine_mode: str = setting(
        "safe", "the condition on joint clusters; the proof of 'paper' is wrong", choices=REFINE_MODES
    )
    refine_builder: str = setting("levels", "join many clusters at once, or in pairs", choices=REFINE_BUILDERS)
    refine_passes: int | None = setting(
        None,
        "stop joining clusters after N passes (default: no limit)",
        least=1,
        why="to join nothing, use refine = false.",
    )
    max_joint_size: int | None = setting(
        None, "the largest number of records in a joint cluster (default: no limit)", least=4
    )
    sensitive: tuple[str, ...] = setting(
        (),
        "sensitive terms, which are listed without counts: a file with one term per line, or a,b (B20*: all that "
        "begin with B20)",
        kind="terms",
    )
    sensitive_match: str = setting("exact", MATCH_HELP, choices=MATCHES)
    allow_missing_sensitive: bool = setting(False, MISSING_HELP)
    l: int | None = setting(  # noqa: E741 - the papers' name
        None,
        "at most one record in L of a cluster may have the same sensitive term",
        flag="-l",
        least=2,
        why="it bounds the share of a cluster that has a sensitive term by 1/l.",
    )
    min_people: int | None = setting(None, rare_terms.MIN_PEOPLE_HELP, least=2, why="with 1, nothing is left out.")
    rare: str = setting(LEAVE_OUT, rare_terms.RARE_HELP, choices=RARE)
    hierarchy: Hierarchy | None = setting(None, rare_terms.CATEGORIES_HELP)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitive", terms_of(self.sensitive))
        require_declared(self)
        check_settings(self)
        rare_terms.require_settings(self)
        if self.min_people is not None and STRATEGIES[self.strategy].leaves_out:
            raise InvalidParameter(
                f"min_people cannot be guaranteed with the strategy {self.strategy!r}: it may leave out some of the "
                "people who have a term. Use another strategy."
            )
        guarantee = KmAnonymity(self.k, self.m)
        object.__setattr__(self, "k", guarantee.k)
        object.__setattr__(self, "m", guarantee.m)
        if self.l is not None and not self.sensitive:
            raise InvalidParameter("l needs sensitive terms, but none are given: add them, or leave l out.")
        smallest = self.min_cluster_size
        if self.max_cluster_size is not None and self.max_cluster_size <= smallest:
            raise InvalidParameter(
                f"max_cluster_size must be greater than {smallest} (k, or l if that is more), got "
                f"{self.max_cluster_size}: no cluster could have at least {smallest} and fewer than "
                f"{self.max_cluster_size} records. Use at least {2 * smallest}, or leave it out."
            )
        object.__setattr__(self, "max_exposed", choices.share_of_exposed(self.max_exposed, self.clustering, self.m))
        if self.cover_aware is not None:
            object.__setattr__(self, "cover_aware", cover_limit(self.cover_aware))
        self._check_combinations()
        if self.max_joint_size is not None:
            why = "a joint cluster has at least two clusters of at least k (and l) records."
            size = require_integer("max_joint_size", self.max_joint_size, 2 * smallest, why)
            object.__setattr__(self, "max_joint_size", size)

    def _check_combinations(self) -> None:
        asked = [name for name in ("cover_aware", "slack") if getattr(self, name)]
        if asked and self.refine and self.refine_mode == "paper":
            raise InvalidParameter(f"{asked[0]} needs refine_mode 'safe', which is proven, got 'paper': leave one out.")
        if self.clustering_record.splits:
            return
        if self.max_cluster_size is not None:
            raise InvalidParameter(
                f"max_cluster_size has no effect on the clustering {self.clustering!r}, which has no size limit: leave "
                "it out, or use 'core-horpart'."
            )
        if self.ties == "first":
            raise InvalidParameter(
                "ties='first' is for 'horpart' and 'core-horpart', "
                f"not for the clustering {self.clustering!r}: leave one out."
            )

    @property
    def clustering_record(self) -> choices.Clustering:
        return CLUSTERINGS[self.clustering]

    @property
    def min_support(self) -> int:
        """The minimum support of every published set of terms: k and `slack`."""
        return self.k + self.slack

    @property
    def min_cluster_size(self) -> int:
        return max(self.min_support, self.l or 1)

    @property
    def size_limit(self) -> int:
        next_to_core = LARGE_CLUSTER if self.clustering_record.has_core and self.clustering_record.splits else 0
        return self.max_cluster_size or max(default_cluster_size(self.min_cluster_size), next_to_core)

    @property
    def needs_written_order(self) -> bool:
        """Whether ties between terms are broken by their order in the source."""
        return self.ties == "first"

    def prepared(self, data: Transactions) -> Transactions:
        return data if self.hierarchy is None else data.with_hierarchy(self.hierarchy)

    def warnings(self, data: Transactions) -> list[str]:
        notes = choices.about_kept_columns(getattr(data.intake, "kept", ()), self.m)  # data frames have none
        if self.clustering_record.splits and self.size_limit < 2 * self.min_cluster_size:
            notes.append(
                f"max_cluster_size {self.size_limit} is less than twice the smallest cluster "
                f"({self.min_cluster_size}): some clusters cannot be split and may be larger."
            )
        chosen = chosen_terms(self, data)
        notes += chosen.notes()
        if self.sensitive and chosen.terms and self.l is None:
            notes.append(
                "sensitive terms are listed without counts, but nothing limits the share of a cluster's records "
                "that have one. Give l to limit it to one in l."
            )
        if self.refine and self.refine_mode == "paper":
            notes.append(
                "refine_mode 'paper' is for comparison: its proof has counterexamples, so the release states that "
                "its guarantee is not proven. Use 'safe' for data that you publish."
            )
        if self.ties == "first":
            notes.append("with ties='first' the order of the input changes the release: only for reproducing papers.")
        return notes

    def claim(self, draft: Draft[Clusters]) -> KmAnonymity:
        """Return the guarantee for a draft. It names published terms only, because others reveal suppressed records."""
        proven = not (self.refine and self.refine_mode == "paper")
        stored = self.parameters() if draft.parameters is None else draft.parameters
        return KmAnonymity(
            self.k,
            choices.known_terms(stored),
            self.l or 1,
            draft.sensitive,
            proven,
            self.slack,
            self.cover_aware,
            min_people=threshold_of(self),
        )

    def parameters(self) -> Mapping[str, Any]:
        """Return the parameters as they are stored in a release; those chosen by 'auto' are in its draft instead.
        Sensitive terms are not among them: the guarantee names those that are published."""
        facts: dict[str, Any] = {"k": self.k, "m": self.m}
        if not self.clustering_record.is_papers:  # the paper's is implied where none is named
            facts["clustering"] = self.clustering
        if self.clustering_record.splits:
            facts |= {"max_cluster_size": self.size_limit, "strategy": self.strategy, "ties": self.ties}
        facts |= stated(self, "max_exposed", "cover_aware", "slack") | {"refine": self.refine}
        if self.refine:
            facts |= {"refine_mode": self.refine_mode, "refine_builder": self.refine_builder}
            facts |= stated(self, "refine_passes", "max_joint_size")
        return facts | stated(self, "l") | stored_threshold(self)

    @classmethod
    def contradictions(cls, guarantee: AnyGuarantee, stated: Mapping[str, Any], suppressed: int) -> list[str]:
        return choices.contradictions_of(guarantee, stated, suppressed)

    @with_enough_people
    def publish(
        self,
        data: Transactions,
        engine: Engine,
        progress: Progress = silent,
        run: Callable[[Task], Draft[Clusters]] | None = None,
    ) -> Draft[Clusters]:
        """Cluster the records, cut clusters into chunks, and return where every record is published. `run` replaces
        `disassociate`: `disjoin.advise` passes a function that compares clusterings."""
        from disjoin.methods.disassociation.clustering import Task  # imported late: it loads compiled code
        from disjoin.methods.disassociation.run import disassociate

        if len(data) < self.min_cluster_size:
            raise GuaranteeUnreachable(self.too_few(len(data)))
        marked = data.with_sensitive(chosen_terms(self, data).terms)
        return (run or disassociate)(Task(self, marked, engine, progress))

    def too_few(self, records: int) -> str:
        name = "l" if self.min_support < self.min_cluster_size else "k + slack" if self.slack else "k"
        remedy = f", or lower {name} to {records} or less" if records >= 2 else ""
        who = "1 record" if records == 1 else f"{records} records"
        return f"{who} cannot form a cluster of at least {self.min_cluster_size}. Add records{remedy}."
