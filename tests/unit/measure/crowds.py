"""Random originals, cut into groups, for the analyst's and the measures' tests."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from disjoin.model import Groups, PrivacyDegree, Release, Transactions, Verdict
from disjoin.model.release import SEAL
from oracle.groups_utility import Group, publish

ORDINARY = ("bread", "jam", "tea")
SENSITIVE = ("pills", "rum", "wig")


class Crowd(NamedTuple):
    """Groups of original records, and what is published of them."""

    groups: list[list[set[str]]]
    sensitive: set[str]  # those that occur

    @property
    def nested(self) -> list[Group]:
        return publish(self.groups, self.sensitive)

    @property
    def published(self) -> Groups:
        return Groups.from_nested(self.nested)

    @property
    def original(self) -> Transactions:
        return Transactions.from_sets([record for group in self.groups for record in group])


def crowd(*groups: list[set[str]]) -> Crowd:
    """Return groups with those items sensitive that are in `SENSITIVE`."""
    records = [record for group in groups for record in group]
    return Crowd(list(groups), set(SENSITIVE) & set().union(*records))


def crowds(most_groups: int = 2, most_records: int = 4) -> st.SearchStrategy[Crowd]:
    """Random groups; records have ordinary items, sensitive ones, or both."""
    records = st.sets(st.sampled_from([*ORDINARY, *SENSITIVE]), min_size=1, max_size=4)
    groups = st.lists(records, min_size=1, max_size=most_records)
    return st.lists(groups, min_size=1, max_size=most_groups).map(lambda drawn: crowd(*drawn))


def sealed_groups(published: Groups, p: int = 2) -> Release:
    """Make a release without asking the inspector: these tests are about what is done with one."""
    guarantee = PrivacyDegree(p)
    return Release(published, guarantee, Verdict(guarantee, (), ("G1",)), "cahd", {"p": p}, seal=SEAL)
