"""Trial of one method in a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from disjoin.advise.results import columns_in
from disjoin.advise.trial import first_of, measured
from disjoin.engine import Local
from disjoin.errors import NotAnonymous
from disjoin.lab.cost import Watched
from disjoin.measure.definition import Settings
from disjoin.measure.evaluation import EvaluationRow
from disjoin.methods.apriori import Apriori
from disjoin.methods.apriori.run import hierarchy_for
from disjoin.methods.contract import Method
from disjoin.methods.diffpart import DiffPart, SeededNoise
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import CLUSTERINGS, papers, settled
from disjoin.model import (
    AnyGuarantee,
    Clusters,
    DifferentialPrivacy,
    Hierarchy,
    KmAnonymity,
    Published,
    Transactions,
    Verdict,
)
from disjoin.model.differential_privacy import SEEN
from disjoin.model.parameters import require_integer
from disjoin.pipeline import publish
from disjoin.readers.hierarchies import hierarchy_from
from disjoin.verify import check

USUAL_FAN_OUT = 10


@dataclass(frozen=True, slots=True)
class Conditions:
    """Requirements for methods, and settings of measures; a method uses the fields that it supports. `hierarchy` is for
    methods that generalise terms and for the measure with ancestors, `epsilon` for methods that add noise. `seed` makes
    noise repeatable: for experiments only, results from a seed must not be published. `top` itemsets are compared."""

    hierarchy: Hierarchy = field(repr=False)
    k: int = 5
    m: int = 2
    fan_out: int = USUAL_FAN_OUT
    epsilon: Any = "1"  # any value for DifferentialPrivacy
    seed: int | None = None
    top: int = 1000
    threads: int = 0
    tree_from: str = "given"  # the source of the hierarchy, in words

    def __post_init__(self) -> None:
        guarantee = KmAnonymity(self.k, self.m)
        why = "it is the number of children of a node."
        checked: dict[str, Any] = {
            "k": guarantee.k,
            "m": guarantee.m,
            "fan_out": require_integer("fan_out", self.fan_out, 2, why),
        }
        checked["epsilon"] = DifferentialPrivacy(self.epsilon).epsilon
        if self.seed is not None:
            checked["seed"] = require_integer("seed", self.seed, 0, "it is a seed for noise.")
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "top", self.settings.top)

    @property
    def settings(self) -> Settings:
        return Settings(top=self.top, reconstructions=1, k=self.k)

    def to_json(self) -> dict[str, Any]:
        names = ("k", "m", "fan_out", "epsilon", "seed", "top")
        return {name: getattr(self, name) for name in names} | {"epsilon": str(self.epsilon)}


def conditions_for(
    data: Transactions, hierarchy: Hierarchy | str | Path | None = None, *, fan_out: int = USUAL_FAN_OUT, **rest: Any
) -> Conditions:
    tree = hierarchy_for(data, hierarchy_from(hierarchy), fan_out)
    tree_from = f"built over the sorted terms with a fan-out of {fan_out}"
    if hierarchy is not None:
        tree_from = "given" if isinstance(hierarchy, Hierarchy) else f"read from {Path(hierarchy).name}"
    return Conditions(tree, fan_out=fan_out, tree_from=tree_from, **rest)


MEASURED = ("tkd", "tkd_ml2", "re", "tlost")  # of EVALUATIONS
PRESENT = "re_present"  # re over the pairs in the original; in re, a pair that is in neither counts as right
ATTACKED = ("harmed_records", "sure_inference")  # of EVALUATIONS, too: attacks on clusters
LOSSES = ("tkd", "tkd_ml2", "re", PRESENT, "tlost")
COLUMNS = columns_in(__package__, "methods")


def losses_of(
    published: Published, data: Transactions, conditions: Conditions, suppressed_records: int = 0
) -> tuple[EvaluationRow, ...]:
    """Return `MEASURED` measures with their notes, for clusters also `ATTACKED`; raises for forms without these."""
    about: dict[str, Any] = {"k": conditions.k, "hierarchy": conditions.hierarchy, "settings": conditions.settings}
    names: tuple[str, ...] = MEASURED
    if isinstance(published, Clusters):
        names, about["m"] = (*MEASURED, *ATTACKED), conditions.m
    return measured(published, data, names, suppressed_records=suppressed_records, **about)


def values_of(rows: Iterable[EvaluationRow]) -> dict[str, float | None]:
    found: dict[str, float | None] = dict.fromkeys(ATTACKED)
    for row in rows:
        found[row.name] = row.value
        if row.name == "re":
            found[PRESENT] = row.details.get("error_of_pairs_in_original")
    return found


ForTrial = tuple[str, AnyGuarantee]  # why a result cannot be a release, as a sentence; its guarantee otherwise


@dataclass(frozen=True, slots=True)
class Contender:
    """A method under common conditions: a module's function, which the child process can find. `for_trial` returns
    whether its result is for trials only, not a release."""

    name: str
    title: str
    method: Callable[[Conditions], Method]
    for_trial: Callable[[Conditions], ForTrial | None] | None = None


def _disassociation(clustering: str, conditions: Conditions) -> Method:
    return Disassociation(k=conditions.k, m=conditions.m, clustering=clustering)


def _disassociation_unrefined(conditions: Conditions) -> Method:
    return Disassociation(k=conditions.k, m=conditions.m, clustering=papers(), refine=False)


def _apriori(algorithm: str, conditions: Conditions) -> Method:
    return Apriori(k=conditions.k, m=conditions.m, hierarchy=conditions.hierarchy, algorithm=algorithm)


def _diffpart(conditions: Conditions) -> Method:
    seed = _noise_seed(conditions)
    noise = None if seed is None else SeededNoise(seed)
    return DiffPart(epsilon=conditions.epsilon, domain=SEEN, fan_out=conditions.fan_out, noise=noise)


def _diffpart_for_trial(conditions: Conditions) -> ForTrial | None:
    seed = _noise_seed(conditions)
    if seed is None:
        return None
    absent = "" if conditions.seed is not None else ", because opendp is not installed (pip install 'disjoin[dp]')"
    reason = f"Its noise was drawn with seed {seed}{absent}: for trials only, not for publication."
    return reason, DifferentialPrivacy(conditions.epsilon, SEEN)


def _noise_seed(conditions: Conditions) -> int | None:
    return conditions.seed if conditions.seed is not None or find_spec("opendp") else 0


CONTENDERS: dict[str, Contender] = {
    contender.name: contender
    for contender in (
        Contender("disassociation", "Disassociation", partial(_disassociation, papers())),
        Contender("disassociation-unrefined", "Disassociation, clusters not joined", _disassociation_unrefined),
        *(
            Contender(name, f"Disassociation, {CLUSTERINGS[name].title}", partial(_disassociation, name))
            for name in settled()
            if not CLUSTERINGS[name].is_papers
        ),
        Contender("apriori", "Apriori generalisation (AA)", partial(_apriori, "apriori")),
        Contender("direct", "Direct generalisation (DA)", partial(_apriori, "direct")),
        Contender("diffpart", "DiffPart", _diffpart, _diffpart_for_trial),
    )
}


NOTHING = "It published no records."


@dataclass(frozen=True, slots=True)
class Trial:
    """The guarantee, losses and costs of one method; plain values."""

    values: Mapping[str, float | None]  # by measure
    sentence: str  # the guarantee in words
    guarantee: Mapping[str, Any]
    certified: bool  # whether it is a release with a proven guarantee
    by_construction: bool  # tables cannot show the guarantee, which rests on how they were made
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The published data, with the guarantee and the verdict."""

    published: Published
    guarantee: AnyGuarantee
    suppressed_records: int
    verdict: Verdict
    for_trial: str | None = None  # why it is not a release, if it is not


def tried(contender: Contender, conditions: Conditions, data: Transactions) -> Trial:
    """Let a method publish, verify and measure it, after a first run that excludes loading and compiling."""
    with suppress(Exception):  # an error will occur again in the real run
        published_by(contender, conditions, first_of(data, conditions.k), contender.method(conditions))
    method = contender.method(conditions)
    watched = Watched(method.publish)
    judged = published_by(contender, conditions, data, method, watched)
    losses = losses_of(judged.published, data, conditions, judged.suppressed_records)
    notes = [judged.for_trial] if judged.for_trial else []
    notes += [] if judged.published.extent["records"] else [NOTHING]
    told = (row for row in losses if row.value is None or row.name == "harmed_records")  # notes on these
    notes += [f"{row.name}: {note}" for row in told for note in row.notes]
    return Trial(
        values=values_of(losses) | watched.taken,
        sentence=judged.guarantee.sentence(),
        guarantee=judged.guarantee.to_json(),
        certified=judged.for_trial is None and judged.guarantee.proven,
        by_construction=bool(judged.verdict.facts.get("by_construction")),
        notes=tuple(notes),
    )


def published_by(
    contender: Contender, conditions: Conditions, data: Transactions, method: Method, watched: Watched | None = None
) -> Judged:
    """Publish and verify; raises unless the verifier accepts. The result is a release, except for trials only."""
    for_trial = contender.for_trial(conditions) if contender.for_trial else None
    if for_trial is None:
        release = publish(data, method, threads=conditions.threads, is_trial=True, publisher=watched).release
        return Judged(release.published, release.guarantee, release.suppressed_records, release.verdict)
    reason, guarantee = for_trial
    draft = (watched or method.publish)(data, Local(conditions.threads))
    suppressed = draft.suppressed_records
    verdict = check(
        draft.published,
        guarantee,
        original=method.prepared(data),
        part_of_record=draft.part_of_record,
        suppressed_records=suppressed,
    )
    if not verdict.holds:
        raise NotAnonymous(f"the verifier refused it: {verdict.violations[0]}", verdict)
    return Judged(draft.published, guarantee, suppressed, verdict, reason)
