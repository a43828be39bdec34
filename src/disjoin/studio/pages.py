"""Pages: data collected and rendered by a template each."""

from __future__ import annotations

import shlex
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from disjoin.errors import InvalidParameter
from disjoin.studio.answers import Studio, one_id, page, studio_of
from disjoin.studio.api_data import listed_files
from disjoin.studio.api_jobs import FOUND, in_words, told
from disjoin.studio.api_publishing import original_of
from disjoin.studio.api_releases import ask
from disjoin.studio.plans import other_settings, reading_flags
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
    """P0: three doors, and what was done before."""
    import time

    studio = studio_of(request)
    recent = []
    for each in studio.store.all_data():
        facts, jobs = each["facts"], studio.store.jobs(data=each["id"])
        attempts = [job for job in jobs if job["kind"] == "publish"]
        counted = [job["result"] for job in jobs if job["kind"] == "inspect" and job["state"] == DONE]
        made = studio.store.releases(each["id"])
        is_old = time.time() - each["created"] > OLD
        listed = {"id": each["id"], "name": facts["name"], "attempts": len(attempts), "made": made, "old": is_old}
        recent.append(listed | {"records": _how_many(counted[-1]) if counted else ""})
    received = [each for each in studio.store.releases() if each["data"] is None]
    warming = studio.store.last_job("warm_up")
    is_warming = warming is not None and warming["state"] not in ENDED
    files = listed_files(studio)
    kept = studio.home.size()
    facts = {"recent": recent, "received": received, "files": files, "kept": kept, "folder": studio.folder}
    return page(request, "start.html", warming=warming["id"] if warming and is_warming else None, **facts)


def _how_many(found: dict[str, Any]) -> str:
    """Return how many records or rows were counted, in words."""
    rows = found.get("rows")
    return f"{rows:,} rows" if rows is not None else f"{found['facts']['records']:,} records"


async def data(request: Request) -> Response:
    """P1: what is this, and who is at risk?"""
    studio, name = studio_of(request), one_id(request, "id")
    facts = studio.store.data(name)["facts"]
    job = studio.store.last_job("inspect", data=name)
    assert job is not None, "every original is inspected when it comes"
    found = job["result"] if job["state"] == DONE else None
    if found is not None and "risk" in request.query_params:
        found = _with_other_roles(studio, name, request.query_params["risk"], found)
    command = _inspect_command(facts, found)
    template = "data_table.html" if facts["kind"] in OF_COLUMNS else "data.html"
    about = {"id": name, "data": facts, "job": told(job), "overridden": _overridden(facts)}
    return page(request, template, found=found, command=command, **about)


def _overridden(facts: dict[str, Any]) -> list[str]:
    """Return the columns that identify nobody by the word of the data owner."""
    method = "mixed" if facts["kind"] == "mixed" else "generalization"
    return [text.rpartition("=")[0] for text in facts.get("said", {}).get(method, {}).get("role", [])]


def _with_other_roles(studio: Studio, data: str, job: str, found: dict[str, Any]) -> dict[str, Any]:
    """Return what was found, with the risk by roles that were tried and are not confirmed."""
    tried = studio.store.job(job)
    if (tried["kind"], tried["data"], tried["state"]) != ("risk", data, DONE):
        raise NotThere("there is no such count.")
    counted: dict[str, Any] = tried["result"]
    return {name: value for name, value in found.items() if name not in ("facts", "text", "problem")} | counted


def _command(name: str, facts: dict[str, Any]) -> list[str]:
    """Return a command that reads an original as the studio does."""
    return ["disjoin", name, facts["name"], *reading_flags(facts["reading"], {"items": facts.get("items_name")})]


def _inspect_command(facts: dict[str, Any], found: dict[str, Any] | None) -> str:
    words = _command("inspect", facts)
    roles = (found or {}).get("roles", {})
    for flag, role in (("--quasi", "quasi"), ("--sensitive", "sensitive")):
        if names := [column for column, given in roles.items() if given == role]:
            words += [flag, ",".join(names)]
    return shlex.join(words)


async def promise(request: Request) -> Response:
    """P2: choose what others may know, and the crowd."""
    studio, name = studio_of(request), one_id(request, "id")
    facts = studio.store.data(name)["facts"]
    looked = studio.store.last_job("inspect", data=name)
    found = looked["result"] if looked and looked["state"] == DONE else None
    of_columns = facts["kind"] in OF_COLUMNS
    shown = _tried(studio, name, "trials" if of_columns else "survey") | {"found": found}
    if of_columns:
        built = studio.store.last_job("hierarchies", data=name)
        trees = built["result"]["columns"] if built and built["state"] == DONE else {}
        verb = "mixed" if facts["kind"] == "mixed" else "generalize"
        command = f"disjoin {verb} {shlex.quote(facts['name'])} --hierarchies hierarchies -k 5 -o release"
        shown |= {"built": trees, "ways": facts.get("hierarchies", {}), "command": command}
        shown |= {"sentences": {facts["kind"]: _sentence_of_columns(facts)}}
        shown |= {"more": {facts["kind"]: other_settings("mixed" if verb == "mixed" else "generalization")}}
        return page(request, "promise_table.html", id=name, data=facts, **shown)
    words: dict[str, Any] = {
        "sentences": _sentences(),
        "clusterings": _clusterings(),
        "more": {name: other_settings(name) for name in ("disassociation", "cahd", "apriori", "diffpart")},
        "command": shlex.join(_command("advise", facts)),
    }
    return page(request, "promise.html", id=name, data=facts, **shown, **words)


def _tried(studio: Studio, data: str, kind: str) -> dict[str, Any]:
    """Return the settings that were tried last, or as far as that is; the newest drawing among them."""
    last = studio.store.last_job(kind, data=data)
    events = studio.store.events(last["id"]) if last else []
    rows, charts = ([event["note"] for event in events if event["stage"] == stage] for stage in FOUND)
    result = last["result"] if last and last["state"] == DONE else None
    chart = result["chart"] if result else charts[-1] if charts else None
    shown = result["rows"] if result else list({row["name"]: row for row in rows}.values())
    return {"rows": shown, "survey": result, "job": told(last) if last else None, "chart": chart}


def _sentences() -> dict[str, str]:
    """Return the promise in words for every m and every other method that the page offers, with gaps for k and p."""
    from disjoin.model import PrivacyDegree
    from disjoin.model.guarantee import KmAnonymity

    gap = 987_654_321
    sets = {str(m): KmAnonymity(gap, m).sentence().replace(str(gap), "{k}") for m in (1, 2, 3)}
    noise = "Whether any one record was among the data hardly changes what comes out: by a factor of e to the epsilon."
    return {**sets, "cahd": PrivacyDegree(gap).sentence().replace(str(gap), "{p}"), "diffpart": noise}


def _sentence_of_columns(facts: dict[str, Any]) -> str:
    """Return the promise for rows or people in words, with gaps for k and m."""
    if facts["kind"] == "table":
        return "Every row shares what somebody may know with at least {others} others."
    from disjoin.model import MixedAnonymity

    quasi = [name for name, role in (facts.get("roles") or {}).items() if role == "quasi"]
    gaps = 987_654_321, 123_456_789
    words = MixedAnonymity(*gaps, tuple(quasi) or ("columns",)).sentence()
    return words.replace(str(gaps[0]), "{k}").replace(str(gaps[1]), "{m}")


def _clusterings() -> list[str]:
    from disjoin.methods.disassociation.choices import CLUSTERINGS

    return list(CLUSTERINGS)


async def job(request: Request) -> Response:
    """P3: progress, and how it ended."""
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
    tabs = [(f"/releases/{name}{end}", words) for end, words in TABS if _has(overview, end)]
    if known["data"] and overview["form"] in WITH_RECORDS:
        tabs.insert(2, (f"/data/{known['data']}/against/{name}", "Before and after"))
    private = _private(studio, known["data"], name)
    facts = {"id": name, "data": known["data"], "tabs": tabs, "overview": overview, "private": private}
    return page(request, template, **(facts | more))


def _has(overview: dict[str, Any], tab: str) -> bool:
    return tab != "/use" or bool(overview["has_terms"])


def _private(studio: Studio, data: str | None, release: str) -> dict[str, Any] | None:
    """Return what the steward was told when the release was made; nothing of a release that was received."""
    if data is None:
        return None
    made: dict[str, Any] | None = studio.store.data(data)["facts"]["releases"].get(release)
    return made


async def release(request: Request) -> Response:
    """P4: the release."""
    return await _release(request, "release.html")


async def parts(request: Request) -> Response:
    """P4: look inside; a typical part first."""
    studio, name = studio_of(request), one_id(request, "id")
    number, first = _number(request, "n"), int(request.query_params.get("from", "0") or 0)
    listed = await ask(studio, name, "list_parts", **{"from": first})
    if number is None:
        number = next(iter(listed["typical"]), 0)
    part = await ask(studio, name, "part", number=number) if listed["number"] else None
    return await _release(request, "parts.html", listed=listed, part=part)


def _number(request: Request, name: str) -> int | None:
    return int(request.path_params[name]) if name in request.path_params else None


async def attack(request: Request) -> Response:
    """P5: attack it; a table by values of its columns, noise by what it cannot tell."""
    studio, name = studio_of(request), one_id(request, "id")
    form = studio.store.release(name)["facts"]["form"]
    if form == "noisy":
        return await _release(request, "attack_noise.html", rows=(await ask(studio, name, "beliefs"))["rows"])
    columns = (await ask(studio, name, "columns"))["columns"] if form in ("table", "mixed") else {}
    return await _release(request, "attack.html", columns=columns)


async def use(request: Request) -> Response:
    """P6: use it."""
    return await _release(request, "use.html")


async def take(request: Request) -> Response:
    """P7: take it away."""
    studio, name = studio_of(request), one_id(request, "id")
    known = studio.store.release(name)
    has_dossier = known["data"] and (studio.home.data(known["data"]) / f"dossier-{name}.html").is_file()
    return await _release(request, "take.html", has_dossier=has_dossier)


async def against(request: Request) -> Response:
    """P4: a record before, and where its terms are now; this page is private, and so is its address."""
    studio, data, name = studio_of(request), one_id(request, "id"), one_id(request, "release")
    facts = studio.store.data(data)["facts"]
    if studio.store.release(name)["data"] != data:
        raise NotThere("this release was not made from these data.")
    number = request.query_params.get("record", "0")
    if not number.isdigit():
        raise InvalidParameter("a record is named by its number.")
    record = await studio.desks.ask("original_reader", original_of(facts), "record", number=int(number))
    found = await ask(studio, name, "after", known=[*record["values"], *record["terms"]][:20])
    part = None if found["part"] is None else await ask(studio, name, "part", number=found["part"])
    if part is not None:
        part["html"] = _lit(part["html"], record["terms"])
    overview = await ask(studio, name, "overview")
    tabs = [(f"/releases/{name}{end}", words) for end, words in TABS if _has(overview, end)]
    tabs.insert(2, (request.url.path, "Before and after"))
    shown: dict[str, Any] = {"id": name, "data": data, "tabs": tabs, "overview": overview, "part": part}
    return page(request, "against.html", record=record, found=found, **shown)


def _lit(html: str, terms: list[str]) -> str:
    """Light up terms in a picture."""
    for term in terms:
        html = html.replace(f"<bdi>{in_html(term)}</bdi>", f'<bdi class="lit">{in_html(term)}</bdi>')
    return html


async def check(request: Request) -> Response:
    """P8: check a release, and the verdict."""
    studio = studio_of(request)
    if "id" not in request.path_params:
        return page(request, "check.html", verdict=None, originals=studio.store.all_data())
    found = studio.store.job(one_id(request, "id"))
    if found["kind"] != "check" or found["state"] != DONE:
        raise NotThere("there is no such verdict.")
    return page(request, "check.html", verdict=found["result"], originals=studio.store.all_data())


async def help_page(request: Request) -> Response:
    """P9: the marks, what stays here, and pages of the docs; with a name, one of these."""
    from disjoin.studio.help_pages import FIRST, rendered, titles

    if name := request.path_params.get("name"):
        return page(request, "help_page.html", shown=rendered(name))
    others = [(folder, folder.capitalize()) for folder in ("methods", "measures", "attacks")]
    facts: dict[str, Any] = {"titles": titles(), "first": FIRST, "others": others}
    return page(request, "help.html", sentence=_sentences()["2"].replace("{k}", "k"), **facts)
