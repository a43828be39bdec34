"""What the steward is told about the cost of a release, and nobody else: exact facts about the original."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from disjoin.model import Published

NOTHING_LEFT = (
    "Nothing stood out from the noise, so there are no records. More records, a larger epsilon, a lower --prune or a "
    "shorter list of terms leave more; but every further run on the same data spends its epsilon in addition."
)


def private_words(published: Published, private: Mapping[str, Any]) -> list[str]:
    """Say what was lost and spent, as far as the method measured it."""
    words = [*_chosen(private), *_in_chunks(private), *_sensitive(private), *_generalised(private), *_spent(private)]
    return words if published.extent["records"] or "most_spent" not in private else [*words, NOTHING_LEFT]


def _chosen(private: Mapping[str, Any]) -> list[str]:
    if "weighted_pair_errors" not in private:
        return []
    errors = ", ".join(f"{name} {error:.3f}" for name, error in private["weighted_pair_errors"].items())
    return [f"Chosen: the clustering {private['clustering']}, with the least error of frequent pairs ({errors})."]


def _in_chunks(private: Mapping[str, Any]) -> list[str]:
    if "term_mass" not in private:
        return []
    words = [
        f"{private['term_mass']:.1%} of the term occurrences and {private['pair_mass']:.1%} of the pairs of terms "
        "stand in chunks."
    ]
    before = private["before_refining"]
    if before != {name: private[name] for name in before}:
        words.append(f"Before clusters were joined it was {before['term_mass']:.1%} and {before['pair_mass']:.1%}.")
    return words


def _sensitive(private: Mapping[str, Any]) -> list[str]:
    if "true_association" not in private:
        return []
    share, of = private["true_association"]
    return [f"In the worst cluster, {share} in {of} records have the same sensitive term."]


def _generalised(private: Mapping[str, Any]) -> list[str]:
    if "ncp" not in private:
        return []
    number = private["generalized_terms"]
    terms = "No term that occurs is generalised" if not number else f"Generalised: {number:,} of the terms that occur"
    return [f"{terms}. NCP is {private['ncp']:.3f}: 0 if nothing is generalised, 1 if everything becomes the root."]


def _spent(private: Mapping[str, Any]) -> list[str]:
    if "most_spent" not in private:
        return []
    least, most = (f"{private[name]:.4g}" for name in ("least_spent", "most_spent"))
    looked_at = "1 part was" if private["partitions"] == 1 else f"{private['partitions']:,} parts were"
    words = [
        f"{looked_at} looked into. What a path spent of epsilon: {least if least == most else f'{least} to {most}'}."
    ]
    if private["outside_records"]:
        words.append(f"Records without any term of the domain, which are left out: {private['outside_records']:,}.")
    return words
