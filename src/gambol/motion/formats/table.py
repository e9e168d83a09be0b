"""A Motion as a table (.csv): one row a tick, a header with units, for spreadsheets and plots."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from gambol.files import check_writable, whole_file
from gambol.motion.measures import SERIES, every_figure
from gambol.motion.motion import Motion

Progress = Callable[[float], None]
COLUMNS = ("root_position", "root_orientation", "joint_angle", "joint_torque", "com", "com_velocity",
           "angular_momentum", "foot_height", "foot_force", "ground_force")
"""Series of `measures` in the order of the table."""
DIGITS = "%.12g"


def write_table(motion: Motion, path: Path | str, *, progress: Progress | None = None) -> Path:
    """Write the table of all figures; columns of each start with its name where there are several.

    A motion without controls has no torques and ground forces, so these columns are left out.
    """
    path = Path(path)
    check_writable(path)
    header, rows = table(motion, progress)
    with whole_file(path) as temporary:
        np.savetxt(temporary, rows, fmt=DIGITS, delimiter=",", header=",".join(header), comments="", encoding="utf-8")
    if progress is not None:
        progress(1.0)
    return path


def table(motion: Motion, progress: Progress | None = None) -> tuple[list[str], np.ndarray]:
    """Column names with units, such as `com_x [m]`, and the values, (rows, columns)."""
    header, blocks = ["time [s]"], [motion.time[:, None]]
    for measured in every_figure(motion, progress):
        for name in COLUMNS:
            series = SERIES[name]
            if series.simulated and not motion.simulated:
                continue
            header += [f"{column} [{series.unit}]" for column in measured.columns(name)]
            blocks.append(series.compute(measured))
    return header, np.concatenate(blocks, axis=1)
