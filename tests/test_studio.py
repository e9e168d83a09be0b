"""The studio without a browser: the live session, playback, and what the server refuses."""

from __future__ import annotations

import contextlib
import gc
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import viser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from gambol.errors import BadInput
from gambol.motion.motion import Motion
from gambol.motion.verify import verify, verify_file
from gambol.params import ParamInfo
from gambol.studio import Studio, serve_studio, serve_view
from gambol.studio.clock import MOST_DEBT, Pace
from gambol.studio.overlays import outline
from gambol.studio.parts import FORMATS, file_bytes
from gambol.studio.playback import Player
from gambol.studio.session import Session
from gambol.studio.setup import Setup
from gambol.studio.widgets import nice_step, table

STAND = Setup(behavior="stand")
SOON = 20.0
CAMERA = {"type": "ViewerCameraMessage", "wxyz": (1.0, 0.0, 0.0, 0.0), "position": (3.0, 0.0, 1.0), "fov": 1.0,
          "near": 0.1, "far": 100.0, "image_height": 100, "image_width": 100, "look_at": (0.0, 0.0, 1.0),
          "up_direction": (0.0, 0.0, 1.0)}


@contextlib.contextmanager
def open_session(setup: Setup = STAND, running: bool = False) -> Iterator[Session]:
    session = Session(setup, running=running)
    try:
        yield session
    finally:
        session.close()


@contextlib.contextmanager
def viewer(port: int, origin: str | None = None) -> Iterator[ClientConnection]:
    """A browser's half of viser's protocol: it counts as connected once it has said where its camera is."""
    with connect(f"ws://127.0.0.1:{port}", subprotocols=[f"viser-v{viser.__version__}"],  # type: ignore[list-item]
                 origin=origin or f"http://127.0.0.1:{port}", max_size=None,  # type: ignore[arg-type]
                 compression=None) as connection:
        connection.send(msgspec.msgpack.encode(CAMERA))
        yield connection


def press(connection: ClientConnection, button: Any, value: Any = True) -> None:
    """Click a button of the panel, by its handle on the server."""
    connection.send(msgspec.msgpack.encode(
        {"type": "GuiUpdateMessage", "uuid": button._impl.uuid, "updates": {"value": value}}))


def wait_for(condition: Callable[[], Any], seconds: float = SOON) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def advance(session: Session, seconds: float) -> None:
    """Simulate without waiting for the clock."""
    for _ in range(round(seconds * 30)):
        session.step().result(SOON)


# -- the session -----------------------------------------------------------------------------------------------------

def test_it_runs_by_the_clock_and_stops_when_told() -> None:
    with open_session(running=True) as session:
        wait_for(lambda: session.call(lambda world: world.time).result(SOON) > 0.1)
        session.pause().result(SOON)
        then = session.call(lambda world: world.time).result(SOON)
        time.sleep(0.1)
        assert session.call(lambda world: world.time).result(SOON) == then
        session.reset().result(SOON)
        assert session.call(lambda world: world.time).result(SOON) == 0.0


def test_what_is_owed_is_bounded() -> None:
    pace = Pace(speed=2.0)
    assert pace.owed(10.0) == 0.0
    assert pace.owed(10.01) == pytest.approx(0.02)
    pace.paid(0.02)
    assert pace.owed(100.0) == MOST_DEBT


def test_frames_are_made_only_while_somebody_looks() -> None:
    with open_session(running=True) as session:
        wait_for(lambda: session.call(lambda world: world.time).result(SOON) > 0.05)
        assert session.frame is None
        session.watched.set()
        wait_for(lambda: session.frame is not None)


def test_looking_changes_nothing() -> None:
    """A watched run gives the very states of one that nobody sees."""
    ends = []
    for watched in (False, True):
        with open_session() as session:
            if watched:
                session.watched.set()
            session.push("trunk", 120.0, 30.0, 0.1).result(SOON)
            advance(session, 0.5)
            ends.append(session.call(lambda world: world.data.qpos.copy()).result(SOON))
    np.testing.assert_array_equal(*ends)


def test_a_frame_shows_weight_on_the_feet() -> None:
    with open_session(Setup(behavior="balance")) as session:
        session.watched.set()
        advance(session, 0.5)
        wait_for(lambda: session.frame is not None and session.frame.time > 0.4)
        frame = session.frame
        assert frame is not None
        assert 0.7 < frame.measures["ground force"] < 1.3
        assert 0.8 < frame.measures["COM height"] < 1.2
        assert len(frame.support) >= 3
        assert 0.0 < frame.measures["torque ratio"] <= 1.0


def test_a_push_goes_where_it_points_and_is_recorded() -> None:
    with open_session() as session:
        session.push("trunk", 300.0, 90.0, 0.1).result(SOON)
        advance(session, 0.4)
        motion = session.motion().result(SOON)
        assert session.call(lambda world: world.figure.com[1]).result(SOON) > 0.02
    assert len(motion.push_tick) == 25
    np.testing.assert_allclose(np.linalg.norm(motion.push_wrench[:, :3], axis=1), 300.0)
    assert verify(motion).ok


def test_balls_can_be_thrown() -> None:
    with open_session() as session:
        session.throw(body="trunk", mass=2.0, speed=8.0, bearing=90.0).result(SOON)
        advance(session, 0.6)
        motion = session.motion().result(SOON)
    assert len(motion.throw_tick) == 1
    assert verify(motion).ok


def test_a_recording_begins_and_ends_when_told(tmp_path: Path) -> None:
    with open_session() as session:
        advance(session, 0.5)
        session.record().result(SOON)
        advance(session, 0.4)
        session.stop_recording().result(SOON)
        advance(session, 0.3)
        motion = session.motion().result(SOON)
        with pytest.raises(BadInput, match="nothing is being recorded"):
            session.stop_recording().result(SOON)
    assert motion.seconds == pytest.approx(0.4, abs=0.05)
    assert motion.meta["behavior"] == "stand"
    assert verify_file(motion.save(tmp_path / "take.npz")).ok


def test_a_reset_ends_the_recording_but_keeps_it() -> None:
    with open_session() as session:
        session.record().result(SOON)
        advance(session, 0.2)
        session.reset().result(SOON)
        assert session.status.recording is None
        assert session.status.take == pytest.approx(0.2, abs=0.05)


def test_a_body_grows_gradually_and_the_take_still_verifies() -> None:
    with open_session() as session:
        before = session.call(lambda world: world.figure.mass).result(SOON)
        session.morph(1.1, {"thigh": 1.05}).result(SOON)
        masses = []
        for _ in range(6):
            advance(session, 0.2)
            masses.append(session.call(lambda world: world.figure.mass).result(SOON))
        motion = session.motion().result(SOON)
    assert before < masses[0] < masses[-1]
    assert masses[-1] == pytest.approx(before * 1.1**3, rel=0.1)
    assert verify(motion).ok
    Player(motion).close()


def test_switching_rebuilds_or_leaves_things_as_they_were() -> None:
    with open_session() as session:
        session.rebuild(character="child", terrain="flat").result(SOON)
        assert session.call(lambda world: world.characters[0].name).result(SOON) == "child"
        for wrong in ({"terrain": "moon"}, {"terrain": "flat:bumps=3"}, {"character": "nobody"}):
            with pytest.raises(BadInput, match="unknown"):
                session.rebuild(**wrong).result(SOON)
        assert session.status.setup.character == "child"
        session.switch("balance").result(SOON)
        with pytest.raises(BadInput, match="unknown behavior"):
            session.switch("fly").result(SOON)
        assert session.behavior.name == "balance"


def test_parameters_are_checked_and_all_or_nothing() -> None:
    with open_session() as session:
        session.set_params({"stiffness": 2.0}).result(SOON)
        assert session.behavior.params.stiffness == 2.0
        with pytest.raises(BadInput, match="out of range"):
            session.set_params({"stiffness": 1.0, "damping": 1e9}).result(SOON)
        assert session.behavior.params.stiffness == 2.0


def test_a_failing_behavior_pauses_with_its_message() -> None:
    with open_session() as session:
        def fail() -> np.ndarray:
            raise ZeroDivisionError("no ground left")

        session.call(lambda world: setattr(session.behavior, "act", fail)).result(SOON)
        session.play().result(SOON)
        wait_for(lambda: session.status.problem is not None)
        assert "no ground left" in str(session.status.problem)
        assert not session.status.running
        with pytest.raises(BadInput, match="reset"):
            session.play().result(SOON)
        session.call(lambda world: delattr(session.behavior, "act")).result(SOON)
        session.reset().result(SOON)
        assert session.status.problem is None and session.status.running


def test_a_diverged_simulation_pauses_and_can_be_reset() -> None:
    with open_session() as session:
        def blow_up(world: Any) -> None:
            world.data.qvel[:] = np.nan

        session.call(blow_up).result(SOON)
        session.step().result(SOON)
        assert "diverged" in str(session.status.problem) or "nan" in str(session.status.problem).lower()
        session.reset().result(SOON)
        advance(session, 0.1)
        assert session.status.problem is None


def test_a_fall_is_told_once_and_it_lies_there() -> None:
    with open_session() as session:
        session.push("trunk", 800.0, 0.0, 0.3).result(SOON)
        advance(session, 2.0)
        assert session.status.fell is not None and session.status.fell_at is not None
        assert session.status.problem is None


# -- small things ----------------------------------------------------------------------------------------------------

def test_slider_steps_read_well() -> None:
    assert nice_step(1.0) == pytest.approx(0.01)
    assert nice_step(580.0) == pytest.approx(10.0)
    assert nice_step(0.48) == pytest.approx(0.005)


def test_tables_cannot_be_broken_by_their_content() -> None:
    assert table((("a|b", "1"),), ("name", "priority", "weight")).splitlines()[2] == "| a/b | 1 |  |"


def test_the_outline_of_points() -> None:
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 0]], dtype=float)
    assert len(outline(square)) == 4
    assert len(outline(np.array([[0, 0, 0], [1, 1, 0], [2, 2, 0]], dtype=float))) == 2
    assert len(outline(square[:2])) == 2


# -- the server ------------------------------------------------------------------------------------------------------

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


# -- playback --------------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def take(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with open_session() as session:
        session.push("trunk", 100.0, 0.0, 0.1).result(SOON)
        advance(session, 1.0)
        return session.motion().result(SOON).save(tmp_path_factory.mktemp("take") / "take.npz")


def test_a_motion_is_played_sought_and_looped(take: Path) -> None:
    with serve_view(take, port=0) as studio, viewer(studio.port):
        player: Any = studio.source
        wait_for(lambda: player.status.time > 0.2)
        player.scrub(0.5)
        wait_for(lambda: player.frame is not None and player.frame.time == 0.5)
        assert not player.status.playing
        player.step(1)
        wait_for(lambda: player.frame.time == pytest.approx(0.5 + 1 / 30))
        player.set(loop=False, speed=2.0)
        player.play(True)
        wait_for(lambda: not player.status.playing)
        assert player.status.time == pytest.approx(player.motion.seconds)
        player.seek(1e9)
        assert player.status.time == player.motion.seconds


def test_the_rows_of_a_motion_show_their_forces(take: Path) -> None:
    player = Player(Motion.load(take))
    try:
        player.watched.set()
        player.scrub(0.3)
        wait_for(lambda: player.frame is not None and player.frame.time == 0.3)
        assert player.frame is not None
        assert 0.2 < player.frame.measures["ground force"] < 3.0
    finally:
        player.close()


@pytest.mark.parametrize("suffix", [suffix for suffix in FORMATS if suffix != ".mp4"])
def test_every_format_can_be_downloaded(take: Path, suffix: str) -> None:
    assert len(file_bytes(Motion.load(take), suffix)) > 1000


def test_a_file_that_is_no_motion_is_bad_input(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.npz"
    wrong.write_bytes(b"hello")
    for path in (wrong, tmp_path / "missing.npz"):
        with pytest.raises(BadInput):
            serve_view(path)


def test_every_kind_of_parameter_has_a_control(studio: Studio) -> None:
    from gambol.studio.widgets import param_widget

    gui = studio.server.gui
    for info in (ParamInfo("big_step", 0.5, "m", 0.0, 1.0, (), "how big"), ParamInfo("count", 3, "", 1, 9, (), "many"),
                 ParamInfo("fast", True, "", None, None, (), "hurry"), ParamInfo("way", "a", "", None, None, ("a", "b"),
                                                                                  "which")):
        widget = param_widget(gui, info, info.default)
        assert widget.value == info.default
        widget.remove()
