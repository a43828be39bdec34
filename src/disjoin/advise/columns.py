"""What is measured of every setting: the columns of the table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from disjoin.advise.grid import Yardstick
from disjoin.compare.columns import ResultColumn

DIGITS = 4  # of a share or an error: what is written is what is compared


@dataclass(frozen=True, slots=True)
class Share(ResultColumn):
    """A column of shares, written in per cent."""

    def written(self, value: float | None) -> str:
        """Return a share for people.

        >>> [COLUMNS["exposed"].written(share) for share in (0.0, 0.0003, 0.0352, 1.0, None)]
        ['0%', '<0.1%', '3.5%', '100%', '-']
        """
        return "-" if value is None else percent(value)


def percent(share: float) -> str:
    """Return a share in per cent, never rounded to nothing or to everything.

    >>> percent(0.1234), percent(0.9999)
    ('12.3%', '>99.9%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    return "<0.1%" if share < 0.001 else ">99.9%" if share > 0.999 else f"{share:.1%}"


ERROR, EXPOSED = "weighted_pair_error", "exposed"  # the axes of the chart
PAIRS, SINGLED, UNIVERSAL = "pair_mass", "singled_out", "universal_terms"
COLUMNS: dict[str, ResultColumn] = {
    column.name: column
    for column in (
        Share(PAIRS, "pairs kept", "share of the pairs of terms in a record that a chunk still shows as pairs"),
        ResultColumn(
            ERROR,
            "pair error",
            "how far the supports of pairs of the 300 most frequent terms, estimated from what is published, are off: "
            "the sum of all differences in units of the sum of all supports",
            largest=None,
        ),
        Share("tkd_a", "tKd-a", "share of the 1,000 most frequent itemsets that are not among those of the chunks"),
        Share(EXPOSED, "exposed", "share of the records, at most, of which {exposed}"),
        Share(SINGLED, "singled out", "share of the records, at most, of which {singled_out}"),
        Share(
            UNIVERSAL,
            "universal",
            "share of the term occurrences in record chunks whose term all records of the cluster have: anyone who "
            "knows the cluster of a person knows these terms of that person",
        ),
        ResultColumn("seconds", "seconds", "seconds on the clock that publishing took", 2, "cost", None),
    )
}


def columns_for(yardstick: Yardstick) -> dict[str, ResultColumn]:
    """Return the columns with meanings that name the numbers of the yardstick."""
    alone = yardstick.alone.in_words()
    return {
        name: replace(column, meaning=column.meaning.format(exposed=yardstick.in_words(), singled_out=alone))
        for name, column in COLUMNS.items()
    }
