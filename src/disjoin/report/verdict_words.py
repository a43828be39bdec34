"""Verdicts in words, and as JUnit XML for build servers."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from disjoin.model import Verdict
from disjoin.text import printable
from disjoin.verify.inspection import all_invariants, inspections

NOT_COMPARED = (
    "Not compared: the texts of the folder (README.md, report.json, datapackage.json), because {why}. Text hidden "
    "there is not found. The verdict is about the tables alone."
)
NOT_CHECKED = "Not checked: title, authors, licence, contact, date and citation, which the data owner wrote."
PEOPLE_BOUNDED = (
    "People are bounded, not counted (H1): as many people as its clusters have may have a term that is listed without "
    "counts, and in a table rows are counted. With the original, people are counted (H2)."
)
DOES_NOT_FIT = "The release does not fit the original."


def headline(verdict: Verdict) -> str:
    by_construction = verdict.facts.get("by_construction")
    if verdict.holds:
        return "Its form is right. Guaranteed by construction:" if by_construction else "The guarantee holds."
    known = all_invariants()
    broken = {known[violation.invariant].breaks for violation in verdict.violations}
    if broken == {"fit"}:
        return DOES_NOT_FIT
    if verdict.facts.get("stated", {}).get("proven") is False and broken == {"proof"}:
        return "The guarantee is not proven."
    return "Its form is not right." if by_construction and "proof" not in broken else "The guarantee does not hold."


def not_compared(verdict: Verdict) -> str:
    if verdict.facts.get("texts_compared") is False and verdict.holds:
        return NOT_COMPARED.format(why=verdict.facts["why_not_compared"])
    return ""


def what_was_not_seen(verdict: Verdict) -> list[str]:
    found = [sentence for inspection in inspections() for sentence in inspection.unseen(verdict)]
    bounded = "H1" in verdict.checked and "H2" not in verdict.checked
    if bounded and getattr(verdict.guarantee, "min_people", None) is not None:
        found.append(PEOPLE_BOUNDED)
    return [*found, NOT_CHECKED] if "deposit" in verdict.facts else found


def what_it_states(verdict: Verdict) -> list[str]:
    if "stated" not in verdict.facts:
        return []
    stated, wanted = dict(verdict.facts["stated"]), verdict.guarantee.to_json()
    is_proven = stated.pop("proven", True)
    sentences = []
    if stated != {name: value for name, value in wanted.items() if name != "proven"}:
        values = ", ".join(f"{name} = {value}" for name, value in stated.items() if name != "type")
        sentences.append(f"The release itself states {values}.")
    if not is_proven:
        claims = "The release does not claim it: it" if verdict.holds else "The release itself"
        sentences.append(f"{claims} states that its guarantee is not proven.")
    return sentences


def beside_population(verdict: Verdict) -> list[str]:
    if "population" not in verdict.facts:
        return []
    found = verdict.facts["population"]
    low, high = (top / bottom for top, bottom in found["presence"])
    return [
        f"In the population of {found['people']:,}, every class matches at least {found['k_map']:,} people (k-map), "
        f"and a person is in the table with a chance of {low:.4g} to {high:.4g} (delta-presence)."
    ]


def junit_of(verdict: Verdict, name: str) -> bytes:
    """Return the verdict on what is called `name`; failures say what was found, without values of the data."""
    found: dict[str, list[str]] = {}
    for violation in verdict.violations:
        found.setdefault(violation.invariant, []).append(printable(violation.without_example()))
    cases = [*dict.fromkeys((*verdict.checked, *found))]
    counts = {"tests": str(len(cases)), "failures": str(len(found)), "errors": "0", "skipped": "0"}
    everything = Element("testsuites", {"name": "disjoin", **counts})
    suite = SubElement(everything, "testsuite", {"name": "disjoin verify", **counts})
    for invariant in cases:
        known = all_invariants().get(invariant)
        words = printable(known.in_words(verdict.guarantee.to_json())) if known else ""
        title = f"{invariant}: {words}".rstrip(": ")
        case = SubElement(suite, "testcase", {"classname": printable(name), "name": title})
        if violations := found.get(invariant):
            SubElement(case, "failure", {"message": violations[0]}).text = "\n".join(violations)
    indent(everything)
    text: bytes = tostring(everything, encoding="utf-8", xml_declaration=True)
    return text + b"\n"
