"""Helpers of the tests of the studio: a session, and a browser's half of the protocol."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import viser
from websockets.sync.client import ClientConnection, connect

from gambol.runs.trial import Trial
from gambol.studio.session import Session

STAND = Trial.of("stand")
SOON = 20.0
CAMERA = {"type": "ViewerCameraMessage", "wxyz": (1.0, 0.0, 0.0, 0.0), "position": (3.0, 0.0, 1.0), "fov": 1.0,
          "near": 0.1, "far": 100.0, "image_height": 100, "image_width": 100, "look_at": (0.0, 0.0, 1.0),
          "up_direction": (0.0, 0.0, 1.0)}


@contextlib.contextmanager
def open_session(trial: Trial = STAND, running: bool = False) -> Iterator[Session]:
    session = Session(trial, running=running)
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
