"""Release: published data with its guarantee, made only by the verifier."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from disjoin.errors import DisjoinWarning, UnreadableInput
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.published import Published, Verdict
from disjoin.text import json_text

if TYPE_CHECKING:
    import pyarrow as pa

    from disjoin.analyst.pairs import Pairs
    from disjoin.attack.known_terms import Candidates
    from disjoin.model.transactions import Transactions


SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Report:
    """Facts that may be published: each is a function of the published content and of the parameters.

    >>> Report.from_json(Report("disassociation").to_json()) == Report("disassociation")
    True
    """

    method: str
    form: str = "clusters"  # the form of published data, see `disjoin.model.published`
    parameters: dict[str, Any] = field(default_factory=dict)
    guarantee: dict[str, Any] = field(default_factory=dict)
    sentence: str = ""
    verdict: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    statistics: dict[str, Any] = field(default_factory=dict)
    measures: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"Report({self.method}, {self.form}, {len(self.statistics):,} statistics, {len(self.measures):,} measures)"
        )

    def to_json(self) -> str:
        return json_text({"schema": SCHEMA, **asdict(self)}, indent=2, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Read the facts from JSON; raise `UnreadableInput` if they are not a report of this schema."""
        try:
            facts = json.loads(text)
        except ValueError as failure:
            raise UnreadableInput("expected a report in JSON; the text is damaged.") from failure
        if not isinstance(facts, dict) or facts.pop("schema", None) != SCHEMA:
            raise UnreadableInput(f"expected a report with schema {SCHEMA}; a newer disjoin may have written this one.")
        if "method" not in facts or not facts.keys() <= {each.name for each in fields(cls)}:
            raise UnreadableInput("expected the facts of a report, found others; the text is damaged.")
        return cls(**facts)


SEAL = object()  # known only to the verifier, so nothing else can make a Release


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)  # weak references: the analyst's index lives as long
class Release:
    """`published` + the guarantee + a verdict that holds; made by `disjoin.verify.certify` only.

    `method` and `parameters` show how it was made; `suppressed_records` is the number of suppressed records.
    """

    published: Published
    guarantee: AnyGuarantee
    verdict: Verdict
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    suppressed_records: int = 0
    seal: object = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.seal is not SEAL:
            raise TypeError("a Release is made by disjoin.verify.certify only: nothing unverified can be published")
        if not self.verdict.holds:
            raise TypeError("a Release needs a verdict that holds: refused data cannot be published")
        object.__setattr__(self, "seal", None)  # removed, so that dataclasses.replace cannot apply it to other data
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def __init_subclass__(cls) -> None:
        raise TypeError("a Release cannot be extended: it is exactly what the verifier has accepted")

    def __reduce__(self) -> Any:
        raise TypeError("a Release is not pickled or copied: write it to a folder, and load it from there")

    def __repr__(self) -> str:
        return f"Release({self.method}, {self.published!r}, {self.guarantee!r})"

    def _repr_html_(self) -> str:
        from disjoin.report.show import release_card

        return release_card(self)

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the release folder, completely or not at all, and return its path."""
        # Imported when called, because the model must not depend on the module that writes.
        from disjoin import pipeline

        return pipeline.write(self, path, overwrite=overwrite)

    def support(self, itemsets: object, *, rare: Literal["once", "half"] = "once") -> pa.Table:
        """Return bounds and an estimate of the support of an itemset, or of several, see `disjoin.analyst.support`.

        Unknown terms raise a `DisjoinWarning`, because they may be misspelt.
        """
        from disjoin import analyst

        table = analyst.support(self, itemsets, rare=rare)
        unknown = analyst.unknown_terms(self, table["itemset"])
        if unknown:
            warnings.warn(analyst.unknown_in_words(unknown), DisjoinWarning, stacklevel=2)
        return table

    def candidates(self, known: object) -> Candidates:
        """Return the candidate records of a person with these known terms, see `disjoin.attack.known_terms`."""
        from disjoin.attack.known_terms import candidates

        return candidates(self, known)

    def mine(
        self,
        top: int | None = 1000,
        *,
        min_support: float | None = None,
        max_size: int | None = None,
        rare: Literal["once", "half"] = "once",
    ) -> pa.Table:
        """Return the itemsets with the largest estimated supports, with bounds, see `disjoin.analyst.mine`."""
        from disjoin import analyst

        return analyst.mine(self, top, min_support=min_support, max_size=max_size, rare=rare)

    def rules(self, *, min_support: float = 0.015, min_confidence: float = 0.3, max_size: int = 3) -> pa.Table:
        """Return association rules with bounds of support, confidence and lift, see `disjoin.analyst.rules`."""
        from disjoin import analyst

        return analyst.rules(self, min_support=min_support, min_confidence=min_confidence, max_size=max_size)

    def terms(self) -> pa.Table:
        """Return every term of the release with bounds and an estimate of its support, frequent ones first."""
        from disjoin import analyst

        return analyst.single_terms(self)

    def pairs(self, *, at_least: float = 0.0, rare: Literal["once", "half"] = "once") -> Pairs:
        """Return the expected co-occurrence of all pairs as a sparse matrix, see `disjoin.analyst.pair_matrix`."""
        from disjoin import analyst

        return analyst.pair_matrix(self, at_least=at_least, rare=rare)

    def reconstruct(
        self, n: int = 1, seed: int = 0, *, rare: Literal["once", "uniform"] = "once"
    ) -> list[Transactions]:
        """Return `n` possible originals, none of which is the original; see `disjoin.analyst.reconstruction`."""
        from disjoin.analyst.reconstruction import worlds_of

        return list(worlds_of(self, n, seed, rare=rare))

    def to_transactions(self, seed: int = 0) -> Transactions:
        """Return one possible original, for code that needs records; it is not the original."""
        return self.reconstruct(1, seed)[0]

    @property
    def counts(self) -> dict[str, int]:
        extent = self.published.extent
        return {"records": extent["records"], "suppressed_records": self.suppressed_records} | extent
