"""Serving the studio: `run_studio` and `run_view` for the command line, `serve_studio` and `serve_view` for code.

    with serve_studio("balance", port=0) as studio:
        print(studio.url)
"""

from __future__ import annotations

import contextlib
import sys
import threading
import traceback
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, Self

import viser

from gambol.motion.motion import Motion
from gambol.planning.reference.build import reference_of_clip
from gambol.planning.reference.shown import motion_of
from gambol.runs.trial import Trial
from gambol.studio.frame import Frame
from gambol.studio.guard import open_server, quiet, written
from gambol.studio.panel import Panel
from gambol.studio.playback import Player, PlayPanel
from gambol.studio.session import Session
from gambol.studio.stage import Stage

BRAND = (43, 127, 184)


class Source(Protocol):
    """Where frames come from: a live session or a player."""

    frame: Frame | None
    status: Any
    watched: threading.Event
    changed: threading.Condition

    def close(self) -> None: ...


class Studio:
    """A source of frames on a server, with a thread that shows it to whoever is connected."""

    def __init__(self, server: viser.ViserServer, source: Source, stage: Stage, panel: Any) -> None:
        self.server, self.source, self.stage, self.panel = server, source, stage, panel
        self.host, self.port = server.get_host(), server.get_port()
        self._stopping = threading.Event()
        server.on_client_connect(lambda client: self._count())
        server.on_client_disconnect(lambda client: self._count())
        self._thread = threading.Thread(target=self._display, name="gambol-display", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://{written(self.host)}:{self.port}"

    def stop(self) -> None:
        """End the server and everything behind it."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._thread.join(timeout=10.0)
        self.source.close()
        with quiet():
            self.server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _count(self) -> None:
        """Frames are made only while somebody looks."""
        if self.server.get_clients():
            self.source.watched.set()
        else:
            self.source.watched.clear()

    def _display(self) -> None:
        epoch, shown = -1, None
        told: Any = None
        while not self._stopping.is_set():
            with self.source.changed:
                self.source.changed.wait(0.2)
            frame, status = self.source.frame, self.source.status
            if frame is None or (frame is shown and status is told):
                continue
            try:
                with self.server.atomic():
                    if status.epoch != epoch:
                        self.stage.build(frame)
                    else:
                        self.stage.show(frame)
                    self.panel.refresh(frame, status)
            except Exception:  # one frame that cannot be drawn must not end the show
                traceback.print_exc()
            epoch, shown, told = status.epoch, frame, status


def serve_studio(what: str | Trial = "balance", character: str | None = None, terrain: str | None = None,
                 port: int = 8080, host: str = "127.0.0.1", running: bool = True) -> Studio:
    """Start a live studio and return it: for a behavior, or for a whole trial."""
    session = Session(_trial(what, character, terrain), running=running)
    return _serve(session, host, port, "gambol studio", lambda server, stage: Panel(server, session, stage))


def _trial(what: str | Trial, character: str | None, terrain: str | None) -> Trial:
    """A trial as it is, or the one of a behavior's name."""
    return what if isinstance(what, Trial) else Trial.of(what, character, terrain=terrain)


def serve_view(path: Path | str, port: int = 8080, host: str = "127.0.0.1", character: str = "human") -> Studio:
    """Start a player for a motion file, or for a recorded clip (.bvh) on a character, and return it."""
    path = Path(path)
    motion = motion_of(reference_of_clip(path, character)) if path.suffix.lower() == ".bvh" else Motion.load(path)
    return serve_motion(motion, path.name, port, host)


def serve_motion(motion: Motion, name: str, port: int = 8080, host: str = "127.0.0.1") -> Studio:
    """Start a player for a motion and return it."""
    player = Player(motion)
    return _serve(player, host, port, "gambol view", lambda server, stage: PlayPanel(server, player, stage, name))


def run_studio(what: str | Trial = "balance", character: str | None = None, terrain: str | None = None,
               port: int = 8080, host: str = "127.0.0.1", open_browser: bool = True) -> None:
    """`gambol studio`: serve until Ctrl-C."""
    _run(serve_studio(what, character, terrain, port, host), port, open_browser)


def run_view(path: Path | str, port: int = 8080, host: str = "127.0.0.1", open_browser: bool = True,
             character: str = "human") -> None:
    """`gambol view`: serve until Ctrl-C."""
    _run(serve_view(path, port, host, character), port, open_browser)


def _serve(source: Source, host: str, port: int, label: str,
           make_panel: Callable[[viser.ViserServer, Stage], Any]) -> Studio:
    """Put a source on a server; whatever fails on the way, no thread is left behind."""
    with contextlib.ExitStack() as undo:
        undo.callback(source.close)
        server = open_server(host, port, label)
        undo.callback(server.stop)
        server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND)
        server.gui.main_panel.dock_right()
        stage = Stage(server)
        studio = Studio(server, source, stage, make_panel(server, stage))
        undo.pop_all()
        return studio


def _run(studio: Studio, port: int, open_browser: bool) -> None:
    with studio:
        if port not in (0, studio.port):
            print(f"port {port} is in use; using {studio.port}", file=sys.stderr)
        print(f"{studio.url}  (Ctrl-C ends it)", flush=True)
        if open_browser:
            show_page(studio.url)
        wait()


def wait() -> None:
    """Serve until Ctrl-C."""
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print("\nended", file=sys.stderr)


def show_page(url: str) -> None:
    """Open the browser; a machine without one is no reason to fail."""
    try:
        webbrowser.open(url)
    except Exception as error:
        print(f"no browser could be opened ({error}); open {url} yourself", file=sys.stderr)
