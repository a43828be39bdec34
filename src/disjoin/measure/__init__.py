"""How much is left: one utility measure per file. Those in `MEASURES` need the release alone and may be published."""

from disjoin.measure.mass import exact_pair_mass, exact_term_mass
from disjoin.measure.pair_mass import PAIR_MASS, pair_mass
from disjoin.measure.record import Measure
from disjoin.measure.term_mass import TERM_MASS, term_mass

MEASURES: dict[str, Measure] = {measure.name: measure for measure in (TERM_MASS, PAIR_MASS)}

__all__ = ["MEASURES", "Measure", "exact_pair_mass", "exact_term_mass", "pair_mass", "term_mass"]
