"""HTTP responses: size limits, errors as problem details, pages from templates."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from disjoin._version import __version__
from disjoin.errors import DisjoinError, InvalidParameter, place_of
from disjoin.studio.guard import Door
from disjoin.studio.home import Home, is_id
from disjoin.studio.jobs import Queue
from disjoin.studio.reader_pool import Desks
from disjoin.studio.store import Memory, NotThere
from disjoin.text import printable

LARGEST_BODY = 1 << 20


class TooLarge(InvalidParameter):
    """More bytes than may be sent."""


@dataclass(slots=True)
class Studio:
    """Everything that a handler may need."""

    home: Home
    store: Memory
    queue: Queue
    desks: Desks
    door: Door
    folder: Path | None = None
    max_upload: int = 2 << 30
    pages: Environment = field(default_factory=lambda: _pages())


def studio_of(request: Request) -> Studio:
    studio: Studio = request.app.state.studio
    return studio


def facts_of(request: Request) -> dict[str, Any]:
    facts: dict[str, Any] = studio_of(request).store.data(one_id(request, "id"))["facts"]
    return facts


def queued(studio: Studio, kind: str, wish: dict[str, Any], **about: Any) -> JSONResponse:
    """Put a job about an original (data), a release, or both into the queue; raise if these are not there."""
    for what, name in about.items():
        if name is not None:
            getattr(studio.store, what)(name)
    return JSONResponse({"job": studio.store.add_job(kind, wish, **about)}, 202)


def _pages() -> Environment:
    pages = Environment(loader=PackageLoader("disjoin.studio"), autoescape=True, finalize=_harmless, trim_blocks=True)
    pages.filters |= {
        "number": lambda number: f"{number:,}",
        "percent": lambda share: f"{share:.1%}",
        "in_hundred": in_hundred,
        "size": size_in_words,
        "sentence": sentence,
    }
    pages.globals |= {"version": __version__, "markup": Markup}
    return pages


def _harmless(value: Any) -> Any:
    """Write out hidden characters of foreign text; what is HTML of ours already passes."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def in_hundred(share: float) -> str:
    """Return a share in everyday words; a share above 0 is never rounded to none.

    >>> in_hundred(0.38), in_hundred(0.998), in_hundred(1.0), in_hundred(0.001)
    ('38 of 100', 'More than 99 of 100', '100 of 100', 'Fewer than 1 of 100')
    """
    rounded = round(100 * share)
    if rounded == 100 and share < 1:
        return "More than 99 of 100"
    return "Fewer than 1 of 100" if rounded == 0 < share else f"{rounded} of 100"


def sentence(words: str) -> str:
    """Return a message as a page shows it; on a command line it follows a word such as Error.

    >>> sentence("the file is empty.")
    'The file is empty.'
    """
    return words[:1].upper() + words[1:]


def size_in_words(size: float) -> str:
    """Return a size for people.

    >>> size_in_words(999), size_in_words(2_500_000)
    ('999 bytes', '2.5 MB')
    """
    if size < 1000:
        return f"{size:.0f} bytes"
    unit = 3 if size >= 1e9 else 2 if size >= 1e6 else 1
    return f"{size / 1000**unit:.1f} {('', 'kB', 'MB', 'GB')[unit]}"


def page(request: Request, template: str, status: int = 200, **facts: Any) -> HTMLResponse:
    """Return a page; titles are ours and never name what is in the data."""
    text = studio_of(request).pages.get_template(template).render(path=request.url.path, **facts)
    return HTMLResponse(text, status)


def one_id(request: Request, name: str) -> str:
    found = str(request.path_params[name])
    if not is_id(found):
        raise NotThere("there is no such thing here.")
    return found


async def body(request: Request) -> dict[str, Any]:
    """Return the JSON object that was sent; nothing sent is an empty one."""
    received = bytearray()
    async for block in request.stream():
        received += block
        if len(received) > LARGEST_BODY:
            raise TooLarge(f"expected at most {LARGEST_BODY:,} bytes of JSON.")
    if not received:
        return {}
    try:
        found = json.loads(received)
    except (ValueError, RecursionError):
        raise InvalidParameter("expected JSON, found something else.") from None
    if not isinstance(found, dict):
        raise InvalidParameter("expected a JSON object.")
    return found


def wanted(given: dict[str, Any], name: str, kind: type, default: Any = None) -> Any:
    """Return a member of a JSON object if it is of this kind; raise for another."""
    value = given.get(name, default)
    if value is default:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InvalidParameter(f"{name} must be {_KINDS.get(kind, kind.__name__)}.")
    return value


_KINDS = {int: "a whole number", str: "a text", list: "a list", dict: "an object", bool: "true or false"}


def whole(given: dict[str, Any], name: str, default: int | None, least: int, most: int) -> int | None:
    value: int | None = wanted(given, name, int, default)
    if value is not None and not least <= value <= most:
        raise InvalidParameter(f"{name} must be from {least:,} to {most:,}.")
    return value


def texts(given: dict[str, Any], name: str, most: int = 1000) -> list[str]:
    found = wanted(given, name, list, [])
    if not all(isinstance(each, str) and each for each in found) or len(found) > most:
        raise InvalidParameter(f"{name} must be a list of up to {most:,} texts.")
    return list(found)


async def failed(request: Request, error: Exception) -> Response:
    """Answer with what went wrong: a page for people, a problem for programs; no traceback for either."""
    if not isinstance(error, DisjoinError):
        words = f"disjoin failed unexpectedly ({place_of(error)}). Please report this line."
        return problem(request, 500, words, code=70)
    status = 404 if isinstance(error, NotThere) else 413 if isinstance(error, TooLarge) else 400
    return problem(request, status, str(error), code=error.exit_code, line=getattr(error, "line", None))


def problem(request: Request, status: int, words: str, *, code: int = 2, line: int | None = None) -> Response:
    if not request.url.path.startswith("/api/"):
        return page(request, "error.html", status, words=words)
    title = {404: "Not there", 413: "Too large", 500: "A mistake in disjoin"}.get(status, "It could not be done")
    facts = {
        "type": "about:blank",
        "title": title,
        "detail": printable(sentence(words)),
        "where": line,
        "exit_code": code,
    }
    return JSONResponse(facts, status, media_type="application/problem+json")
