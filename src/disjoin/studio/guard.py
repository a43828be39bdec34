"""Access control and login cookie: only the browser that followed the link, at the address that was opened."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from disjoin.studio.home import Home

Failed = Callable[[Request, Exception], Awaitable[Response]]
SAFE = ("GET", "HEAD")
ENTRANCE = "/enter"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'"  # for a page that a stranger may have written
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_KINDS = ("application/json", "application/octet-stream")


@dataclass(frozen=True, slots=True)
class Door:
    """The address that was opened, and how its visitor is known."""

    home: Home
    host: str  # address:port
    secret: str

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    @property
    def cookie(self) -> str:
        """The cookie's name; with the port in it, as cookies do not care for ports."""
        return f"disjoin-{self.host.rpartition(':')[2]}"

    def new_link(self) -> str:
        key = secrets.token_urlsafe(32)
        self.home.write(self.home.path / "keys" / _hash(key), b"")
        return f"{self.origin}{ENTRANCE}?key={key}"

    def takes(self, key: str) -> bool:
        """Return whether a key fits; it never fits again."""
        try:
            (self.home.path / "keys" / _hash(key)).unlink()
        except OSError:
            return False
        return True

    def knows(self, headers: Headers) -> bool:
        found: SimpleCookie = SimpleCookie()
        try:
            found.load(headers.get("cookie", ""))
        except CookieError:
            return False
        value = found[self.cookie].value if self.cookie in found else ""
        return hmac.compare_digest(value.encode(), self.secret.encode())

    def objection(self, method: str, path: str, headers: Headers) -> tuple[int, str] | None:
        """Return why a request is refused, as a status and a sentence; None if it may pass."""
        if headers.get("host") != self.host:
            return 421, "This is another address than the one that was opened."
        came_from = headers.get("sec-fetch-site", "none")
        if came_from in ("cross-site", "same-site") and path != ENTRANCE:
            return 403, "Another page asked for this."
        if method not in SAFE and headers.get("origin") != self.origin:
            return 403, "Another page asked for this."
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        if method not in SAFE and (has_body or method != "DELETE") and kind not in _KINDS:
            return 415, "Send JSON or plain bytes."
        if path != ENTRANCE and not self.knows(headers):
            return 403, "Open the studio with the link that `disjoin studio` printed. It works once."
        return None


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


class Guard:
    """Lets requests pass that the door has no objection to, and gives every answer the same protective headers."""

    def __init__(self, app: ASGIApp, door: Door, failed: Failed) -> None:
        self.app, self.door, self.failed = app, door, failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        begun = False

        async def protected(message: Message) -> None:
            nonlocal begun
            begun = True
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        request = Request(scope, receive)
        objection = self.door.objection(request.method, request.url.path, request.headers)
        if objection:
            await PlainTextResponse(objection[1], objection[0])(scope, receive, protected)
        elif request.url.path == ENTRANCE:
            await self._entrance(request)(scope, receive, protected)
        else:
            try:
                await self.app(scope, receive, protected)
            except Exception as mistake:  # ours
                if begun:
                    raise
                await (await self.failed(request, mistake))(scope, receive, protected)

    def _entrance(self, request: Request) -> Response:
        if request.method != "GET" or not self.door.takes(request.query_params.get("key", "")):
            if self.door.knows(request.headers):
                return RedirectResponse("/", 303)
            words = "This link has been used, or is none of ours. Start `disjoin studio` again for a new one."
            return PlainTextResponse(words, 403)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.door.cookie, self.door.secret, httponly=True, samesite="strict", path="/")
        return answer
