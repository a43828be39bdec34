"""V13 to V15: what a promise may say beyond k and m, each asked only where it is promised."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model import KmAnonymity
from disjoin.verify import chunks
from disjoin.verify.chunks import Domains
from disjoin.verify.clusters import structure
from disjoin.verify.forest import Forest
from disjoin.verify.inspection import Finding


def promised(guarantee: KmAnonymity) -> set[str]:
    """Return which of V13 to V15 a promise asks for."""
    asked = {"V13": guarantee.cover_aware, "V14": guarantee.slack, "V15": guarantee.proven and guarantee.also}
    return {name for name, is_asked in asked.items() if is_asked}


def check_resistance(forest: Forest, domains: Domains, guarantee: KmAnonymity) -> list[Finding]:
    """Return every breach of V13 to V15, as far as they are promised."""
    asked = promised(guarantee)
    findings = []
    if guarantee.cover_aware is not None:
        findings += check_covers(forest, guarantee.m, guarantee.cover_aware)
    if "V14" in asked:
        findings += check_slack(forest, domains, guarantee)
    if "V15" in asked:
        findings += [
            found._replace(invariant="V15", message=f"for k = {k} and m = {m}: {found.message}")
            for k, m in guarantee.also
            for found in keeps(forest, domains, guarantee.plain(k, m))
        ]
    return findings


def check_covers(forest: Forest, m: int, limit: Fraction) -> list[Finding]:
    """V13: in no chunk does a set of 0 to m terms tell another one with a confidence of `limit` or more."""
    from disjoin.verify.counting.covers import FOUND, LENGTH, OF, TOLD, look_for_covers

    every = np.arange(forest.subrecord_offsets.size - 1)
    sizes = forest.sizes[forest.chunk_nodes]
    limits = (m, limit.numerator, limit.denominator)
    told, examples, is_done = look_for_covers(every, forest.bags, sizes, limits, len(forest.names))
    if not is_done and not told.any():
        raise InvalidParameter(
            f"it cannot be decided whether up to {m} known terms of a chunk tell another: that takes too many steps. "
            "Ask for a smaller m."
        )
    findings = []
    for c in np.flatnonzero(told[FOUND]):
        known = int(told[LENGTH, c])
        who = (
            f"{known} known term{'s' if known > 1 else ''} tell{'s' if known == 1 else ''} another"
            if known
            else "a term"
        )
        whose = "the records with them" if known else "the records of the cluster"
        others = "" if told[FOUND, c] == 1 else f" So do at least {told[FOUND, c] - 1} other sets."
        message = (
            f"{who}, the last of these: {told[TOLD, c]} of {told[OF, c]} of {whose} have it, and a share of {limit} "
            f"is too much.{others}"
        )
        findings.append(Finding("V13", message, *forest.chunk_place(int(c)), forest.terms(examples[c, : known + 1])))
    return findings


def check_slack(forest: Forest, domains: Domains, guarantee: KmAnonymity) -> list[Finding]:
    """V14: whichever `slack` records are taken out, V5 to V8 hold for what is left."""
    more = replace(guarantee, k=guarantee.k + guarantee.slack)
    findings = chunks.check_combinations(forest, domains, more)
    findings += structure.check_least_sizes(forest, guarantee.plain(more.k, 1), np.zeros(len(forest), np.bool_))
    findings += structure.check_counts(forest, domains, guarantee, known=guarantee.slack)[0]
    return [found._replace(invariant="V14") for found in findings]


def keeps(forest: Forest, domains: Domains, guarantee: KmAnonymity) -> list[Finding]:
    """Return the breaches of V5 to V8 by another k and m, where V1 to V4 and V9 do not depend on them."""
    nobody = np.zeros(len(forest), np.bool_)
    findings = chunks.check_combinations(forest, domains, guarantee)
    findings += structure.check_least_sizes(forest, guarantee, nobody)
    return findings + structure.check_counts(forest, domains, guarantee)[0]
