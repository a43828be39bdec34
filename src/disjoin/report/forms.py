"""All forms of published data that a report can be made of, by name."""

from __future__ import annotations

from disjoin.report.clusters.form import CLUSTERS
from disjoin.report.form import Form
from disjoin.report.groups.form import GROUPS
from disjoin.report.items.form import ITEMS
from disjoin.report.noisy.form import NOISY
from disjoin.report.table.form import TABLE

FORMS: dict[str, Form] = {"clusters": CLUSTERS, "groups": GROUPS, "table": TABLE, "items": ITEMS, "noisy": NOISY}
