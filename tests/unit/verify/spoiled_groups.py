"""Small groups for the inspector's tests, and ways to spoil them."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

from oracle.groups_inspection import Group, Row, publish, size_of

SECRET = "xyzX"  # two spellings of one item


def records(random: Random) -> list[Row]:
    """Make a few records; some have sensitive items only."""
    rows = []
    for _ in range(random.randint(1, 9)):
        row = random.sample("abcd", random.randint(0, 3)) + random.sample(SECRET, random.choice([0, 0, 1, 1, 2]))
        rows.append(tuple(sorted(row)) or ("a",))
    return rows


def published(random: Random, *, suppress: bool = False) -> tuple[list[Row], list[Group], list[int]]:
    """Make records and publish them, in groups as they come; return records, groups and the group of each record."""
    given = records(random)
    most = random.randint(1, 4)
    parts = [random.randrange(most) for _ in given]
    if suppress:
        parts = [-1 if random.random() < 0.3 else part for part in parts]
        parts[0] = 0
    return given, *publish(given, set(SECRET), parts)


def spoiled(groups: list[Group], random: Random) -> list[Group]:
    """Return the groups with one thing changed, often for the worse."""
    changed = deepcopy(groups)
    if all(group["records"] for group in changed):  # else it is spoiled already
        random.choice(WAYS)(changed, random.choice(changed), random)
    return changed


def _size(_: list[Group], group: Group, random: Random) -> None:
    group["size"] = size_of(group) + random.choice([-2, -1, 1])


def _count(_: list[Group], group: Group, random: Random) -> None:
    random.choice(group["records"])[1] += random.choice([-1, 1])


def _hidden_count(groups: list[Group], group: Group, random: Random) -> None:
    """Change a count and the size with it: the tables stay well formed."""
    row = random.choice(group["records"])
    row[1] += 1
    group["size"] = size_of(group) + ("size" in group)


def _secret_count(_: list[Group], group: Group, random: Random) -> None:
    term = random.choice(SECRET)
    group["sensitive"][term] = group["sensitive"].get(term, 0) + random.choice([-1, 1, 1, 5])
    group["sensitive"] = dict(sorted(group["sensitive"].items()))


def _forget_secret(_: list[Group], group: Group, random: Random) -> None:
    group["sensitive"].pop(random.choice(SECRET), None)


def _show(_: list[Group], group: Group, random: Random) -> None:
    row = random.choice(group["records"])
    row[0] = sorted([*row[0], random.choice("abcdxyz")])


def _strip(_: list[Group], group: Group, random: Random) -> None:
    random.choice(group["records"])[0] = []


def _repeat_record(_: list[Group], group: Group, random: Random) -> None:
    group["records"].append(deepcopy(random.choice(group["records"])))


def _no_records(_: list[Group], group: Group, random: Random) -> None:
    group["records"] = []


def _blank(_: list[Group], group: Group, random: Random) -> None:
    random.choice(group["records"])[0].insert(0, "")


def _shuffle_items(_: list[Group], group: Group, random: Random) -> None:
    random.shuffle(random.choice(group["records"])[0])


def _shuffle_records(_: list[Group], group: Group, random: Random) -> None:
    random.shuffle(group["records"])


def _shuffle_secrets(_: list[Group], group: Group, random: Random) -> None:
    pairs = list(group["sensitive"].items())
    random.shuffle(pairs)
    group["sensitive"] = dict(pairs)


def _shuffle_groups(groups: list[Group], _: Group, random: Random) -> None:
    random.shuffle(groups)


def _drop_group(groups: list[Group], group: Group, random: Random) -> None:
    if len(groups) > 1:
        groups.remove(group)


def _swap(groups: list[Group], group: Group, random: Random) -> None:
    """Let two groups exchange records of one count: over all groups nothing changes."""
    mine, yours = random.choice(group["records"]), random.choice(random.choice(groups)["records"])
    mine[0], yours[0] = yours[0], mine[0]


def _swap_secrets(groups: list[Group], group: Group, random: Random) -> None:
    other = random.choice(groups)
    group["sensitive"], other["sensitive"] = other["sensitive"], group["sensitive"]


WAYS: list[Any] = [way for name, way in list(globals().items()) if name.startswith("_") and callable(way)]
