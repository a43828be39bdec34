"""Utility measures: `MEASURES` need the release alone and may be published; `EVALUATIONS` need its original."""

from disjoin.measure import disclosure, mass, pairs, shapes, tables, terms, tkd
from disjoin.measure.definition import Finding, Measure, Settings
from disjoin.measure.disclosure import exposed_records, universal_terms
from disjoin.measure.evaluation import Evaluation, EvaluationRow, evaluate_tables
from disjoin.measure.evidence import Evidence
from disjoin.measure.evidence_groups import GroupEvidence
from disjoin.measure.evidence_items import ItemEvidence
from disjoin.measure.evidence_tables import TableEvidence
from disjoin.measure.kl import association_error, kl_divergence, mean_divergence, mean_kl
from disjoin.measure.link_error import MixedEvidence, link_error, link_error_found
from disjoin.measure.mass import exact_pair_mass, exact_term_mass, pair_mass, term_mass
from disjoin.measure.pairs import weighted_pair_error
from disjoin.measure.tables import igpl
from disjoin.model.plugins import Registry

REGISTRY: tuple[Measure, ...] = (
    *(mass.TERM_MASS, mass.PAIR_MASS),
    *(disclosure.EXPOSED_RECORDS, disclosure.UNIVERSAL_TERMS, disclosure.SURE_INFERENCE),
    *(tkd.tkd, tkd.tkd_a, tkd.tkd_ml2),
    *pairs.RELATIVE_ERRORS,
    *(terms.tlost, terms.tlost_more_than_k, terms.tlost_any),
    *(terms.surviving_terms, shapes.ncp_items),
    *(mass.term_mass_kept, mass.pair_mass_kept, pairs.WEIGHTED_PAIR_ERROR),
    *(disclosure.exposed_records_shown, disclosure.universal_terms_shown),
    *(disclosure.sure_inference_shown, disclosure.HARMED_RECORDS),
    *(terms.suppressed_records, terms.suppressed_occurrences),
    *(shapes.clusters, shapes.chunks, shapes.terms_per_chunk),
    *(mean_divergence, association_error),
    *(shapes.groups, shapes.largest_group, shapes.bare_records),
    *(tables.granularity, tables.precision, tables.ncp, tables.iloss, tables.entropy_loss),
    *(tables.distortion, tables.distortion_height, tables.distortion_per_cell),
    *(tables.discernibility, tables.cavg, tables.classes, tables.smallest_class, tables.largest_class),
    *(tables.classification_metric, tables.igpl_from_nothing),
    link_error_found,
)
MEASURES: dict[str, Measure] = {measure.name: measure for measure in REGISTRY if not measure.needs_original}
_COMPARING = {measure.name: measure for measure in REGISTRY if measure.needs_original}
EVALUATIONS: Registry[Measure] = Registry("disjoin.measures", (Measure,), _COMPARING)

__all__ = ["EVALUATIONS", "MEASURES", "REGISTRY", "Evaluation", "EvaluationRow", "Evidence", "Finding", "GroupEvidence"]
__all__ += ["ItemEvidence", "Measure", "MixedEvidence", "Settings", "TableEvidence", "evaluate_tables"]
__all__ += ["exact_pair_mass", "exact_term_mass", "exposed_records", "igpl", "kl_divergence", "link_error", "mean_kl"]
__all__ += ["pair_mass", "term_mass", "universal_terms", "weighted_pair_error"]
