"""The accounts of privacy: what a path has spent, exactly, and never more than there is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


class OverBudget(AssertionError):
    """More would be spent than promised: a fault of the program, and nothing is published."""


@dataclass(frozen=True, slots=True)
class Account:
    """What the path from the root to one partition may spend in all, and has spent.

    Siblings share no record, so each goes on with an account of its own; only along a path does spending add up.

    >>> account = Account(Fraction(1)).spend(Fraction(1, 8))
    >>> account.allowance(3), account.allowance(1)
    (Fraction(1, 8), Fraction(7, 8))
    """

    total: Fraction
    spent: Fraction = Fraction(0)

    def allowance(self, inner_nodes: int) -> Fraction:
        """Return what the next step may spend, if the cut has that many inner nodes in and below it.

        Half of the total is kept for the last step, which counts records; the other half is spread evenly over the
        steps that a record with something under every node would need.
        """
        if inner_nodes == 1:
            return self.total - self.spent
        return (self.total / 2 - self.spent) / inner_nodes

    def spend(self, epsilon: Fraction) -> Account:
        """Return the account after a step; raises OverBudget rather than exceed the total."""
        after = self.spent + epsilon
        # Not an assert: python -O must not switch it off.
        if epsilon <= 0 or after > self.total:
            raise OverBudget(f"a step of {float(epsilon):g} after {float(self.spent):g} of {float(self.total):g}")
        return Account(self.total, after)
