"""Overlays: what cannot be seen on a body, drawn into the scene. Each one knows how to draw itself from a Frame."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque

import numpy as np
import viser
from scipy.spatial import ConvexHull, QhullError

from gambol.studio.ahead import CORNERS, NOTHING
from gambol.studio.frame import LOADED, Frame
from gambol.studio.stage import WORLD
from gambol.units import GRAVITY

LIFT = 0.006
"""Drawings on the ground hover this far above it, m."""
FORCE_LENGTH = 1.6
"""Length of the arrow of one body weight, m."""
MOMENTUM_LENGTH = 0.4
"""Length of the arrow of the angular momentum of a brisk turn, m: 0.1 kg m2/s for each kg of body."""
ORANGE, GREEN, RED, VIOLET = (240, 130, 30), (40, 160, 90), (215, 50, 60), (120, 80, 200)
PINK, PLUM = (222, 60, 140), (120, 25, 85)


class Overlay(ABC):
    """Something drawn on request."""

    label: str
    hint: str

    def __init__(self, scene: viser.SceneApi) -> None:
        self.scene = scene
        self.path = f"{WORLD}/overlay/{type(self).__name__.lower()}"
        self.group = scene.add_frame(self.path, show_axes=False, visible=False)
        self.shown = False

    def switch(self, shown: bool) -> None:
        self.shown = self.group.visible = shown

    @abstractmethod
    def draw(self, frame: Frame) -> None:
        """Show this frame."""


class Com(Overlay):
    label, hint = "Centre of mass", "the centre of mass, and the point of the ground below it"

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self.ball = scene.add_icosphere(f"{self.path}/ball", 0.05, ORANGE, cast_shadow=False, opacity=0.85)
        self.spot = scene.add_cylinder(f"{self.path}/spot", 0.035, 0.004, ORANGE, cast_shadow=False)
        self.line = scene.add_line_segments(f"{self.path}/line", np.zeros((1, 2, 3)), ORANGE, thickness=0.008)
        self.badge = scene.add_label(f"{self.path}/label", "COM", anchor="center-left", font_screen_scale=0.8)

    def draw(self, frame: Frame) -> None:
        below = np.array([frame.com[0], frame.com[1], frame.ground + 2 * LIFT])
        self.ball.position, self.spot.position, self.badge.position = frame.com, below, frame.com
        self.line.points = np.array([[frame.com, below]], dtype=np.float32)


class Support(Overlay):
    label, hint = "Support polygon", "the area between the loaded points of the feet"
    CORNERS = 16

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self.area = scene.add_mesh_simple(f"{self.path}/area", np.zeros((self.CORNERS, 3)), fan(self.CORNERS),
                                          color=GREEN, opacity=0.45, side="double", cast_shadow=False,
                                          receive_shadow=False)
        self.edge = scene.add_line_segments(f"{self.path}/edge", np.zeros((self.CORNERS, 2, 3)), GREEN,
                                            thickness=0.012)

    def draw(self, frame: Frame) -> None:
        corners = outline(frame.support)
        self.area.visible = self.edge.visible = len(corners) >= 2
        if len(corners) >= 2:
            corners = corners + [0.0, 0.0, LIFT]
            padded = corners[np.minimum(np.arange(self.CORNERS), len(corners) - 1)]
            self.area.vertices = padded.astype(np.float32)
            self.edge.points = closed(padded)


class Forces(Overlay):
    label, hint = "Contact forces", "the force of every contact on the character"

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self.arrows = scene.add_arrows(f"{self.path}/arrows", np.zeros((1, 2, 3)), RED, shaft_radius=0.011,
                                       head_radius=0.026, head_length=0.06)

    def draw(self, frame: Frame) -> None:
        strong = frame.contacts[np.linalg.norm(frame.contacts[:, 1], axis=1) > LOADED]
        self.arrows.visible = len(strong) > 0
        if len(strong):
            points = strong[:, 0]
            self.arrows.points = np.stack([points, points + FORCE_LENGTH / frame.weight * strong[:, 1]],
                                          axis=1).astype(np.float32)


class Momentum(Overlay):
    label, hint = "Angular momentum", "the axis about which the body turns as a whole; longer is faster"

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self.arrow = scene.add_arrows(f"{self.path}/arrow", np.zeros((1, 2, 3)), VIOLET, shaft_radius=0.014,
                                      head_radius=0.035, head_length=0.07)

    def draw(self, frame: Frame) -> None:
        length = MOMENTUM_LENGTH / (0.1 * frame.weight / GRAVITY)
        self.arrow.points = np.array([[frame.com, frame.com + length * frame.momentum]], dtype=np.float32)


class Trail(Overlay):
    label, hint = "Trail", "the path of the centre of mass over the last seconds"
    LENGTH, SPACING = 120, 1 / 15
    """Pieces of the path, and seconds of each."""

    def __init__(self, scene: viser.SceneApi) -> None:
        super().__init__(scene)
        self.points: deque[np.ndarray] = deque(maxlen=self.LENGTH + 1)
        self.time = 0.0
        self.line = scene.add_line_segments(f"{self.path}/line", np.zeros((self.LENGTH, 2, 3)), ORANGE,
                                            thickness=0.01)

    def switch(self, shown: bool) -> None:
        self.points.clear()
        super().switch(shown)

    def draw(self, frame: Frame) -> None:
        if frame.time < self.time:
            self.points.clear()
        elif self.points and frame.time - self.time < self.SPACING:
            return
        self.time = frame.time
        self.points.append(frame.com)
        path = np.array(self.points)
        path = np.vstack([np.repeat(path[:1], self.LENGTH + 1 - len(path), axis=0), path])
        self.line.points = np.stack([path[:-1], path[1:]], axis=1).astype(np.float32)


OVERLAYS: tuple[type[Overlay], ...] = (Com, Support, Forces, Momentum, Trail)
"""What can be drawn of any frame, live or recorded."""


class Plan(Overlay):
    label = "Plan"
    hint = "what it is about to do: the way of the centre of mass, the pressure on the ground, the next footholds"
    PIECES, FEET = 32, 4
    """Pieces of a path, and most feet: always as many, so that nothing in the scene has to be made anew."""

    def __init__(self, scene: viser.SceneApi, wanted: threading.Event) -> None:
        super().__init__(scene)
        self.wanted = wanted
        """tells the session to look ahead, which costs it time"""
        empty = np.zeros((self.PIECES, 2, 3))
        self.com = scene.add_line_segments(f"{self.path}/com", empty, PINK, thickness=0.014)
        self.pressure = scene.add_line_segments(f"{self.path}/pressure", empty, PLUM, thickness=0.012)
        self.edges = scene.add_line_segments(f"{self.path}/edges", np.zeros((self.FEET * CORNERS, 2, 3)), PINK,
                                             thickness=0.01)
        faces = np.concatenate([fan(CORNERS) + k * CORNERS for k in range(self.FEET)])
        self.feet = scene.add_mesh_simple(f"{self.path}/feet", np.zeros((self.FEET * CORNERS, 3)), faces, color=PINK,
                                          opacity=0.35, side="double", cast_shadow=False, receive_shadow=False)

    def switch(self, shown: bool) -> None:
        super().switch(shown)
        if shown:
            self.wanted.set()
        else:
            self.wanted.clear()

    def draw(self, frame: Frame) -> None:
        ahead = frame.ahead or NOTHING
        for line, path, lift in ((self.com, ahead.com, 0.0), (self.pressure, ahead.pressure, 2 * LIFT)):
            line.visible = len(path) > 1
            if len(path) > 1:
                points = sampled(path, self.PIECES + 1) + [0.0, 0.0, lift]
                line.points = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
        self.feet.visible = self.edges.visible = len(ahead.prints) > 0
        if len(ahead.prints):
            prints = ahead.prints[np.minimum(np.arange(self.FEET), len(ahead.prints) - 1)] + [0.0, 0.0, LIFT]
            self.feet.vertices = prints.reshape(-1, 3).astype(np.float32)
            self.edges.points = np.concatenate([closed(outline) for outline in prints])


def fan(corners: int) -> np.ndarray:
    """Triangles of a convex area, by the numbers of its corners, (corners - 2, 3)."""
    return np.column_stack([np.zeros(corners - 2), np.arange(1, corners - 1), np.arange(2, corners)]).astype(int)


def closed(corners: np.ndarray) -> np.ndarray:
    """The lines around an area, (corners, 2, 3)."""
    return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1).astype(np.float32)


def sampled(path: np.ndarray, count: int) -> np.ndarray:
    """So many points of a path, evenly chosen, its ends among them."""
    return path[np.linspace(0, len(path) - 1, count).round().astype(int)]


def outline(points: np.ndarray) -> np.ndarray:
    """Corners (at most `Support.CORNERS`) of the convex hull of points, seen from above, in order."""
    if len(points) < 3:
        return points
    try:
        hull = ConvexHull(points[:, :2])
    except QhullError:  # all on one line: its two ends
        along = points[:, :2] @ (points[:, :2].max(axis=0) - points[:, :2].min(axis=0))
        return points[[int(np.argmin(along)), int(np.argmax(along))]]
    return points[hull.vertices][:Support.CORNERS]
