"""Reader process of a release, without originals: `python -P -m disjoin.studio.reader FOLDER` answers JSON lines."""

from __future__ import annotations

import json
import sys
from functools import cached_property
from heapq import nsmallest
from pathlib import Path
from typing import Any

from disjoin.errors import InvalidParameter
from disjoin.forms.clusters.pictures import cluster_html, picture_of
from disjoin.forms.form import is_proven
from disjoin.forms.mixed.pictures import picture_of as picture_with_rows
from disjoin.forms.registry import FORMS
from disjoin.model import Clusters, Generalized, Groups, Mixed
from disjoin.model.differential_privacy import DifferentialPrivacy
from disjoin.pipeline import load
from disjoin.report.facts import facts_of
from disjoin.report.html import sections_of
from disjoin.studio.reader_pool import answers

Facts = dict[str, Any]
FIRST = 60  # parts on a page of the list
MOST_KNOWN = 20
MOST_ITEMSETS = 1000
MOST_SUGGESTED = 12
MOST_VALUES = 500  # of a column, to choose from
MOST_NAMED = 100  # clusters or groups, those with the most candidates


class ReleaseDesk:
    """A release, verified when it was opened, with the queries that the studio answers."""

    def __init__(self, folder: Path) -> None:
        self.release = load(folder)
        self.report = facts_of(self.release)
        self.form = FORMS[self.report.form]
        self.parts = self.form.show.opened(self.release.published)

    @cached_property
    def terms(self) -> list[str]:
        """All terms that are published, in order; of mixed data without the values of columns."""
        published = self.release.published
        arrays = [published.vocabulary] if isinstance(published, Mixed) else self.form.texts(published)
        return sorted({term for array in arrays for term in array.to_pylist()})

    @cached_property
    def folded(self) -> list[str]:
        """The same as they are compared with typed text."""
        return [term.casefold() for term in self.terms]

    def facts(self, asked: Facts) -> Facts:
        report: Facts = json.loads(self.report.to_json())
        return {"report": report, "verdict": self.release.verdict.to_json()}

    def overview(self, asked: Facts) -> Facts:
        report, form = self.report, self.form
        return {
            "sections": sections_of(report),
            "sentence": report.sentence,
            "proven": is_proven(report),
            "form": report.form,
            "part": list(form.part),
            "checks": len(self.release.verdict.checked),
            "joint": report.statistics.get("clusters", {}).get("joint", 0),
            "has_terms": report.form != "table",
            "m": report.guarantee.get("m"),
            "most_known": getattr(self.release.guarantee, "most_known", report.guarantee.get("m")),
            "k": report.guarantee.get("k"),
            "reading": {name: form.in_words(getattr(form.reading, name), report) for name in ("python", "sql")},
            "records": report.counts["records"],
        }

    def list_parts(self, asked: Facts) -> Facts:
        show, first = self.form.show, int(asked.get("from", 0))
        places = self._with_term(asked["find"]) if asked.get("find") else range(len(self.parts))
        listed = [{"number": number} | show.line(self.parts, number) for number in places[first : first + FIRST]]
        return {"parts": listed, "number": len(places), "from": first, "typical": show.typical(self.parts)}

    def _with_term(self, term: str) -> list[int]:
        if self.form.show.find is not None:
            return self.form.show.find(self.parts, term)
        shown = (self.form.show.as_json(self.parts, number) for number in range(len(self.parts)))
        return [number for number, part in enumerate(shown) if _holds(part, term)]

    def get_ready(self) -> None:
        """Make the indexes that questions need, before the first question."""
        from disjoin.analyst.as_clusters import Sets
        from disjoin.analyst.index import desk_of
        from disjoin.analyst.supports import people_desk
        from disjoin.attack.known_terms import whereabouts_of

        published = self.release.published
        if isinstance(published, Mixed):
            whereabouts_of(people_desk(self.release).desk)
        elif isinstance(published, Sets):
            desk = desk_of(self.release)
            if isinstance(published, Clusters):
                whereabouts_of(desk)

    def part(self, asked: Facts) -> Facts:
        number = int(asked["number"])
        if not 0 <= number < len(self.parts):
            raise InvalidParameter(f"there is no {self.form.part[0]} {number}.")
        html = "" if asked.get("plain") else self._picture(number)
        facts = {} if html else self.form.show.as_json(self.parts, number)
        return {"facts": facts, "html": html, "number": number, "of": len(self.parts)}

    def _picture(self, number: int) -> str:
        published = self.release.published
        if isinstance(published, Clusters):
            return cluster_html(picture_of(published, number))
        if isinstance(published, Mixed):
            return cluster_html(picture_with_rows(published, number))
        draw = self.form.show.picture
        return "" if draw is None else self.form.page.example(draw(self.parts, number))

    def suggest(self, asked: Facts) -> Facts:
        """Return terms that begin with the typed text, then those that contain it."""
        typed = str(asked.get("typed", "")).casefold()
        found = [(not text.startswith(typed), number) for number, text in enumerate(self.folded) if typed in text]
        return {"terms": [self.terms[number] for _, number in nsmallest(MOST_SUGGESTED, found)]}

    def candidates(self, asked: Facts) -> Facts:
        from disjoin.attack.known_terms import candidates

        known = _known(asked)
        found = candidates(self.release, known, most=MOST_NAMED).to_json()
        if not isinstance(self.release.published, Clusters):
            return found
        return found | {"unknown": sorted({*known} - {*self.terms}, key=known.index)}

    def after(self, asked: Facts) -> Facts:
        """Return where in the release a record is that has these terms, and values written column=value."""
        known, published = _known(asked), self.release.published
        if isinstance(published, Groups):  # of sensitive items it is unknown whose they are
            secret = set(published.sensitive_terms())
            known = [term for term in known if term not in secret] or known
        found = self.candidates({"known": known})
        smallest = min(found["parts"], key=lambda each: each["size"], default=None)
        return {"sentence": found["sentence"], "part": None if smallest is None else smallest["cluster"]}

    def support(self, asked: Facts) -> Facts:
        from disjoin import analyst

        itemsets = asked.get("itemsets")
        if not isinstance(itemsets, list) or not all(isinstance(each, list) and each for each in itemsets):
            raise InvalidParameter("expected itemsets: lists of terms.")
        if not itemsets or len(itemsets) > MOST_ITEMSETS or any(len(each) > MOST_KNOWN for each in itemsets):
            raise InvalidParameter(f"ask for 1 to {MOST_ITEMSETS:,} itemsets of up to {MOST_KNOWN} terms.")
        table = analyst.support(self.release, itemsets)
        unknown = analyst.unknown_terms(self.release, table["itemset"])
        return {"rows": table.to_pylist(), "unknown": analyst.unknown_in_words(unknown) if unknown else ""}

    def columns(self, asked: Facts) -> Facts:
        published = self.release.published
        if not isinstance(published, (Generalized, Mixed)):
            raise InvalidParameter("rows are looked for in tables, and this release has none.")
        trees = published.hierarchies if isinstance(published, Mixed) else published.table.hierarchies
        named = {name: trees[name].names.to_pylist() if name in trees else [] for name in published.quasi}
        return {"columns": {name: values[:MOST_VALUES] for name, values in named.items()}}

    def beliefs(self, asked: Facts) -> Facts:
        """Return how far noisy records can change a belief."""
        from disjoin.attack.known_items import beliefs

        if not isinstance(self.release.guarantee, DifferentialPrivacy):
            raise InvalidParameter("beliefs are about noisy records, and this release has none.")
        return {"rows": beliefs(self.release.guarantee)}


def _known(asked: Facts) -> list[str]:
    known = asked.get("known")
    if not isinstance(known, list) or not all(isinstance(term, str) and term for term in known):
        raise InvalidParameter("expected known terms: a list of texts.")
    if not 1 <= len(known) <= MOST_KNOWN:
        raise InvalidParameter(f"between 1 and {MOST_KNOWN} terms may be known, got {len(known)}.")
    return list(dict.fromkeys(known))


def _holds(part: Any, term: str) -> bool:
    if isinstance(part, (dict, list)):
        return any(_holds(each, term) for each in (part.values() if isinstance(part, dict) else part))
    return bool(part == term)


QUESTIONS = (
    *("facts", "overview", "list_parts", "part", "suggest", "candidates", "after", "support", "columns"),
    "beliefs",
)


if __name__ == "__main__":
    answers(lambda: ReleaseDesk(Path(sys.argv[1])), QUESTIONS)
