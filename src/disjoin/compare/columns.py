"""What is compared: the columns of the table, in words that fit every method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """One measure: its name in files, its title, what it means, and how it is written."""

    name: str
    title: str
    meaning: str
    places: int = 3
    kind: Literal["loss", "cost"] = "loss"
    largest: int | None = 1

    def written(self, value: float | None) -> str:
        """Return a value for people.

        >>> COLUMNS["tkd"].written(0.0512), COLUMNS["memory_mb"].written(1234.5), COLUMNS["re"].written(None)
        ('0.051', '1,234.5', '-')
        """
        return "-" if value is None else f"{value:,.{self.places}f}"


COLUMNS: dict[str, ResultColumn] = {
    column.name: column
    for column in (
        ResultColumn(
            "tkd",
            "tKd",
            "share of the most frequent itemsets of the original that are not among as many of what was published",
        ),
        ResultColumn(
            "tkd_ml2", "tKd-ML2", "the same, after every record got the ancestors of its terms in the hierarchy"
        ),
        ResultColumn(
            "re",
            "re",
            "relative error of the supports of pairs of the terms ranked 200-220: 0 is right, 2 is as wrong as can be",
            largest=2,
        ),
        ResultColumn(
            "re_present",
            "re present",
            "the same over the pairs that the original has; in re, one that is in no record of either counts as right",
            largest=2,
        ),
        ResultColumn(
            "tlost",
            "tlost",
            "share of the terms in at least k records whose occurrences what was published does not count",
        ),
        ResultColumn("seconds", "seconds", "seconds on the clock that publishing took", 2, "cost", None),
        ResultColumn(
            "processor_seconds",
            "cpu s",
            "seconds that processors worked meanwhile, all threads together",
            2,
            "cost",
            None,
        ),
        ResultColumn(
            "memory_mb",
            "memory MB",
            "millions of bytes held at most while publishing, beyond those held before, which include the data",
            1,
            "cost",
            None,
        ),
    )
}
