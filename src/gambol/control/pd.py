"""Springs and dampers on joints, in the form that stays stable at any stiffness."""

from __future__ import annotations

import mujoco
import numpy as np
from scipy.linalg import cho_factor, cho_solve

from gambol.world.figure import Figure


def stable_pd(figure: Figure, target: np.ndarray, stiffness: np.ndarray, damping: np.ndarray,
              tick: float, others: np.ndarray | float = 0.0) -> np.ndarray:
    """Torques of springs to `target` (rad) that act on the state one tick ahead [tan2011].

    Plain springs and dampers held over a tick blow up on light parts; evaluating them at the end of the tick, with the
    acceleration they cause, does not. Contact forces are taken as they were in the last step. `others` are torques that
    act beside the springs.
    """
    model, data, dofs = figure.model, figure.data, figure.joint_dofs
    inertia = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, inertia)
    spring = stiffness * (target - figure.angles - figure.rates * tick) - damping * figure.rates
    force = data.qfrc_constraint - data.qfrc_bias + data.qfrc_passive
    force[dofs] += spring + others
    inertia[dofs, dofs] += damping * tick
    own = figure.dofs
    acceleration = np.zeros(model.nv)
    acceleration[own] = cho_solve(cho_factor(inertia[own, own]), force[own])
    return spring - damping * tick * acceleration[dofs]
