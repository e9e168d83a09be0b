"""Which contacts are on before the last stage: those with load that are closed, and whatever holds a body up."""

from __future__ import annotations

import numpy as np

from gambol.synthesis.layout import LEAKY, LOADED, Layout

ASKEW = 0.025
"""A contact one of whose points is on average so far off (m) will not close."""
FAR = 0.3
"""A contact with the surroundings so far off (m) will not close whatever it carries; those with others are near."""
HELD = 0.5
"""Share of what holds a body that must stay when contacts are decided."""
STAYS = 0.005
"""A prop that is wished to move no further than this in a phase (m) may as well stay."""


def decided(layout: Layout, load: np.ndarray, gaps: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Activations as they should be in the end: 1 in phases with load, of contacts that are neither off nor askew.

    But nobody is left hanging: as long as what is on holds less than half of what there was, more is on that is not
    far. Arrays are (phases, activations): mean loads, mean gaps (0 where there is nothing to be askew to) and
    activations as they are.
    """
    on = (load > LOADED) & (c > LEAKY) & (gaps <= ASKEW)
    for actor in range(len(layout.actors)):
        mine = np.unique(layout.contacts[(layout.contacts[:, [0, 4]] == actor).any(axis=1), 3])
        for phase in range(len(c)):
            for best in mine[np.argsort(-load[phase, mine])]:
                held = load[phase, mine] @ on[phase, mine]
                near = load[phase, best] > LOADED and gaps[phase, best] <= FAR
                on[phase, best] |= near and held < HELD * load[phase, mine].sum()
    return on.astype(float)


def unstuck(layout: Layout, start: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Activations with the undersides of props off in phases in which they move: what is not held would else slide."""
    on = z[:, layout.parts["c"]].copy()
    for actor, shape in enumerate(layout.actors):
        if shape.patch:
            place = layout.frames[layout.roots[actor], :3]
            before = np.concatenate([start[None, place], z[:-1, place]])
            underside = layout.contacts[(layout.contacts[:, 0] == actor) & (layout.contacts[:, 4] < 0), 3]
            on[np.ix_(np.linalg.norm(z[:, place] - before, axis=1) > STAYS, underside)] = 0.0
    return on
