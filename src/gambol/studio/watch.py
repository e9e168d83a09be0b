"""Watching: the character of the current solution in the studio, on loopback, while it is being solved."""

from __future__ import annotations

import threading
import time
from typing import Any, Self

import numpy as np

from gambol.motion.motion import Motion
from gambol.studio.playback import about
from gambol.studio.server import Studio, serve_motion, wait
from gambol.synthesis.motion import to_motion
from gambol.synthesis.problem import Problem
from gambol.synthesis.scene import Scene
from gambol.synthesis.synthesize import News, Result

REST = 2.0
"""Pause after a preview, in times of what making it took: solving comes first."""


class Watching:
    """Serves a scene. As a `tell` of `climb` it notes the latest solution; a thread of its own shows it."""

    def __init__(self, scene: Scene, port: int = 8080) -> None:
        self.scene = scene
        guess = self._motion((problem := scene.problem()).guess(), problem)
        self.studio: Studio = serve_motion(guess, scene.name, port)
        self.player: Any = self.studio.source
        self._about(guess, "preparing")
        self._news: News | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._preview, name="gambol-watch", daemon=True)
        self._thread.start()

    def __call__(self, news: News) -> bool:
        self._news = news
        return False

    def finish(self, result: Result) -> None:
        """Show the finished Motion."""
        self._end()
        self.player.show(result.motion)
        self._about(result.motion, "" if result.solved else result.sentence())

    def wait(self) -> None:
        """Go on showing it until Ctrl-C."""
        wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self.studio.stop()

    def _end(self) -> None:
        self._ended.set()
        self._thread.join(timeout=10.0)

    def _motion(self, z: np.ndarray, problem: Problem) -> Motion:
        """A solution on its way: nothing is said of its residuals."""
        motion, _ = to_motion(self.scene, z, [], problem)
        return motion.with_meta(residuals=None)

    def _about(self, motion: Motion, text: str) -> None:
        self.studio.panel.about.content = f"{about(motion, self.scene.name)}\n\n{text}"

    def _preview(self) -> None:
        shown, pause = None, 0.2
        while not self._ended.wait(pause):
            news = self._news
            if news is None or news is shown or not self.player.watched.is_set():
                continue
            begin = time.perf_counter()
            motion = self._motion(news.step.z, news.problem)
            if not self._ended.is_set():
                self.player.show(motion)
                self._about(motion, _costs(news))
            shown, pause = news, max(0.2, REST * (time.perf_counter() - begin))


def _costs(news: News) -> str:
    lines = [f"solving: stage **{news.stage.name}**, iteration {news.step.iteration}, cost {news.step.cost:.4g}", "",
             "| term | cost |", "|---|---|"]
    return "\n".join(lines + [f"| {name} | {cost:.3g} |" for name, cost in news.dearest(6)])
