"""A viser server that answers only its own pages.

viser serves whoever can reach the port. A page of some other site, open in the same browser, can reach 127.0.0.1 too,
so every request is checked before viser sees it: the Host header against DNS rebinding (a foreign name made to point
at this machine), the Origin header against foreign pages. Requests without an Origin come from programs, not pages,
and pass. viser can also publish itself through a tunnel when a page asks for it; that is taken out.

viser has no hook for this. Its server thread looks up `websockets.asyncio.server.serve` when it starts, so for that
moment the name leads to a version with the check in front; if viser ever stops asking there, `open_server` refuses to
start rather than run without.
"""

from __future__ import annotations

import contextlib
import http
import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import rich
import viser
import websockets.asyncio.server as websocket_server
from viser import _messages as viser_messages
from websockets import Headers
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from gambol.errors import BadInput

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERY_ADDRESS = ("0.0.0.0", "::", "")

Handler = Callable[[ServerConnection, Request], Any]

_starting = threading.Lock()


class Guard:
    """Decides which requests are for us."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.installed = False

    def refusal(self, headers: Headers, port: int) -> str | None:
        """Why a request is refused, or None."""
        hosts = headers.get_all("Host")
        if len(hosts) != 1 or not self._is_own(hosts[0], port):
            return f"this address is not served here; open http://{written(self.host)}:{port}"
        for origin in headers.get_all("Origin"):
            scheme, _, address = origin.partition("://")
            if scheme not in ("http", "https") or not self._is_own(address, port):
                return "requests from other pages are refused"
        return None

    def _is_own(self, address: str, port: int) -> bool:
        """Whether `name:port` is one of our own addresses."""
        try:
            parts = urlsplit(f"//{address}")
            name, given = (parts.hostname or "").lower(), parts.port or 80
        except ValueError:
            return False
        if given != port or parts.netloc != address or "@" in address:
            return False
        if name in LOOPBACK or name == self.host.lower():
            return True
        # Bound to every address on purpose: a bare number cannot be a rebound name, nor can our own host name.
        return self.host in EVERY_ADDRESS and (_is_number(name) or name == socket.gethostname().lower())

    def before(self, handler: Handler | None) -> Handler:
        """`handler` with the check in front of it."""
        def check(connection: ServerConnection, request: Request) -> Any:
            reason = self.refusal(request.headers, connection.local_address[1])
            if reason is not None:
                return _answer(http.HTTPStatus.FORBIDDEN, reason)
            try:
                response = handler(connection, request) if handler is not None else None
            except ValueError:  # a path that no file can have
                return _answer(http.HTTPStatus.NOT_FOUND, "there is no such file")
            if isinstance(response, Response):
                response.headers["X-Content-Type-Options"] = "nosniff"
                response.headers["X-Frame-Options"] = "SAMEORIGIN"  # nobody wraps our buttons in their page
            return response

        return check


def open_server(host: str, port: int, label: str) -> viser.ViserServer:
    """A guarded viser server on `host`, on `port` or the next free one. Prints nothing."""
    _check_host(host)
    guard = Guard(host)
    with _guarded(guard), quiet():
        server = viser.ViserServer(host=host, port=port, label=label, verbose=False)
    if not guard.installed:
        server.stop()
        raise RuntimeError("this version of viser cannot be guarded; gambol needs viser 1.1")
    for message in (viser_messages.ShareUrlRequest, viser_messages.ShareUrlDisconnect):
        server._websock_server.unregister_handler(message)
    return server


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """viser prints a banner and a farewell through rich; we say these things ourselves."""
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


@contextlib.contextmanager
def _guarded(guard: Guard) -> Iterator[None]:
    plain_serve = websocket_server.serve

    def serve(*args: Any, process_request: Handler | None = None, **options: Any) -> Any:
        guard.installed = True
        return plain_serve(*args, process_request=guard.before(process_request), **options)

    with _starting:
        websocket_server.serve = serve  # type: ignore[assignment,misc]
        try:
            yield
        finally:
            websocket_server.serve = plain_serve  # type: ignore[misc]


def _check_host(host: str) -> None:
    """viser tries a thousand ports on a host that is not ours; one attempt tells."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM,
                                                         flags=socket.AI_PASSIVE)[0]
        with socket.socket(family, kind) as probe:
            probe.bind(address)
    except OSError as error:
        raise BadInput(f"cannot listen on host {host!r}: {error.strerror or error}; use 127.0.0.1") from None


def _answer(status: http.HTTPStatus, text: str) -> Response:
    body = f"{status.value}: {text}\n".encode()
    headers = Headers({"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body)),
                       "Connection": "close"})
    return Response(status, status.phrase, headers, body)


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def written(host: str) -> str:
    """A host as it is written in an address."""
    if host in EVERY_ADDRESS:
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
