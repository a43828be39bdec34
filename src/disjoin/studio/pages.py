"""Pages: data collected and rendered by a template each."""

from __future__ import annotations

import time
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from disjoin.errors import InvalidParameter
from disjoin.studio.answers import Studio, facts_of, one_id, page, studio_of
from disjoin.studio.api_data import listed_files
from disjoin.studio.api_jobs import FOUND, in_words, told
from disjoin.studio.api_publishing import ask_original
from disjoin.studio.api_releases import ask
from disjoin.studio.plans import other_settings, reading_command
from disjoin.studio.store import DONE, ENDED, NotThere
from disjoin.text import in_html

OLD = 30 * 86_400.0  # seconds after which a reminder is shown
WITH_RECORDS = ("clusters", "groups", "items", "mixed")  # forms in which a record can be looked for
OF_COLUMNS = ("table", "mixed")
TABS = (
    ("", "Overview"),
    ("/parts", "Look inside"),
    ("/attack", "Attack it"),
    ("/use", "Use it"),
    ("/take", "Take it away"),
)


async def start(request: Request) -> Response:
    studio = studio_of(request)
    recent = []
    for each in studio.store.all_data():
        jobs = studio.store.jobs(data=each["id"])
        counted = [job["result"] for job in jobs if job["kind"] == "inspect" and job["state"] == DONE]
        recent.append(
            {
                "id": each["id"],
                "name": each["facts"]["name"],
                "attempts": sum(job["kind"] == "publish" for job in jobs),
                "made": studio.store.releases(each["id"]),
                "old": time.time() - each["created"] > OLD,
                "records": _how_many(counted[-1]) if counted else "",
            }
        )
    warming = studio.store.last_job("warm_up")
    facts: dict[str, Any] = {
        "recent": recent,
        "received": [each for each in studio.store.releases() if each["data"] is None],
        "files": listed_files(studio),
        "kept": studio.home.size(),
        "folder": studio.folder,
        "warming": warming["id"] if warming is not None and warming["state"] not in ENDED else None,
    }
    return page(request, "start.html", **facts)


def _how_many(found: dict[str, Any]) -> str:
    rows = found.get("rows")
    return f"{rows:,} rows" if rows is not None else f"{found['facts']['records']:,} records"


async def data(request: Request) -> Response:
    studio, name, facts = studio_of(request), one_id(request, "id"), facts_of(request)
    job = studio.store.last_job("inspect", data=name)
    assert job is not None, "every original is inspected when it comes"
    found = job["result"] if job["state"] == DONE else None
    if found is not None and "risk" in request.query_params:
        found = _with_other_roles(studio, name, request.query_params["risk"], found)
    given = (found or {}).get("roles", {})
    roles = {role: [name for name, each in given.items() if each == role] for role in ("quasi", "sensitive")}
    method = "mixed" if facts["kind"] == "mixed" else "generalization"
    said = (
        facts.get("said", {}).get(method, {}).get("role", [])
    )  # columns that do not identify people, confirmed by the data owner
    shown: dict[str, Any] = {
        "id": name,
        "data": facts,
        "job": told(job),
        "found": found,
        "overridden": [text.rpartition("=")[0] for text in said],
        "command": reading_command("inspect", facts, **{role: names for role, names in roles.items() if names}),
    }
    return page(request, "data_table.html" if facts["kind"] in OF_COLUMNS else "data.html", **shown)


def _with_other_roles(studio: Studio, data: str, job: str, found: dict[str, Any]) -> dict[str, Any]:
    """Return what was found, with the risk by roles that were tried and are not confirmed."""
    tried = studio.store.job(job)
    if (tried["kind"], tried["data"], tried["state"]) != ("risk", data, DONE):
        raise NotThere("there is no such count.")
    counted: dict[str, Any] = tried["result"]
    return {name: value for name, value in found.items() if name not in ("facts", "text", "problem")} | counted


async def guarantee(request: Request) -> Response:
    studio, name, facts = studio_of(request), one_id(request, "id"), facts_of(request)
    kind = facts["kind"]
    shown = _tried(studio, name, "trials" if kind in OF_COLUMNS else "survey")
    shown |= {"id": name, "data": facts, "found": _result(studio, name, "inspect")}
    if kind in OF_COLUMNS:
        method, verb = ("mixed", "mixed") if kind == "mixed" else ("generalization", "generalize")
        named = {"name": facts["name"], "reading": {}}
        shown |= {
            "built": (_result(studio, name, "hierarchies") or {"columns": {}})["columns"],
            "ways": facts.get("hierarchies", {}),
            "command": reading_command(verb, named, hierarchies="hierarchies") + " -k 5 -o release",
            "sentences": {kind: _sentence_of_columns(facts)},
            "more": {kind: other_settings(method)},
        }
        return page(request, "promise_table.html", **shown)
    from disjoin.methods.disassociation.choices import CLUSTERINGS

    shown |= {
        "sentences": _sentences(),
        "clusterings": list(CLUSTERINGS),
        "more": {name: other_settings(name) for name in ("disassociation", "cahd", "apriori", "diffpart")},
        "command": reading_command("advise", facts),
    }
    return page(request, "promise.html", **shown)


def _result(studio: Studio, data: str, kind: str) -> Any:
    last = studio.store.last_job(kind, data=data)
    return last["result"] if last and last["state"] == DONE else None


def _tried(studio: Studio, data: str, kind: str) -> dict[str, Any]:
    last = studio.store.last_job(kind, data=data)
    events = studio.store.events(last["id"]) if last else []
    rows, charts = ([event["note"] for event in events if event["stage"] == stage] for stage in FOUND)
    result = _result(studio, data, kind)
    chart = result["chart"] if result else charts[-1] if charts else None
    shown = result["rows"] if result else list({row["name"]: row for row in rows}.values())
    return {"rows": shown, "survey": result, "job": told(last) if last else None, "chart": chart}


def _sentences() -> dict[str, str]:
    """Return the guarantee in words for every m and every other method that the page offers, with gaps for k and p."""
    from disjoin.model import PrivacyDegree
    from disjoin.model.km_anonymity import KmAnonymity

    gap = 987_654_321
    sets = {str(m): KmAnonymity(gap, m).sentence().replace(str(gap), "{k}") for m in (1, 2, 3)}
    noise = "One record more or less changes the chance of any outcome by a factor of at most e to the epsilon."
    return {**sets, "cahd": PrivacyDegree(gap).sentence().replace(str(gap), "{p}"), "diffpart": noise}


def _sentence_of_columns(facts: dict[str, Any]) -> str:
    """Return the guarantee for rows or people in words, with gaps for k and m."""
    if facts["kind"] == "table":
        return "Every row has the same quasi-identifiers as at least {others} others."
    from disjoin.model import MixedAnonymity

    quasi = [name for name, role in (facts.get("roles") or {}).items() if role == "quasi"]
    gaps = 987_654_321, 123_456_789
    words = MixedAnonymity(*gaps, tuple(quasi) or ("columns",)).sentence()
    return words.replace(str(gaps[0]), "{k}").replace(str(gaps[1]), "{m}")


async def job(request: Request) -> Response:
    studio, name = studio_of(request), one_id(request, "id")
    found = studio.store.job(name)
    events = [event for event in studio.store.events(name) if event["stage"] not in FOUND]
    last = in_words(events[-1]) if events else None
    waiting = sum(each["state"] == "queued" and each["created"] < found["created"] for each in studio.store.jobs())
    return page(request, "job.html", job=told(found), last=last, waiting=waiting)


async def _release(request: Request, template: str, **more: Any) -> Response:
    studio, name = studio_of(request), one_id(request, "id")
    known = studio.store.release(name)
    overview = await ask(studio, name, "overview")
    tabs = _tabs(name, overview)
    if known["data"] and overview["form"] in WITH_RECORDS:
        tabs.insert(2, (f"/data/{known['data']}/against/{name}", "Before and after"))
    # Notes for the data owner from when the release was made; nothing of a release that was received.
    private = studio.store.data(known["data"])["facts"]["releases"].get(name) if known["data"] is not None else None
    facts = {"id": name, "data": known["data"], "tabs": tabs, "overview": overview, "private": private}
    return page(request, template, **(facts | more))


def _tabs(release: str, overview: dict[str, Any]) -> list[tuple[str, str]]:
    return [(f"/releases/{release}{end}", words) for end, words in TABS if end != "/use" or overview["has_terms"]]


async def release(request: Request) -> Response:
    return await _release(request, "release.html")


async def parts(request: Request) -> Response:
    studio, name = studio_of(request), one_id(request, "id")
    number, first = request.path_params.get("n"), int(request.query_params.get("from", "0") or 0)
    listed = await ask(studio, name, "list_parts", **{"from": first})
    if number is None:
        number = next(iter(listed["typical"]), 0)
    part = await ask(studio, name, "part", number=number) if listed["number"] else None
    return await _release(request, "parts.html", listed=listed, part=part)


async def attack(request: Request) -> Response:
    studio, name = studio_of(request), one_id(request, "id")
    form = studio.store.release(name)["facts"]["form"]
    if form == "noisy":
        return await _release(request, "attack_noise.html", rows=(await ask(studio, name, "beliefs"))["rows"])
    columns = (await ask(studio, name, "columns"))["columns"] if form in ("table", "mixed") else {}
    return await _release(request, "attack.html", columns=columns)


async def use(request: Request) -> Response:
    return await _release(request, "use.html")


async def take(request: Request) -> Response:
    studio, name = studio_of(request), one_id(request, "id")
    known = studio.store.release(name)
    has_dossier = known["data"] and (studio.home.data(known["data"]) / f"dossier-{name}.html").is_file()
    return await _release(request, "take.html", has_dossier=has_dossier)


async def against(request: Request) -> Response:
    studio, data, name = studio_of(request), one_id(request, "id"), one_id(request, "release")
    facts = facts_of(request)
    if studio.store.release(name)["data"] != data:
        raise NotThere("this release was not made from these data.")
    number = request.query_params.get("record", "0")
    if not number.isdigit():
        raise InvalidParameter("a record is named by its number.")
    record = await ask_original(studio, facts, "record", number=int(number))
    found = await ask(studio, name, "after", known=[*record["values"], *record["terms"]][:20])
    part = None if found["part"] is None else await ask(studio, name, "part", number=found["part"])
    if part is not None:
        for term in map(in_html, record["terms"]):  # lit up in the picture
            part["html"] = part["html"].replace(f"<bdi>{term}</bdi>", f'<bdi class="lit">{term}</bdi>')
    overview = await ask(studio, name, "overview")
    tabs = _tabs(name, overview)
    tabs.insert(2, (request.url.path, "Before and after"))
    shown: dict[str, Any] = {"id": name, "data": data, "tabs": tabs, "overview": overview, "part": part}
    return page(request, "against.html", record=record, found=found, **shown)


async def check(request: Request) -> Response:
    store, verdict = studio_of(request).store, None
    if "id" in request.path_params:
        found = store.job(one_id(request, "id"))
        if found["kind"] != "check" or found["state"] != DONE:
            raise NotThere("there is no such verdict.")
        verdict = found["result"]
    return page(request, "check.html", verdict=verdict, originals=store.all_data())


async def help_page(request: Request) -> Response:
    from disjoin.studio.help_pages import FIRST, FOLDERS, rendered, titles

    if name := request.path_params.get("name"):
        return page(request, "help_page.html", shown=rendered(name))
    known = titles()
    first = [name for name in FIRST if name in known]
    others = [(folder, folder.capitalize()) for folder in FOLDERS if any(name.startswith(folder) for name in known)]
    facts: dict[str, Any] = {"titles": known, "first": first, "others": others}
    return page(request, "help.html", sentence=_sentences()["2"].replace("{k}", "k"), **facts)
