"""Mixed data: columns and a set of terms per person. Terms are published in clusters, as in disassociation. Columns are
published as a row per person, generalised until k people of the cluster share it. Which row belongs to which terms is
not published, except for terms that enough people of every kind have. PROOF.md, next to this file, has the proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods import min_people as rare_terms
from disjoin.methods.contract import Engine, Method
from disjoin.methods.disassociation.choices import settled
from disjoin.methods.generalization.choices import ALGORITHMS
from disjoin.methods.min_people import stored_threshold, threshold_of, with_enough_people
from disjoin.methods.sensitive_terms import MATCH_HELP, MATCHES, MISSING_HELP, chosen_terms, require_declared, terms_of
from disjoin.methods.settings import ROLE_HELP, check_settings, contradictions_of, role_texts, setting
from disjoin.model.k_anonymity import column_names
from disjoin.model.mixed_anonymity import MixedAnonymity, exclusions_from
from disjoin.model.parameters import LEAVE_OUT, RARE, stated
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation
    from disjoin.methods.disassociation.clustering import Task
    from disjoin.methods.generalization import Generalization
    from disjoin.model import AnyGuarantee, Clusters, Draft, Hierarchy, Mixed, MixedRecords

LINKS = ("none", "chunks", "terms", "strong")
RESERVED = ("cluster", "terms", "count")  # columns that the published table adds
SMALL = 1_000  # people of a cluster; in smaller clusters rows lose much information


@dataclass(frozen=True, slots=True)
class MixedDisassociation(Method):
    """Publish people so that an attacker who knows columns `quasi` and up to `m` terms of one finds `k` candidates."""

    name: ClassVar[str] = "mixed"
    takes: ClassVar[Literal["records", "table", "mixed"]] = "mixed"
    sharded: ClassVar[tuple[str, ...]] = ("HORPART", "VERPART", "local search")
    help: ClassVar[str] = """
    Publish people who have columns and a set of terms each, such as patients with their diagnoses.

    An attacker who knows all quasi-identifiers of a person and up to M of their terms finds at least K candidates.
    FILE is a table with a list of terms in one column. Or give two files, joined by an id that is not published:
    people, with a row per person, and items, with a row per person and term. Terms are published in clusters, and the
    quasi-identifiers of each cluster are generalised. The release is written only if an independent verifier accepts
    it.
    """

    k: int = setting(
        5,
        "an attacker who knows all quasi-identifiers and up to m terms of a person finds at least K candidates",
        flag="-k",
        least=2,
    )
    m: int = setting(
        2, "how many terms of a person an attacker may know, besides the quasi-identifiers", flag="-m", least=1
    )
    quasi: tuple[str, ...] = setting(
        (), "the quasi-identifiers: columns that an attacker may know of a person", kind="columns"
    )
    role: tuple[str, ...] = setting((), ROLE_HELP, kind="roles")
    link: str = setting(
        "chunks",
        "which terms are published together with the rows: none, whole chunks, all that can be, or (strong) none, "
        "in clusters of people with similar columns",
        choices=LINKS,
    )
    clustering: str = setting(
        "core",
        "how people are grouped by their terms: by frequent terms, by a core apart from the rest, by both, or by "
        "the best of these",
        choices=(*settled(), "auto"),
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
        "at most one person in L of a cluster may have the same sensitive term",
        least=2,
        flag="-l",
        why="l = 1 sets no limit.",
    )
    sensitive_columns: tuple[str, ...] = setting(
        (), "columns that an attacker must not learn of a person, published with the rows", kind="columns"
    )
    alpha: Fraction | None = setting(
        None, "at most this share of the rows of a class may have the same value of a sensitive column"
    )
    column_l: int = setting(
        1,
        "every class has at least N different values of each sensitive column",
        least=1,
        why="it is a number of different values.",
    )
    exclusions: tuple[str, ...] = setting(
        (),
        "terms that no person has with some values, which an attacker may know, such as O80:sex=m or O80*:sex=m|male",
        flag="exclude",
        kind="terms",
    )
    algorithm: str = setting(
        "local-search", "the algorithm that generalises the rows", choices=ALGORITHMS, flag="method"
    )
    min_people: int | None = setting(None, rare_terms.MIN_PEOPLE_HELP, least=2, why="with 1, nothing is left out.")
    rare: str = setting(LEAVE_OUT, rare_terms.RARE_HELP, choices=RARE)
    hierarchy: Hierarchy | None = setting(None, rare_terms.CATEGORIES_HELP)

    def __post_init__(self) -> None:
        for name in ("quasi", "sensitive_columns"):
            given = getattr(self, name)
            object.__setattr__(self, name, () if given is None else column_names(name, given))
        object.__setattr__(self, "role", role_texts(self.role))
        object.__setattr__(self, "sensitive", terms_of(self.sensitive))
        given = (self.exclusions,) if isinstance(self.exclusions, str) else self.exclusions
        object.__setattr__(self, "exclusions", tuple(str(each) for each in exclusions_from(given)))
        check_settings(self)
        rare_terms.require_settings(self)
        asked = self._guarantee(self.sensitive, without_terms=False)
        for name in ("k", "m", "alpha", "column_l"):
            object.__setattr__(self, name, getattr(asked, name))
        require_declared(self)
        for name in (*self.quasi, *self.sensitive_columns):
            if name in RESERVED:
                raise InvalidParameter(
                    f"a column of rows cannot be called {name!r}: the release adds one with this name. Rename it."
                )

    def _guarantee(self, sensitive: tuple[str, ...], *, without_terms: bool) -> MixedAnonymity:
        return MixedAnonymity(
            k=self.k,
            m=self.m,
            quasi=self.quasi or ("a quasi",),  # the columns are checked when the data are read
            l=self.l or 1,
            sensitive=sensitive,
            sensitive_columns=self.sensitive_columns or (("a sensitive",) if self.is_about_columns else ()),
            alpha=self.alpha,
            column_l=self.column_l,
            without_terms=without_terms,
            exclusions=exclusions_from(self.exclusions) if self.quasi else (),
            min_people=threshold_of(self),
        )

    @property
    def min_cluster_size(self) -> int:
        return max(self.k, self.l or 1)

    @property
    def is_about_columns(self) -> bool:
        return self.alpha is not None or self.column_l > 1

    @property
    def of_terms(self) -> Disassociation:
        from disjoin.methods.disassociation import Disassociation

        clustering = "horpart" if self.link == "strong" else self.clustering
        return Disassociation(k=self.k, m=self.m, clustering=clustering, l=self.l, sensitive=self.sensitive)

    @property
    def of_rows(self) -> Generalization:
        from disjoin.methods.generalization import Generalization

        return Generalization(
            k=self.k,
            quasi=self.quasi,
            sensitive=self.sensitive_columns,
            sensitive_match=self.sensitive_match,
            algorithm=self.algorithm,
            alpha=self.alpha,
            l=self.column_l,
            one_row_per_person=True,
        )

    @property
    def hierarchy_columns(self) -> tuple[str, ...]:
        return self.quasi

    def require_roles(self, data: MixedRecords) -> None:
        from disjoin.methods.mixed.people import require_roles

        require_roles(self, data)

    def prepared(self, data: MixedRecords) -> MixedRecords:
        from disjoin.methods.mixed.people import chosen_columns

        chosen = chosen_columns(self, data)
        return chosen if self.hierarchy is None else chosen.with_categories(self.hierarchy)

    def warnings(self, data: MixedRecords) -> list[str]:
        from disjoin.methods.mixed.people import notes_about

        self.require_roles(data)
        return [*notes_about(self, data), *chosen_terms(self, data.records).notes()]

    def claim(self, draft: Draft[Mixed]) -> MixedAnonymity:
        return self._guarantee(draft.sensitive, without_terms=bool(draft.private["people_without_terms"]))

    def parameters(self) -> Mapping[str, Any]:
        """Return the parameters as stored in a release; names of columns and terms are in the guarantee."""
        facts: dict[str, Any] = {"k": self.k, "m": self.m, "link": self.link, "algorithm": self.algorithm}
        if self.link != "strong":
            facts["clustering"] = self.clustering
        return facts | stated(self, "l", "alpha", "column_l") | stored_threshold(self)

    @classmethod
    def contradictions(cls, guarantee: AnyGuarantee, stated: Mapping[str, Any], suppressed: int) -> list[str]:
        names = ("quasi", "sensitive_columns", "sensitive", "exclusions")
        known: dict[str, Any] = {name: getattr(guarantee, name, ()) for name in names}
        method = partial(cls, **known)
        found = contradictions_of(
            method, guarantee, MixedAnonymity, stated, ("k", "m", "alpha", "column_l"), suppressed
        )
        if isinstance(guarantee, MixedAnonymity) and guarantee.sensitive and stated.get("l", 1) != guarantee.l:
            found.append(f"the parameter l is {stated.get('l')!r}, but {guarantee.l} is guaranteed")
        return found

    @with_enough_people
    def publish(
        self,
        data: MixedRecords,
        engine: Engine,
        progress: Progress = silent,
        run: Callable[[Task], Draft[Clusters]] | None = None,
    ) -> Draft[Mixed]:
        """Publish clusters of terms with generalised rows; `disjoin.advise` passes its own `run`."""
        from disjoin.methods.disassociation.run import disassociate  # imported late: it loads compiled code
        from disjoin.methods.mixed.run import publish_mixed

        if len(data) < self.min_cluster_size:
            raise GuaranteeUnreachable(
                f"{len(data):,} people cannot form a cluster of at least {self.min_cluster_size}. "
                "Add people, or ask for less."
            )
        return publish_mixed(self, data, engine, progress, run or disassociate)
