"""What is in a file of records, and whom a little knowledge singles out, as facts and as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from disjoin.attack.uniqueness import Uniqueness
from disjoin.charts.display_text import padded, shorten
from disjoin.escaping import legible
from disjoin.methods.sensitive_terms import CountedTerms
from disjoin.model import Transactions
from disjoin.report.facts import intake_of, noticed_in, noticed_words, people_words, treated_words
from disjoin.report.rare_terms import rare_terms, rare_terms_text
from disjoin.words import counted

TOP = 10
_NAME = 30


def inspection_of(data: Transactions, found: tuple[Uniqueness, ...]) -> dict[str, Any]:
    """Return the facts; they are about raw data, so they are not for publishing."""
    lengths = data.records.lengths
    size = {
        "least": int(lengths.min()),
        "median": float(np.median(lengths)),
        "mean": float(lengths.mean()),
        "most": int(lengths.max()),
    }
    return inspection_facts(intake_of(data), data, size, found)


def inspection_facts(
    intake: dict[str, Any], data: CountedTerms, size: dict[str, float], found: tuple[Uniqueness, ...]
) -> dict[str, Any]:
    """Return the same facts of records that are not at hand, from what was counted."""
    supports = data.supports()
    order = np.lexsort((np.arange(supports.size), -supports))[:TOP]
    return (
        intake
        | noticed_in(data)
        | rare_terms(data)
        | {
            "record_size": size,
            "most_frequent": [{"term": data.vocabulary[int(t)].as_py(), "records": int(supports[t])} for t in order],
            "known_terms": [
                {
                    "known": f.known,
                    "unique_records": f.unique_records,
                    "records": f.records,
                    "sampled": f.sampled,
                    "largest_k": f.largest_k,
                }
                for f in found
            ],
        }
    )


def inspection_text(facts: dict[str, Any]) -> str:
    """Return the facts for people."""
    size = facts["record_size"]
    lines = [
        f"{people_words(facts)}, {counted(facts['terms'], 'term')}, "
        f"{counted(facts['occurrences'], 'occurrence')} (read as {facts['format']})",
        f"Terms in a record: {size['least']} to {size['most']:,}, {size['mean']:.1f} on average, "
        f"median {size['median']:g}",
    ]
    lines += [*treated_words(facts), *noticed_words(facts)]
    lines += ["", "Most frequent terms"]
    most = max(entry["records"] for entry in facts["most_frequent"])
    for entry in facts["most_frequent"]:
        bar = "█" * max(1, round(24 * entry["records"] / most))
        share = entry["records"] / facts["records"]
        name = padded(shorten(legible(entry["term"]), _NAME), _NAME)
        lines.append(f"  {name} {entry['records']:>10,}  {share:6.1%}  {bar}")
    rare = rare_terms_text(facts, facts["terms"], facts["occurrences"])
    return "\n".join([*lines, "", *rare, "", *_knowledge(facts["known_terms"])])


def _knowledge(found: list[dict[str, Any]]) -> list[str]:
    lines = ["Whom a little knowledge singles out"]
    for row in found:
        terms = "1 term " if row["known"] == 1 else f"{row['known']} terms"
        share = row["unique_records"] / row["records"] if row["records"] else 0.0
        of = ("a sample of " if row["sampled"] else "") + counted(row["records"], "record")
        lines.append(f"  anyone who knows {terms} finds {row['unique_records']:>10,} of {of} alone ({share:.1%})")
    return [*lines, "", *_already(found)]


def _already(found: list[dict[str, Any]]) -> list[str]:
    known = [row for row in found if row["largest_k"] is not None]
    if not known:
        return ["Only a sample was examined, so nothing is said about the file as a whole."]
    lines = []
    for row in known:
        if row["largest_k"] > 1:
            lines.append(f"As it is, the file is k^m-anonymous for m = {row['known']} up to k = {row['largest_k']:,}.")
        else:
            lines.append(f"As it is, the file is not k^m-anonymous for m = {row['known']} or more, whatever the k.")
            break
    return lines
