"""Contenders that are not registered, in a module that another process can load."""

import os
import signal

from disjoin.lab.comparison_trial import Contender
from disjoin.methods.disassociation import Disassociation


def _newcomer(conditions):
    return Disassociation(k=conditions.k, m=conditions.m, max_cluster_size=4 * conditions.k)


def _clumsy(conditions):
    raise ZeroDivisionError("a mistake of ours")


def _doomed(conditions):
    os.kill(os.getpid(), signal.SIGKILL)


NEWCOMER = Contender("newcomer", "Somebody new", _newcomer)
CLUMSY = Contender("clumsy", "Somebody with a mistake", _clumsy)
DOOMED = Contender("doomed", "Somebody who is ended", _doomed)
