"""Registry of utility measures, and which of them need the original.

`REGISTRY` has them all, and each says whether it needs the original. Those in `MEASURES` need the release alone and may
be published. Those in `EVALUATIONS` compare it with its original: they are for the data steward, and each is about some
forms of published data.
"""

from disjoin.measure.definition import Finding, Measure, Settings
from disjoin.measure.disclosure import (
    EXPOSED_RECORDS,
    EXPOSED_RECORDS_SHOWN,
    HARMED_RECORDS,
    SURE_INFERENCE,
    SURE_INFERENCE_SHOWN,
    UNIVERSAL_TERMS,
    UNIVERSAL_TERMS_SHOWN,
    exposed_records,
    universal_terms,
)
from disjoin.measure.evaluation import Evaluation, EvaluationRow
from disjoin.measure.evidence import Evidence
from disjoin.measure.evidence_groups import GroupEvidence
from disjoin.measure.evidence_items import ItemEvidence
from disjoin.measure.evidence_tables import TableEvidence
from disjoin.measure.kl import ASSOCIATION_ERROR, KL, kl_divergence, mean_kl
from disjoin.measure.link_error import LINK_ERROR, MixedEvidence, link_error
from disjoin.measure.mass import (
    PAIR_MASS,
    PAIR_MASS_KEPT,
    TERM_MASS,
    TERM_MASS_KEPT,
    exact_pair_mass,
    exact_term_mass,
    pair_mass,
    term_mass,
)
from disjoin.measure.pairs import RELATIVE_ERRORS, WEIGHTED_PAIR_ERROR, weighted_pair_error
from disjoin.measure.shapes import BARE_RECORDS, CHUNKS, CLUSTERS, GROUPS, LARGEST_GROUP, NCP_ITEMS, TERMS_PER_CHUNK
from disjoin.measure.tables import (
    CAVG,
    CLASSES,
    CLASSIFICATION_METRIC,
    DISCERNIBILITY,
    DISTORTION,
    DISTORTION_HEIGHT,
    DISTORTION_PER_CELL,
    ENTROPY_LOSS,
    GRANULARITY,
    IGPL,
    ILOSS,
    LARGEST_CLASS,
    NCP,
    PRECISION,
    SMALLEST_CLASS,
    igpl,
)
from disjoin.measure.terms import (
    SUPPRESSED_OCCURRENCES,
    SUPPRESSED_RECORDS,
    SURVIVING_TERMS,
    TLOST,
    TLOST_ANY,
    TLOST_MORE_THAN_K,
)
from disjoin.measure.tkd import TKD, TKD_A, TKD_ML2
from disjoin.model.plugins import Registry

REGISTRY: tuple[Measure, ...] = (
    *(TERM_MASS, PAIR_MASS, EXPOSED_RECORDS, UNIVERSAL_TERMS, SURE_INFERENCE),
    *(TKD, TKD_A, TKD_ML2),
    *RELATIVE_ERRORS,
    *(TLOST, TLOST_MORE_THAN_K, TLOST_ANY),
    *(SURVIVING_TERMS, NCP_ITEMS),
    *(TERM_MASS_KEPT, PAIR_MASS_KEPT, WEIGHTED_PAIR_ERROR),
    *(EXPOSED_RECORDS_SHOWN, UNIVERSAL_TERMS_SHOWN, SURE_INFERENCE_SHOWN, HARMED_RECORDS),
    *(SUPPRESSED_RECORDS, SUPPRESSED_OCCURRENCES),
    *(CLUSTERS, CHUNKS, TERMS_PER_CHUNK),
    *(KL, ASSOCIATION_ERROR),
    *(GROUPS, LARGEST_GROUP, BARE_RECORDS),
    *(GRANULARITY, PRECISION, NCP, ILOSS, ENTROPY_LOSS),
    *(DISTORTION, DISTORTION_HEIGHT, DISTORTION_PER_CELL),
    *(DISCERNIBILITY, CAVG, CLASSES, SMALLEST_CLASS, LARGEST_CLASS),
    *(CLASSIFICATION_METRIC, IGPL),
    LINK_ERROR,
)
MEASURES: dict[str, Measure] = {measure.name: measure for measure in REGISTRY if not measure.needs_original}
_COMPARING = {measure.name: measure for measure in REGISTRY if measure.needs_original}
EVALUATIONS: Registry[Measure] = Registry("disjoin.measures", (Measure,), _COMPARING)

__all__ = [
    "EVALUATIONS",
    "MEASURES",
    "REGISTRY",
    "Evaluation",
    "EvaluationRow",
    "Evidence",
    "Finding",
    "GroupEvidence",
    "ItemEvidence",
    "Measure",
    "MixedEvidence",
    "Settings",
    "TableEvidence",
    "exact_pair_mass",
    "exact_term_mass",
    "exposed_records",
    "igpl",
    "kl_divergence",
    "link_error",
    "mean_kl",
    "pair_mass",
    "term_mass",
    "universal_terms",
    "weighted_pair_error",
]
