"""Plain facts about a release, from which everything that a person sees is drawn."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from disjoin.errors import UnreadableInput
from disjoin.escaping import json_text

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Report:
    """Facts that may be published: each is a function of the published content and of the parameters.

    >>> Report.from_json(Report("disassociation").to_json()) == Report("disassociation")
    True
    """

    method: str
    form: str = "clusters"  # of what is published, see `disjoin.model.published`
    parameters: dict[str, Any] = field(default_factory=dict)
    guarantee: dict[str, Any] = field(default_factory=dict)
    sentence: str = ""
    verdict: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    statistics: dict[str, Any] = field(default_factory=dict)
    measures: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"Report({self.method}, {self.form}, {len(self.statistics):,} statistics, {len(self.measures):,} measures)"
        )

    def to_json(self) -> str:
        """Return the facts as JSON text with sorted keys."""
        return json_text({"schema": SCHEMA, **asdict(self)}, indent=2, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Read the facts back; raise `UnreadableInput` if they are not a report of this schema."""
        try:
            facts = json.loads(text)
        except ValueError as failure:
            raise UnreadableInput("expected a report in JSON; the text is damaged.") from failure
        if not isinstance(facts, dict) or facts.pop("schema", None) != SCHEMA:
            raise UnreadableInput(f"expected a report with schema {SCHEMA}; a newer disjoin may have written this one.")
        if "method" not in facts or not facts.keys() <= {each.name for each in fields(cls)}:
            raise UnreadableInput("expected the facts of a report, found others; the text is damaged.")
        return cls(**facts)
