"""A verdict as JUnit XML, which build servers show: one test case per invariant."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from disjoin.escaping import legible
from disjoin.model import Verdict
from disjoin.verify.inspection import all_invariants


def junit_of(verdict: Verdict, name: str) -> bytes:
    """Return the verdict on what is called `name`; failures say what was found, without values of the data."""
    found: dict[str, list[str]] = {}
    for violation in verdict.violations:
        found.setdefault(violation.invariant, []).append(legible(violation.without_example()))
    cases = [*dict.fromkeys((*verdict.checked, *found))]
    suite = Element("testsuite", _counts("disjoin verify", len(cases), len(found)))
    for invariant in cases:
        _case(suite, legible(name), invariant, verdict, found.get(invariant, []))
    everything = Element("testsuites", _counts("disjoin", len(cases), len(found)))
    everything.append(suite)
    indent(everything)
    text: bytes = tostring(everything, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _counts(name: str, tests: int, failures: int) -> dict[str, str]:
    return {"name": name, "tests": str(tests), "failures": str(failures), "errors": "0", "skipped": "0"}


def _case(suite: Element, name: str, invariant: str, verdict: Verdict, found: list[str]) -> None:
    known = all_invariants().get(invariant)
    words = legible(known.in_words(verdict.guarantee.to_json())) if known else ""
    case = SubElement(suite, "testcase", {"classname": name, "name": f"{invariant}: {words}".rstrip(": ")})
    if found:
        SubElement(case, "failure", {"message": found[0]}).text = "\n".join(found)
