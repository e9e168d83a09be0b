"""A real browser for tests: headless Chromium, driven by Node (tests/node/drive.mjs)."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import imageio.v3 as imageio
import numpy as np
import pytest

NODE = Path(__file__).parent / "node"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCENE_WIDTH = 560
"""Pixels of the page left of the panel."""


def _missing() -> str | None:
    if CHROMIUM is None:
        return "needs Chromium"
    if shutil.which("node") is None:
        return "needs Node.js"
    return None if (NODE / "node_modules" / "playwright-core").is_dir() else "needs `npm install` in tests/node"


needs_browser = [pytest.mark.browser, pytest.mark.skipif(_missing() is not None, reason=_missing() or "")]


class Browser:
    """Commands for tests/node/drive.mjs."""

    def __init__(self) -> None:
        assert CHROMIUM is not None
        self.process = subprocess.Popen(["node", "drive.mjs", CHROMIUM], cwd=NODE, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self._answer()

    def __call__(self, verb: str, page: str = "", **settings: Any) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"verb": verb, "page": page, **settings}) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the browser is gone"
        answer = json.loads(line)
        assert answer["ok"], answer.get("error")
        return answer.get("value")

    def picture(self, page: str, path: Path) -> np.ndarray:
        """The scene of a page, without the panel."""
        self("shot", page, path=str(path))
        return imageio.imread(path)[:, :SCENE_WIDTH, :3].astype(int)

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(20.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
