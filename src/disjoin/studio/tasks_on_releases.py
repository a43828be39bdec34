"""Tasks on a release: verify, attack, mine, reconstruct, write the dossier."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from disjoin.advise.settings_tried import settings_tried
from disjoin.analyst.reconstruction import worlds_of
from disjoin.errors import InvalidParameter
from disjoin.model import AnyGuarantee, Release, Role
from disjoin.pipeline import load, verify
from disjoin.readers.hierarchies import read_hierarchy
from disjoin.release.reader import read_release
from disjoin.release.reconstructions import write_worlds
from disjoin.report.dossier import dossier_of
from disjoin.report.facts import facts_of
from disjoin.report.verdict_words import headline, not_compared, what_it_states, what_was_not_seen
from disjoin.studio.home import new_id
from disjoin.studio.tasks import Errand, Facts
from disjoin.studio.tasks_on_tables import people_of, with_role
from disjoin.studio.zips import pack, put_together, unpack
from disjoin.verify.inspection import all_invariants

SHOWN = 20  # violations


def check(errand: Errand) -> Facts:
    """Verify an uploaded release; what can be read is kept, so that it can be looked at and used."""
    asked = errand.request
    release = new_id()
    place = errand.home.release(release)
    try:
        folder = _arrived(errand, place) if "files" in asked else errand.home.release(asked["release"]) / "release"
        errand.tell("verifying", 0, 0)
        contents = read_release(folder)
        required = _required(contents.guarantee, asked.get("require", {}))
        verdict = verify(contents, original=_original(errand), guarantee=required)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    errand.tell("verifying", 1, 1)
    known, guarantee = all_invariants(), verdict.guarantee.to_json()
    broken = {violation.invariant for violation in verdict.violations}
    found = {
        "holds": verdict.holds,
        "headline": headline(verdict),
        "sentence": verdict.guarantee.sentence(),
        "caveat": not_compared(verdict),
        "checked": [
            (name, known[name].in_words(guarantee), name not in broken) for name in verdict.checked if name in known
        ],
        "violations": [str(violation) for violation in verdict.violations[:SHOWN]],
        "more": max(0, len(verdict.violations) - SHOWN),
        "remarks": [*what_it_states(verdict), *what_was_not_seen(verdict)],
        "exit_code": 0 if verdict.holds else 3,
        "with_original": errand.job["data"] is not None,
    }
    if "files" in asked and verdict.holds:
        facts = {"form": contents.published.form, "sentence": contents.guarantee.sentence(), "received": True}
        errand.store.add_release(release, None, facts)
        found["release"] = release
    else:
        shutil.rmtree(place, ignore_errors=True)
    return found


def _arrived(errand: Errand, place: Path) -> Path:
    files = {entry["name"]: Path(entry["path"]) for entry in errand.request["files"]}
    folder = place / "release"
    folder.mkdir(parents=True, mode=0o700)
    only = next(iter(files.values()))
    with only.open("rb") as stream:
        is_zip = stream.read(4) == b"PK\x03\x04"
    if len(files) == 1 and is_zip:
        unpack(only, folder)
    else:
        put_together(files, folder)
    return folder


def _original(errand: Errand) -> Any:
    """Read the original, if there is one: a table with columns that name people, others with categories of terms."""
    if errand.job["data"] is None:
        return None
    data = errand.data
    if data["kind"] == "table":
        named = [*with_role(data.get("roles"), "identifier"), *filter(None, [data.get("person")])]
        return errand.table().with_roles(dict.fromkeys(named, Role.IDENTIFIER))
    file = data.get("files", {}).get("hierarchy")
    categories = None if file is None else read_hierarchy(file["path"])
    if data["kind"] == "mixed":
        return people_of(data).with_categories(categories)
    return errand.records().with_hierarchy(categories)


def _required(stated: AnyGuarantee, wanted: dict[str, int]) -> AnyGuarantee | None:
    asked = {name: value for name, value in wanted.items() if value is not None}
    if not asked:
        return None
    for name in asked:
        if not hasattr(stated, name):
            raise InvalidParameter(f"this release guarantees {stated.to_json()['type']}, which has no {name}.")
    required: AnyGuarantee = replace(stated, **asked).with_proof()  # type: ignore[arg-type]
    return required


def _loaded(errand: Errand) -> Release:
    errand.tell("reading", 0, 0)
    return load(errand.home.release(errand.job["release"]) / "release")


def simulate(errand: Errand) -> Facts:
    from disjoin.attack.simulated import simulate

    data = errand.records()
    release = _loaded(errand)
    errand.tell("attacking", 0, 0)
    played = simulate(release, data, terms=errand.request.get("terms"), draws=errand.request.get("draws", 1000))
    return played.to_json() | {"sentence": played.sentence()}


def mine(errand: Errand) -> Facts:
    asked = errand.request
    release = _loaded(errand)
    table = release.mine(asked.get("top", 100), max_size=asked.get("max_size"), min_support=asked.get("min_support"))
    return {"rows": table.to_pylist()}


def rules(errand: Errand) -> Facts:
    from disjoin.analyst import rules

    asked = errand.request
    found = rules(_loaded(errand), min_support=asked.get("min_support", 0.015))
    return {"rows": found.slice(0, asked.get("top", 100)).to_pylist(), "number": found.num_rows}


def reconstruct(errand: Errand) -> Facts:
    asked, place = errand.request, errand.home.job(errand.job["id"])
    number = asked.get("n", 1)
    errand.tell("reconstructing", 0, number)
    worlds = worlds_of(_loaded(errand), number, asked.get("seed", 0))
    write_worlds(worlds, place / "reconstructions", format=asked.get("format", "csv"))
    pack(place / "reconstructions", place / "reconstructions.zip", "reconstructions")
    shutil.rmtree(place / "reconstructions")
    return {"file": "reconstructions.zip", "n": number}


def deposit(errand: Errand) -> Facts:
    from disjoin.api import Deposit, deposit

    place = errand.home.job(errand.job["id"])
    errand.tell("writing", 0, 0)
    folder = errand.home.release(errand.job["release"]) / "release"
    names = deposit(folder, Deposit(**errand.request), place / "deposit")
    pack(place / "deposit", place / "deposit.zip", "deposit")
    shutil.rmtree(place / "deposit")
    return {"file": "deposit.zip", "names": names}


def dossier(errand: Errand) -> Facts:
    private = errand.data.get("releases", {}).get(errand.job["release"], {})
    kind = "trials" if errand.data["kind"] in ("table", "mixed") else "survey"
    last = errand.store.last_job(kind, data=errand.job["data"])
    tried = last["result"] if last and last["state"] == "done" else None
    release, data = _loaded(errand), _original(errand)
    errand.tell("evaluating", 0, 0)
    section, verdict = settings_tried(tried, facts_of(release)), verify(release, original=data)
    page = dossier_of(release, data, verdict, name=errand.data["name"], plan=private.get("plan", ""), tried=section)
    place = errand.home.data(errand.job["data"]) / f"dossier-{errand.job['release']}.html"
    errand.home.write(place, page.encode())
    return {"release": errand.job["release"]}
