"""Statistics of mixed data, and their summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from disjoin.analyst.as_clusters import with_terms_of_rows
from disjoin.charts.distribution import distribution_of
from disjoin.forms.clusters import facts as of_clusters
from disjoin.forms.table.facts import granularity_in_words, quasi_facts
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.mixed import Mixed
from disjoin.model.ragged import Ints64
from disjoin.model.release import Report
from disjoin.model.table import Role, Table
from disjoin.text import counted

SMALL = 1_000  # people of a cluster; in smaller ones rows lose much


def statistics_of(published: Mixed, guarantee: AnyGuarantee, parameters: Mapping[str, Any]) -> dict[str, Any]:
    people, table = published.people, published.rows
    alike, with_terms = classes_of(published), np.unique(published.leaves[np.diff(people.offsets) > 0])
    sizes = published.clusters.sizes[~published.clusters.is_joint]
    codes = tuple(np.repeat(codes, people.counts) for codes in table.codes)
    everybody = Table(table.schema, codes, table.values, table.hierarchies)  # one class of all rows
    return {
        **of_clusters.statistics_of(with_terms_of_rows(published), guarantee),
        "columns": {
            "quasi": list(table.schema.with_role(Role.QUASI_IDENTIFIER)),
            "sensitive": list(table.schema.with_role(Role.SENSITIVE)),
        },
        "rows": {"different": len(table), "alike": int(alike.size)},
        "people_with_a_row": distribution_of(alike),
        "standing_terms": {"terms": len(people.vocabulary), "clusters": int(with_terms.size)},
        "people_in_small_clusters": int(sizes[sizes < SMALL].sum()),
        **quasi_facts(everybody, published.quasi),
    }


def classes_of(published: Mixed) -> Ints64:
    """Return how many people of a cluster share their published quasi-identifiers, for each different combination."""
    keys: list[Any] = [published.leaves, *(published.rows.codes_of(name) for name in published.quasi)]
    order = np.lexsort(keys[::-1])
    differs = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
    numbers = np.concatenate([[0], np.cumsum(differs)]) if order.size else order
    return np.bincount(numbers, published.people.counts[order]).astype(np.int64)


def rows_of(report: Report) -> list[tuple[str, str]]:
    facts = report.statistics
    clusters = counted(facts["clusters"]["leaves"], "cluster")
    people = f"{of_clusters.records_in_words(report)} people in {clusters}{of_clusters.grouping_of(report)}"
    kept = [granularity_in_words(facts), *filter(None, [of_clusters.pairs_in_words(report)])]
    return [
        ("Records", people),
        ("Kept", f"{' and '.join(kept)}."),
        ("Still learnable", of_clusters.learnable_in_words(report)),
    ]


def standing(facts: Mapping[str, Any]) -> str:
    """Return how many terms are published with rows."""
    there = facts["standing_terms"]
    return f"{counted(there['terms'], 'term')} in {counted(there['clusters'], 'cluster')}, row by row"


def eyes_only(published: Mixed, private: Mapping[str, Any]) -> list[str]:
    """Return what the data owner alone may know: how much of the original is in chunks, and who has no terms."""
    words = of_clusters.exactly_kept(private)
    people = private.get("people_without_terms", 0)
    return [*words, *([f"{counted(people, 'person has', 'people have')} no terms."] if people else [])]
