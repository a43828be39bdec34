"""Nodes and lists that come from executors in any order are put in order in unnamed files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disjoin.methods.disassociation.leaves import Leaves
from disjoin.model import Clusters
from disjoin.model.ragged import Ragged
from disjoin.model.unnamed_files import Growing, room
from disjoin.spark.arrays import StoredLists, StoredNodes
from helpers.releases import figure_3


def nodes_of(published: Clusters) -> Leaves:
    return Leaves(*(getattr(published, name) for name in Leaves._fields))


def stored(published: Clusters, order: list[int], folder: Path) -> StoredNodes:
    nodes = StoredNodes(folder)
    for node in order:
        nodes.add(np.array([node + 5]), nodes_of(published.trees(node, node + 1)))
    return nodes


@pytest.mark.parametrize("turn", [1, 2, -1])
def test_nodes_come_back_in_their_order(turn: int, tmp_path: Path) -> None:
    published = figure_3()
    numbers = np.arange(len(published))
    nodes = stored(published, np.roll(numbers[::turn] if turn < 0 else numbers, turn).tolist(), tmp_path)
    found = nodes.in_order(numbers + 5, lambda size, dtype: room(size, dtype, tmp_path))
    assert [array.tolist() for array in found] == [array.tolist() for array in nodes_of(published)]
    assert list(tmp_path.iterdir()) == [], "files have no names"


@pytest.mark.parametrize("order", [[0, 1, 1], [0, 1], [0, 1, 2, 2]])
def test_a_node_that_is_missing_or_came_twice_is_noticed(order: list[int], tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="missing or repeated"):
        stored(figure_3(), order, tmp_path).in_order(np.array([5, 6, 7]), np.zeros)


def test_lists_come_back_in_their_order(tmp_path: Path) -> None:
    lists = StoredLists(tmp_path)
    lists.add(np.array([2, 0]), Ragged.from_lists([[7, 8], []]))
    lists.add(np.array([1]), Ragged.from_lists([[9]]))
    assert lists.in_order(np.arange(3), np.zeros).to_lists() == [[], [9], [7, 8]]


def test_a_disk_without_room_is_told_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    with pytest.raises(OSError, match="No space left"):
        room(10, np.int64, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_an_empty_array(tmp_path: Path) -> None:
    assert Growing(np.int32, tmp_path).array().tolist() == room(0, np.int64, tmp_path).tolist() == []
