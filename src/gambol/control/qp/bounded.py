"""One bounded least-squares problem: minimise `1/2 w'Hw + g'w` with `lower <= rows w <= upper`, by DAQP."""

from __future__ import annotations

import daqp
import numpy as np
from scipy.linalg import lapack

PROXIMAL_REST = 1e-10
"""A proximal term is iterated until the unknowns move less than this."""
PRIMAL_TOLERANCE = 1e-9
SMALLEST_DIAGONAL = 1e-6
"""Share of the largest one to which diagonals are raised when unknowns are scaled."""
HARD_SLACK = 1e-8
"""What rounding may leave of a bound that is met."""
SOFT_SLACK = 1e-3
"""A soft bound that is violated by less only pays the price of being soft; by more, and it is not met."""
SOFTNESS = 1e-6
"""DAQP's: violation of a soft bound per unit of its price, where both are measured in rows of unit length."""
DAMPING, WIDEST = 1e-8, 1e4
"""Of a damped minimum: the ridge, as a share of the largest diagonal, and the widest range that still counts as one."""
NONE = 1e30
"""A bound that is none."""
ACTIVE_ABOVE, ACTIVE_BELOW, EQUALITY, SOFT = 1, 3, 5, 8
"""DAQP's marks of constraints: at their upper or lower bound to begin with, met exactly, violable at a price."""

Found = tuple[np.ndarray, np.ndarray]
"""w, and the price of each row (its multiplier)"""


def inside(values: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    return bool((values >= lower - PRIMAL_TOLERANCE).all()) and bool((values <= upper + PRIMAL_TOLERANCE).all())


def bounded_minimum(hessian: np.ndarray, gradient: np.ndarray, rows: np.ndarray, lower: np.ndarray,
                    upper: np.ndarray, sense: np.ndarray, proximal: float = 0.0) -> Found | None:
    """The minimum, or None if DAQP gives up.

    Unknowns are scaled to a unit diagonal first: weights decades apart otherwise end in false infeasibility. DAQP wants
    a strictly convex problem; where H is singular give a `proximal` weight: DAQP then adds
    `weight/2 ||w - w_last||^2` and repeats until w rests, so that unlike with a ridge the minimum is that of H itself,
    active bounds or not.
    """
    diagonal = hessian.diagonal()
    if proximal > 0.0:
        diagonal = np.maximum(diagonal, SMALLEST_DIAGONAL * diagonal.max() or 1.0)
    scale = 1.0 / np.sqrt(diagonal)
    settings = {"eps_prox": proximal, "eta_prox": PROXIMAL_REST} if proximal > 0.0 else {}
    w, _, flag, info = daqp.solve(hessian * scale * scale[:, None], gradient * scale, rows * scale, upper, lower, sense,
                                  primal_tol=PRIMAL_TOLERANCE, **settings)
    return (w * scale, info["lam"]) if flag > 0 and np.isfinite(w).all() else None


def damped_minimum(hessian: np.ndarray, gradient: np.ndarray, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray,
                   sense: np.ndarray) -> Found | None:
    """Nearly the minimum, with a ridge of DAMPING: for an H whose singular values are too many decades apart.

    There a proximal term would take for ever to be iterated away. Unknowns are scaled by how far each can move, alone,
    from one bound to the other: those of light limbs and of heavy ones are then of one order.
    """
    scale = 1.0 / np.maximum((np.abs(rows) / np.minimum(upper - lower, WIDEST)[:, None]).max(axis=0), 1.0 / WIDEST)
    scaled = hessian * scale * scale[:, None]
    scaled.ravel()[::len(scale) + 1] += DAMPING * scaled.diagonal().max()
    convex = ConvexMinimum(scaled, gradient * scale)
    found = None if convex.trouble else convex.bounded(rows * scale, lower, upper, sense)
    return None if found is None else (found[0] * scale, found[1])


class ConvexMinimum:
    """The same for a positive definite H, factored once: the free minimum first, the bounded one if it is asked for.

    In unknowns `u = U w + U^-T g`, with `H = U'U`, the objective is the distance to the origin. DAQP would get there by
    itself, but slower than LAPACK.
    """

    def __init__(self, hessian: np.ndarray, gradient: np.ndarray) -> None:
        self._U, self.trouble = lapack.dpotrf(hessian)
        self._shift = lapack.dtrtrs(self._U, gradient, trans=1)[0] if not self.trouble else gradient

    def free(self) -> np.ndarray:
        """The minimum without bounds."""
        return self._unfold(-self._shift)

    def bounded(self, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray, sense: np.ndarray) -> Found | None:
        """The minimum within bounds, or None if DAQP gives up. `sense` may name bounds active to begin with."""
        turned = lapack.dtrtrs(self._U, rows.T, trans=1)[0]
        moved = self._shift @ turned
        u, _, flag, info = daqp.solve(None, None, turned.T, upper + moved, lower + moved, sense,
                                      primal_tol=PRIMAL_TOLERANCE)
        if flag <= 0 or not np.isfinite(u).all():
            return None
        return self._unfold(u - self._shift), info["lam"]

    def held(self, rows: np.ndarray, at: np.ndarray, soft: np.ndarray) -> Found | None:
        """The minimum with `rows w = at`, and the price of each row; soft rows give way as DAQP lets them."""
        turned = lapack.dtrtrs(self._U, rows.T, trans=1)[0]
        gram = turned.T @ turned
        gram.ravel()[::len(at) + 1] *= np.where(soft, 1.0 + SOFTNESS, 1.0)
        _, price, trouble = lapack.dposv(gram, -at - self._shift @ turned)
        if trouble:
            return None
        return self._unfold(-self._shift - turned @ price), price

    def _unfold(self, u: np.ndarray) -> np.ndarray:
        return lapack.dtrtrs(self._U, u)[0]


def active_marks(price: np.ndarray) -> np.ndarray:
    """Marks that start the next solution from the bounds with a price in this one."""
    return np.where(price > 0.0, ACTIVE_ABOVE, np.where(price < 0.0, ACTIVE_BELOW, 0)).astype(np.int32)
