"""What the server of the studio answers and refuses, and that nothing stays behind."""

from __future__ import annotations

import gc
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from gambol.errors import BadInput
from gambol.studio import Studio, serve_studio
from gambol.world.terrains import TERRAINS
from studio_tools import SOON, press, viewer, wait_for


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    with serve_studio("stand", port=0) as running:
        yield running


def ask(port: int, path: str = "/", host: str | None = None, headers: str = "") -> tuple[int, bytes]:
    """A raw request, so that nothing is tidied up on the way."""
    host = host if host is not None else f"127.0.0.1:{port}"
    with socket.create_connection(("127.0.0.1", port), timeout=SOON) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n".encode())
        connection.settimeout(SOON)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def test_the_page_is_served_on_loopback_only(studio: Studio) -> None:
    status, body = ask(studio.port)
    assert status == 200 and b"<html" in body[:2000].lower()
    assert ask(studio.port, host=f"localhost:{studio.port}")[0] == 200
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in addresses - {"127.0.0.1", "127.0.1.1"}:
        with pytest.raises(OSError, match=""):
            socket.create_connection((str(address), studio.port), timeout=2.0).close()


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1", "",
                                  "127.0.0.1:{port}@evil.example", "127.0.0.1.evil.example:{port}", "[::1"])
def test_foreign_hosts_are_refused(studio: Studio, host: str) -> None:
    assert ask(studio.port, host=host.format(port=studio.port))[0] == 403


def test_two_hosts_are_refused(studio: Studio) -> None:
    assert ask(studio.port, headers="Host: evil.example\r\n")[0] in (400, 403)


@pytest.mark.parametrize("origin", ["http://evil.example", "http://evil.example:{port}", "null", "http://localhost:1",
                                    "http://127.0.0.1.evil.example:{port}", "file://", "http://[::1"])
def test_foreign_pages_are_refused(studio: Studio, origin: str) -> None:
    origin = origin.format(port=studio.port)
    assert ask(studio.port, headers=f"Origin: {origin}\r\n")[0] == 403
    with pytest.raises(InvalidStatus) as refused, viewer(studio.port, origin=origin):
        pass
    assert refused.value.response.status_code == 403


def test_our_own_page_is_welcome(studio: Studio) -> None:
    for name in ("127.0.0.1", "localhost"):
        with viewer(studio.port, origin=f"http://{name}:{studio.port}") as connection:
            assert connection.recv(timeout=SOON)


@pytest.mark.parametrize("path", ["/../../../../../../etc/passwd", "/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
                                  "/..%2f..%2f..%2f..%2fetc/passwd", "//etc/passwd", "/%2fetc%2fpasswd",
                                  "/assets/..\\..\\..\\..\\etc\\passwd", "/.../etc/passwd", "/%00", "/etc/passwd"])
def test_no_file_outside_is_served(studio: Studio, path: str) -> None:
    status, body = ask(studio.port, path)
    assert status in (400, 403, 404) and b"root:" not in body


def test_nobody_can_make_it_public(studio: Studio) -> None:
    """viser opens a tunnel to the world when a page asks; ours does not listen to that."""
    handlers = studio.server._websock_server._incoming_handlers
    assert not [kind.__name__ for kind in handlers if "Share" in kind.__name__]


def test_a_port_in_use_leads_to_the_next(studio: Studio) -> None:
    with serve_studio("stand", port=studio.port) as second:
        assert second.port != studio.port
        assert ask(second.port)[0] == 200


def test_a_host_that_is_not_ours_is_bad_input() -> None:
    with pytest.raises(BadInput, match="cannot listen"):
        serve_studio("stand", host="203.0.113.7")


def test_bad_input_starts_nothing() -> None:
    before = threading.active_count()
    with pytest.raises(BadInput, match="unknown behavior"):
        serve_studio("fly")
    assert threading.active_count() == before


def test_a_click_reaches_the_simulation(studio: Studio) -> None:
    session: Any = studio.source
    with viewer(studio.port) as connection:
        wait_for(lambda: session.frame is not None)
        press(connection, studio.panel.moves, "Reset")
        press(connection, studio.panel.shove.button)
        wait_for(lambda: len(session.motion().result(SOON).push_tick) > 0)


def test_balls_come_from_a_chosen_side_or_from_anywhere(studio: Studio) -> None:
    session: Any = studio.source
    shove = studio.panel.shove
    with viewer(studio.port) as connection:
        wait_for(lambda: session.frame is not None)
        session.reset().result(SOON)
        session.play().result(SOON)
        press(connection, shove.anywhere, False)
        wait_for(lambda: not shove.bearing.disabled)
        press(connection, shove.bearing, 90)
        wait_for(lambda: shove.bearing.value == 90)
        press(connection, shove.throw)
        wait_for(lambda: len(session.motion().result(SOON).throw_tick) == 1)
        x, y, _ = session.motion().result(SOON).throw_state[0, 7:10]
        assert y < -7.0 and abs(x) < 1.0  # from its left
        press(connection, shove.anywhere, True)
        wait_for(lambda: shove.bearing.disabled)
        sides: set[int] = set()

        def thrown_from_elsewhere() -> bool:
            press(connection, shove.throw)
            sides.add(shove.bearing.value)
            return len(sides) > 2

        wait_for(thrown_from_elsewhere)


def test_every_terrain_can_be_chosen_and_shows_its_measures(studio: Studio) -> None:
    session: Any = studio.source
    panel = studio.panel
    assert tuple(panel.terrain.options) == tuple(TERRAINS)
    with viewer(studio.port) as connection:
        wait_for(lambda: session.frame is not None)
        press(connection, panel.terrain, "stairs")
        wait_for(lambda: panel.spec.value.startswith("stairs:rise=0.15,run=0.3"))
        press(connection, panel.spec, "slope:angle=7")
        wait_for(lambda: panel.spec.value == "slope:angle=7")
        press(connection, panel.build)
        wait_for(lambda: session.world.terrain.name == "slope" and session.world.terrain.params.angle == 7.0)
        wait_for(lambda: panel.terrain.value == "slope")
        press(connection, panel.terrain, "flat")
        wait_for(lambda: session.world.terrain.name == "flat")


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files through /proc")
def test_viewers_come_and_go_and_nothing_stays(studio: Studio) -> None:
    def visit() -> None:
        with viewer(studio.port) as connection:
            connection.recv(timeout=SOON)
            wait_for(lambda: studio.server.get_clients())
        wait_for(lambda: not studio.server.get_clients())

    for _ in range(3):
        visit()
    gc.collect()
    files, threads, objects = open_files(), threading.active_count(), len(gc.get_objects())
    for _ in range(50):
        visit()
    gc.collect()
    assert open_files() <= files + 2
    assert threading.active_count() <= threads + 32  # viser's pool of callback threads fills up, once
    assert len(gc.get_objects()) < objects + 5000
    assert not studio.source.watched.is_set()
    session: Any = studio.source
    then = session.call(lambda world: world.time).result(SOON)
    wait_for(lambda: session.call(lambda world: world.time).result(SOON) > then)


def test_stopping_leaves_no_thread() -> None:
    before = {thread.name for thread in threading.enumerate()}
    serve_studio("stand", port=0).stop()
    left = {thread.name for thread in threading.enumerate()} - before
    assert not [name for name in left if name.startswith("gambol")]
