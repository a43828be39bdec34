"""Which loops make no arrays of their own, so that nobody counts the holders of arrays in them."""

import sys
from math import log

import numpy as np
import pytest

from disjoin.jit.decision import decision
from disjoin.jit.fingerprint import only_borrows
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.disassociation.horpart import build, choose
from disjoin.methods.disassociation.leaves import write_leaf
from disjoin.methods.generalization.local_search import _best_cut
from disjoin.methods.generalization.local_search_moves import _cut_all, _improve_some, _join_some
from unit.jit.loops import Pair

LIMIT = 7


@inner
def read(pair, place):
    return min(pair.left[place], pair.right[place], np.int64(LIMIT))


@inner
def written(pair, place):
    other = Pair(pair.right, pair.left)
    pair.left[place] = read(other, place) + int(log(1.0))
    return place


@inner
def made(size):
    return np.zeros(size, np.int64)[0]


@inner
def calls_one_that_makes(size):
    return made(size)


@inner
def copied(values):
    return values.copy()[0]


@inner
def cut(values):
    return values[1:]


@inner
def handed_out(pair):
    return Pair(pair.right, pair.left)


@inner
def listed(value):
    return len([value])


@inner
def itself(value):
    return value if value < 1 else itself(value - 1)


@kernel
def called_from_python(pair):
    return written(pair, 0)


@inner
def sly(pair):
    found = Pair(pair.right, pair.left)
    place = len(found)
    return found if place else pair


@kernel
def calls_a_sly_one(pair):
    return sly(pair).left[0]


@pytest.mark.parametrize("one", [read, written, itself])
def test_loops_that_use_what_they_are_given(one):
    assert only_borrows(one)


@pytest.mark.parametrize(
    "one", [made, calls_one_that_makes, copied, cut, handed_out, listed, called_from_python], ids=lambda one: one.name
)
def test_loops_that_make_or_hand_out_arrays_or_are_called_from_python(one):
    assert not only_borrows(one)


@pytest.mark.parametrize(
    "one", [_improve_some, _join_some, _cut_all, _best_cut, build, choose, write_leaf], ids=lambda one: one.name
)
def test_loops_in_which_most_time_is_spent_count_no_holders(one):
    """One array made in any loop that these call, however seldom, and all of them count."""
    assert only_borrows(one)


@pytest.fixture
def _compiler(monkeypatch):
    monkeypatch.setattr(decision, "may_compile", True)


@pytest.mark.compiler
@pytest.mark.usefixtures("_compiler")
def test_arrays_are_held_by_as_many_after_a_compiled_loop_as_before():
    pair = Pair(np.array([9, 9]), np.array([3, 3]))
    before = sys.getrefcount(pair.left), sys.getrefcount(pair.right)
    called_from_python.dispatcher(pair)
    assert pair.left.tolist() == [3, 9]
    assert (sys.getrefcount(pair.left), sys.getrefcount(pair.right)) == before


@pytest.mark.compiler
@pytest.mark.usefixtures("_compiler")
def test_a_loop_that_would_hand_out_borrowed_arrays_is_refused():
    assert only_borrows(sly)
    with pytest.raises(AssertionError, match="returns arrays of its caller"):
        calls_a_sly_one.dispatcher(Pair(np.array([9]), np.array([3])))
