"""The deFinetti attack on groups: learn from the release which ordinary items go with a sensitive item.

Each record is given the rate exp(b + sum of the weights of its ordinary items) of having the item. The number of
holders that a group lists is taken for a Poisson count with the sum of its records' rates. Weights maximise the
likelihood of all groups with a ridge penalty. In every group that lists the item the attacker names the record with the
highest rate; the confidence is its share of the group's rates. The original is only used to count the right guesses.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.as_clusters import bare_records_of, holders_listed
from disjoin.attack.possible_records import by_content, original_rows
from disjoin.errors import InvalidParameter, require_kind
from disjoin.model.groups import Groups
from disjoin.model.ragged import Ints64, Ragged, offsets_of
from disjoin.model.release import Release
from disjoin.model.transactions import Transactions
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]

RIDGE = 10.0  # the penalty on squared weights: of 1, 3, 10 and 30 the most right guesses on WV1 and WV2 together
STEPS = 200  # of the optimiser, at most
LARGEST, LEAST = 10.0, -30.0  # logarithms of a rate
SUREST = 5  # one case in five is among the surest
ROUNDS, NEAR = 500, 1e-3  # of the fit to both margins, and how near it must come, in records
EQUAL = 1e-6  # logarithms of rates that are that near are equal
_ADVICE = "they do not belong together. Give the data that the release was made from."


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """One guess for every sensitive item of every group: how sure it is, what chance gives, and how often it is right.
    `right` is the share of the equally likely named records that hold the item, None without the original."""

    confidence: Floats
    random: Floats
    right: Floats | None


@dataclass(frozen=True, slots=True)
class DeFinetti:
    """How often an attacker names a holder of a sensitive item, with only the release to learn from. `expected` shares
    are the attacker's own confidence; `right` shares are counted in the original."""

    cases: int
    random: float
    expected: float
    expected_surest: float
    right: float | None = None
    right_surest: float | None = None

    def sentence(self) -> str:
        who = "An attacker who learns from the release which ordinary items correlate with a sensitive item"
        sure = f"{self.expected:.1%} on average ({self.expected_surest:.1%} in the most confident fifth of the groups)"
        by_chance = f"A random guess is right in {self.random:.1%}."
        if self.right is None:
            return f"{who} names a likely owner in every group, with a confidence of {sure}. {by_chance}"
        counted = f"{self.right:.1%} of the groups ({self.right_surest:.1%} in the most confident fifth)"
        alone = f"From the release alone, the attacker's confidence is {sure}."
        return f"{who} names an owner correctly in {counted}. {by_chance} {alone}"

    def to_json(self) -> dict[str, Any]:
        return {name: None if value is None else round(value, 6) for name, value in asdict(self).items()}


def definetti(
    source: Release | Groups, original: Transactions | None = None, *, progress: Progress = silent
) -> DeFinetti:
    """Return what the attack expects from groups alone and, with the original, how often it is right."""
    found = guesses_in(source.published if isinstance(source, Release) else source, original, progress=progress)
    confidence, right = found.confidence, found.right
    if not confidence.size:
        raise InvalidParameter("no group lists a sensitive item of records that all have ordinary items.")
    top = np.argsort(-confidence, kind="stable")[: max(1, confidence.size // SUREST)]
    return DeFinetti(
        cases=confidence.size,
        random=float(found.random.mean()),
        expected=float(confidence.mean()),
        expected_surest=float(confidence[top].mean()),
        right=None if right is None else float(right.mean()),
        right_surest=None if right is None else float(right[top].mean()),
    )


def guesses_in(published: Any, original: Transactions | None = None, *, progress: Progress = silent) -> Guesses:
    """Guess an owner of each sensitive item in each group."""
    from scipy.sparse import csr_array

    if not isinstance(published, Groups):
        raise InvalidParameter(f"this attack reads groups, and this release has {published.in_words}.")
    truth = None if original is None else _Truth(published, original)
    shape = published.counts.size, len(published.vocabulary)
    has = csr_array((np.ones(published.items.size), published.items, published.item_offsets), shape=shape)
    items = np.flatnonzero(published.is_sensitive).tolist()
    found = [(np.zeros(0),) * 3]
    for done, item in enumerate(items):
        progress("attacking", done, len(items))
        found.append(_guessed(published, has, item, truth))
    sure, random, right = (np.concatenate(column) for column in zip(*found, strict=True))
    return Guesses(sure, random, None if truth is None else right)


def _guessed(published: Groups, has: csr_array, item: int, truth: _Truth | None) -> tuple[Floats, Floats, Floats]:
    """Return confidence, chance and share of right guesses for each group that lists an item; `has` is (rows, terms).
    Groups with a record that has no ordinary item are left out."""
    owners, counts, n = published.groups.owners(), published.counts, len(published)
    held = holders_listed(published, item).astype(np.float64)
    scores = scores_of(has, owners, counts, held)
    best = np.full(n, -np.inf)
    np.maximum.at(best, owners, scores)
    sums = np.bincount(owners, counts * np.exp(scores - best[owners]), n)
    cases = np.flatnonzero((held > 0) & (bare_records_of(published) == 0))
    sure, random = np.minimum(1.0, held[cases] / sums[cases]), held[cases] / published.sizes[cases]
    if truth is None:
        return sure, random, random
    named = scores >= best[owners] - EQUAL
    hold = np.bincount(owners, truth.holders(item, held, owners, counts) * named, n)
    return sure, random, (hold / np.bincount(owners, counts * named, n))[cases]


def scores_of(has: csr_array, owners: Ints64, counts: Ints64, held: Floats) -> Floats:
    """Return the logarithm of every row's rate; rows of `has` are published records, `held` is per group."""
    from scipy.optimize import minimize

    turned = has.T.tocsr()

    def loss(weights: Floats) -> tuple[float, Floats]:
        rates = counts * np.exp(np.clip(weights[0] + has @ weights[1:], LEAST, LARGEST))
        sums = np.maximum(np.bincount(owners, rates, held.size), np.exp(LEAST))
        slope = rates * (1 - held / sums)[owners]
        value = sums.sum() - held @ np.log(sums) + RIDGE / 2 * weights[1:] @ weights[1:]
        return value, np.append(slope.sum(), turned @ slope + RIDGE * weights[1:])

    start = np.zeros(1 + has.shape[1])
    start[0] = np.log(held.sum() / counts.sum())
    weights = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    scores: Floats = weights[0] + has @ weights[1:]
    return scores


class _Truth:
    """The original: how many records with the same ordinary items have a sensitive item. If such records are in several
    groups, the holders are spread over them so that both the groups' counts and the original's are met (iterative
    proportional fitting)."""

    def __init__(self, published: Groups, original: Transactions) -> None:
        require_kind(original, Transactions, "Transactions", "Read records with disjoin.read.")
        known = original_rows(published.vocabulary, original)  # terms of too few people may be left out of a release
        self.records = known.take(np.flatnonzero(known.lengths))
        ordinary = self.records.where(~published.is_sensitive[self.records.items])
        lengths = np.concatenate((published.records.lengths, ordinary.lengths))
        both = Ragged(offsets_of(lengths), np.concatenate((published.items, ordinary.items)))
        order = by_content(both)
        distinct, sorted_numbers = both.take(order).distinct()
        contents, self.n_contents = np.empty(order.size, np.int64), len(distinct)
        contents[order] = sorted_numbers  # a number for the ordinary items of every published row, and every record
        self.of_rows, self.of_records = np.split(contents, [published.counts.size])
        listed = np.bincount(self.of_rows, published.counts, self.n_contents)
        if (listed != np.bincount(self.of_records, minlength=self.n_contents)).any():
            raise InvalidParameter(
                f"the original's records have other ordinary items than the release's: {_ADVICE} If it replaced rare "
                "terms, replace them in the data as well."
            )

    def holders(self, item: int, held: Floats, owners: Ints64, counts: Ints64) -> Floats:
        """Return how many of the records of every row have an item, as expected from both sides."""
        having = self.records.owners()[self.records.items == item]
        wanted = np.bincount(self.of_records[having], minlength=self.n_contents).astype(np.float64)
        if having.size != held.sum():
            raise InvalidParameter(f"the original has a sensitive item in another number of records: {_ADVICE}")
        found: Floats = counts.astype(np.float64) * ((held[owners] > 0) & (wanted[self.of_rows] > 0))
        for _ in range(ROUNDS):
            found *= _ratio(held, np.bincount(owners, found, held.size))[owners]
            there = np.bincount(self.of_rows, found, self.n_contents)
            if np.abs(there - wanted).max(initial=0) < NEAR:
                break
            found *= _ratio(wanted, there)[self.of_rows]
        return np.minimum(found, counts)


def _ratio(wanted: Floats, there: NDArray[Any]) -> Floats:
    found: Floats = np.divide(wanted, there, out=np.zeros_like(wanted), where=there > 0)
    return found
