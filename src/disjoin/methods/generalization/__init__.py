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
    Publish the table in FILE (- for standard input) with its quasi-identifiers generalised.

    Rows that are alike form classes of at least K, and in a class the columns that somebody may know say the same for
    all of them: 30-39 instead of 34, by hierarchies that you give, or the interval from the least to the largest
    number. Sensitive and other columns are published as they are; a column without a role is not
    published. Nothing is written unless an independent check accepts the result.
    """

    k: int = setting(5, "every row has the same quasi-identifiers as at least K-1 others", flag="-k", least=2)
    quasi: tuple[str, ...] = setting((), "columns that somebody may know of a person: a,b,c", kind="columns")
    sensitive: tuple[str, ...] = setting((), "columns that must not be learned of a person", kind="columns")
    sensitive_match: str = setting(
        "exact",
        "sensitive values that differ in their spelling alone (case, blanks around them, width) are refused, or "
        "counted as one",
        choices=MATCHES,
    )
    identifiers: tuple[str, ...] = setting((), "columns that name a person, which are not published", kind="columns")
    others: tuple[str, ...] = setting((), "columns that name nobody and are published as they are", kind="columns")
    drop_unassigned: bool = setting(False, "columns without a role are left out; otherwise they stop the run")
    role: tuple[str, ...] = setting((), ROLE_HELP, kind="roles")
    person: str | None = setting(
        None,
        "the column that says whose a row is: k, alpha and l count people, not rows; it is not published",
        kind="column",
    )
    one_row_per_person: bool = setting(False, "every row is another person, although an identifier repeats")
    similar_ids: str = setting(
        "error", "ids of people that differ only in case, blanks or Unicode form", choices=SIMILAR_IDS
    )
    algorithm: str = setting("local-search", "how classes are formed", choices=ALGORITHMS, flag="method")
    alpha: Fraction | None = setting(None, "at most this share of a class may have the same sensitive value")
    l: int = setting(1, "every class has L different sensitive values", flag="-l", least=1)  # noqa: E741 - papers' name
    entropy_l: Fraction | None = setting(
        None, "sensitive values of a class are at least as even as that many equally frequent ones", flag="entropy-l"
    )
    c: Fraction | None = setting(
        None,
        "recursive (c,l): the most frequent value of a class is in fewer than C times as many rows as all but the L-1 "
        "most frequent values",
    )
    t: Fraction | None = setting(None, "sensitive values of a class are within T of those of the whole table")
    t_distance: str = setting(
        "equal",
        "t is half the sum of the differences of shares, or how far values must be moved, as numbers or in a hierarchy",
        choices=DISTANCES,
    )
    beta: Fraction | None = setting(
        None, "no sensitive value has a share of a class above 1 + BETA times its share of the whole table"
    )
    enhanced_beta: bool = setting(False, "nor above 1 - ln P times its share P of the whole table")
    delta: Fraction | None = setting(
        None,
        "every sensitive value has a share of every class between e^-DELTA and e^DELTA times that of the whole table",
    )
    stub: bool = setting(True, "KACA: take only as many rows of a large class as are needed, if nothing but K is asked")
    partition_size: int | None = setting(
        None, "TopDown-KACA: rows in a part, at least K; 10 times K if not given", least=2
    )
    retries: int = setting(
        0, "local-search: break up some classes and search anew that many times, and keep what loses less", least=0
    )
    suppress: Fraction | None = setting(
        None, "star up to this share of the rows (* in all quasi-identifiers) where that keeps more for all others"
    )
    k_map: int | None = setting(None, "what a row says fits at least this many people of the population", least=1)
    least_presence: Fraction | None = setting(
        None, "anybody of the population is in the table with at least this chance"
    )
    most_presence: Fraction | None = setting(None, "anybody of the population is in the table with at most this chance")
    weights: str = setting("uniform", "steps of generalisation cost the same, or more near the root", choices=WEIGHTS)
    whole_cells: bool = setting(False, "sensitive cells that look like lists are single values, published as they are")
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
