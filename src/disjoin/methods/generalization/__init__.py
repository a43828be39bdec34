"""Local recoding: rows form equivalence classes with equal generalised quasi-identifiers (proof: PROOF.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from disjoin.errors import InvalidParameter
from disjoin.methods.contract import Engine, Method
from disjoin.methods.generalization.choices import ALGORITHM_NAMES, ALGORITHMS, SIMILAR_IDS, WEIGHTS
from disjoin.methods.min_people import (
    MIN_VALUES_HELP,
    RARE_CELLS_HELP,
    stored_threshold,
    threshold_of,
    with_enough_people,
)
from disjoin.methods.sensitive_terms import MATCHES
from disjoin.methods.settings import ROLE_HELP, check_settings, contradictions_of, role_texts, setting
from disjoin.model.k_anonymity import DISTANCES, Closeness, Distance, KAnonymity, column_names
from disjoin.model.parameters import CATEGORY, LEAVE_OUT, RARE, require_integer, stated
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.generalization.requirements import Roles
    from disjoin.model import AnyGuarantee, Draft, Generalized, Table

_SINGLE = ("suppress", "k_map", "least_presence", "most_presence")  # not about single classes


@dataclass(frozen=True, slots=True)
class Generalization(Method):
    """Publish a table so that every row shares its quasi-identifiers with at least `k` - 1 others; with `person`, with
    rows of at least `k` - 1 other people."""

    name: ClassVar[str] = "generalization"
    takes: ClassVar[Literal["records", "table", "mixed"]] = "table"
    sharded: ClassVar[tuple[str, ...]] = ("local search",)
    help: ClassVar[str] = """
    Publish the table in FILE (- for standard input) with k-anonymity, by generalising its quasi-identifiers.

    Rows form equivalence classes of at least K, which share their quasi-identifiers: 30-39 instead of 34. Values are
    generalised by the hierarchies that you give; numbers without one become intervals. Sensitive and other columns
    are published unchanged, and a column without a role is not published. The release is written only if an
    independent verifier accepts it.
    """

    k: int = setting(5, "every row has the same quasi-identifiers as at least K-1 others", flag="-k", least=2)
    quasi: tuple[str, ...] = setting(
        (), "the quasi-identifiers: columns that an attacker may know of a person", kind="columns"
    )
    sensitive: tuple[str, ...] = setting((), "columns that an attacker must not learn of a person", kind="columns")
    sensitive_match: str = setting(
        "exact",
        "refuse sensitive values that differ only in spelling (case, blanks around them, width), or count them as one",
        choices=MATCHES,
    )
    identifiers: tuple[str, ...] = setting(
        (), "columns that identify a person, which are not published", kind="columns"
    )
    others: tuple[str, ...] = setting((), "columns that identify nobody and are published unchanged", kind="columns")
    drop_unassigned: bool = setting(False, "leave out columns that have no role, instead of stopping")
    role: tuple[str, ...] = setting((), ROLE_HELP, kind="roles")
    person: str | None = setting(
        None,
        "the column that identifies the person of a row, which is not published, so that k, alpha and l count people",
        kind="column",
    )
    one_row_per_person: bool = setting(False, "treat every row as another person, although an identifier repeats")
    similar_ids: str = setting(
        "error", "what to do with ids that differ only in case, blanks or Unicode form", choices=SIMILAR_IDS
    )
    algorithm: str = setting(
        "local-search", "the algorithm that forms the equivalence classes", choices=ALGORITHMS, flag="method"
    )
    alpha: Fraction | None = setting(None, "at most this share of a class may have the same sensitive value")
    l: int = setting(1, "every class has at least L different sensitive values", flag="-l", least=1)  # noqa: E741 - papers' name
    entropy_l: Fraction | None = setting(
        None,
        "entropy l-diversity: sensitive values of a class are at least as even as this many equally frequent ones",
        flag="entropy-l",
    )
    c: Fraction | None = setting(
        None,
        "recursive (c,l)-diversity: the most frequent value of a class is in fewer than C times as many rows as "
        "all but the L-1 most frequent values",
    )
    t: Fraction | None = setting(
        None, "t-closeness: sensitive values of a class are within T of those of the whole table"
    )
    t_distance: str = setting(
        "equal",
        "the distance of t: equal (half the sum of the differences), ordered (as numbers) or hierarchical",
        choices=DISTANCES,
    )
    beta: Fraction | None = setting(
        None, "beta-likeness: the share of a value in a class is at most 1 + BETA times its share in the table"
    )
    enhanced_beta: bool = setting(
        False, "enhanced beta-likeness: nor is it above 1 - ln P times the value's share P in the table"
    )
    delta: Fraction | None = setting(
        None,
        "delta-disclosure: the share of a value in a class is between e^-DELTA and e^DELTA times its share in the "
        "table",
    )
    stub: bool = setting(True, "take only as many rows of a large class as are needed, if only k is asked (kaca)")
    partition_size: int | None = setting(
        None, "the number of rows in a part, at least K (top-down-kaca; default: 10 times K)", least=2
    )
    retries: int = setting(
        0, "break up some classes and search again N times, and keep the best (local-search)", least=0
    )
    suppress: Fraction | None = setting(
        None, "suppress up to this share of the rows (* in all quasi-identifiers) where that keeps more of the others"
    )
    k_map: int | None = setting(None, "k-map: every class matches at least this many people of the population", least=1)
    least_presence: Fraction | None = setting(
        None, "delta-presence: the least chance that a person of the population is in the table"
    )
    most_presence: Fraction | None = setting(
        None, "delta-presence: the largest chance that a person of the population is in the table"
    )
    weights: str = setting(
        "uniform", "the cost of a generalisation step: the same everywhere, or higher near the root", choices=WEIGHTS
    )
    whole_cells: bool = setting(False, "publish sensitive cells that look like lists unchanged, as single values")
    min_people: int | None = setting(None, MIN_VALUES_HELP, least=2, why="with 1, nothing is left out.")
    rare: str = setting(LEAVE_OUT, RARE_CELLS_HELP, choices=RARE)

    def __post_init__(self) -> None:
        for name in ("quasi", "sensitive", "identifiers", "others"):
            given = getattr(self, name)
            object.__setattr__(self, name, () if given is None else column_names(name, given))
        object.__setattr__(self, "role", role_texts(self.role))
        object.__setattr__(self, "k", KAnonymity(self.k, ("a quasi",)).k)
        check_settings(self)
        # A guarantee about any sensitive column checks the rest: which column it is about may depend on the table.
        asked = self.guarantee(("a quasi",), ("a sensitive",))
        for name in ("alpha", "l", "entropy_l", *_SINGLE):
            object.__setattr__(self, name, getattr(asked, name))
        for name in ("c", "t", "beta", "delta"):
            object.__setattr__(self, name, getattr(asked.closeness, name))
        if self.min_people is not None and self.t is not None and self.t_distance != "equal":
            raise InvalidParameter(
                f"min_people replaces rare values by words that the distance {self.t_distance!r} cannot measure: use "
                "t_distance = 'equal', or leave min_people out."
            )
        if self.partition_size is not None:
            why = "a part needs at least one class of k rows."
            size = require_integer("partition_size", self.partition_size, self.k, why)
            object.__setattr__(self, "partition_size", size)
        why = "it is the number of new searches."
        object.__setattr__(self, "retries", require_integer("retries", self.retries, 0, why))
        if self.person is not None and self.one_row_per_person:
            raise InvalidParameter("person means that people may have several rows: leave one_row_per_person out.")

    def guarantee(self, quasi: tuple[str, ...], sensitive: tuple[str, ...]) -> KAnonymity:
        limits = (self.alpha, self.l, self.entropy_l, self.person, self.closeness)
        more = {name: getattr(self, name) for name in _SINGLE}
        return KAnonymity(self.k, quasi, sensitive, *limits, **more, min_people=threshold_of(self))

    @property
    def rows_in_part(self) -> int:
        return 10 * self.k if self.partition_size is None else self.partition_size

    @property
    def closeness(self) -> Closeness:
        distance = cast("Distance", self.t_distance)
        return Closeness(self.c, self.t, distance, self.beta, self.enhanced_beta, self.delta)

    @property
    def hierarchy_columns(self) -> tuple[str, ...]:
        if self.rare == CATEGORY:
            return (*self.quasi, *self.sensitive, *self.others)
        return (*self.quasi, *(self.sensitive if self.t_distance == "hierarchical" else ()))

    @property
    def is_about_sensitive(self) -> bool:
        return self.alpha is not None or self.l > 1 or self.entropy_l is not None or bool(self.closeness)

    def roles(self, table: Table) -> Roles:
        from disjoin.methods.generalization.requirements import roles_of  # imported late: it loads the array libraries

        people = () if self.person is None or self.person in self.identifiers else (self.person,)
        return roles_of(table, self.quasi, self.sensitive, (*self.identifiers, *people), self.others)

    def require_roles(self, table: Table) -> None:
        from disjoin.methods.generalization.people import require_roles

        require_roles(self, table, self.roles(table))

    def prepared(self, table: Table) -> Table:
        return table.with_roles(self.roles(table).by_name())

    def warnings(self, table: Table) -> list[str]:
        from disjoin.methods.generalization.choices import slow_note
        from disjoin.methods.generalization.encoding import notes_on_trees
        from disjoin.methods.generalization.people import require_people
        from disjoin.methods.generalization.requirements import require_one_spelling

        roles = self.roles(table)
        self.require_roles(table)
        require_people(self, table, roles)
        require_one_spelling(self, table, roles)
        notes = []
        if roles.dropped:
            notes.append(f"not published, because they have no role: {', '.join(roles.dropped)}.")
        if roles.sensitive and not self.is_about_sensitive:
            notes.append(
                f"no limit is set for {', '.join(roles.sensitive)}: a class whose rows have the same value there "
                "reveals it. Ask for alpha, l, t or beta."
            )
        slow = slow_note(self.algorithm, table, roles.quasi)
        return [*notes, *notes_on_trees(table, roles.quasi), *([slow] if slow else [])]

    def claim(self, draft: Draft[Generalized]) -> KAnonymity:
        from disjoin.model import Role

        sensitive = draft.published.table.schema.with_role(Role.SENSITIVE)
        return self.guarantee(draft.published.quasi, sensitive)

    def parameters(self) -> Mapping[str, Any]:
        """Return the parameters as stored in a release, without names of columns: the guarantee has those."""
        facts: dict[str, Any] = {"k": self.k, "algorithm": self.algorithm, "weights": self.weights}
        own = {"stub": self.stub, "partition_size": self.rows_in_part, "retries": self.retries}
        used = ALGORITHMS[self.algorithm].settings
        facts |= {name: own[name] for name in used if name != "retries" or self.retries}
        facts |= stated(self, "l", "k_map", "alpha", "entropy_l", "suppress", "least_presence", "most_presence")
        return facts | self.closeness.to_json() | stored_threshold(self)

    @classmethod
    def contradictions(cls, guarantee: AnyGuarantee, stated: Mapping[str, Any], suppressed: int) -> list[str]:
        names = ("k", "alpha", "l", "entropy_l", *_SINGLE, *(part.name for part in fields(Closeness)))
        return contradictions_of(cls, guarantee, KAnonymity, stated, names, suppressed)

    @with_enough_people
    def publish(self, table: Table, engine: Engine, progress: Progress = silent) -> Draft[Generalized]:
        from disjoin.methods.generalization.draft import generalise  # imported late: it loads compiled code
        from disjoin.methods.generalization.requirements import require_single_values

        if not self.whole_cells:
            require_single_values(table, self.roles(table).sensitive)
        return generalise(self, table, engine, progress)


__all__ = ["ALGORITHMS", "ALGORITHM_NAMES", "WEIGHTS", "Generalization"]
