"""What could be imported at commit 9e53340 can still be, for one release, or says in one line what to do instead.

`public_names.txt` was read from that commit and does not change with the tables of `gambol.moved`.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
import warnings
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType

import numpy as np
import pytest

import gambol.bodies
from gambol import World, make_character
from gambol.moved import ENDED, MODULES, NAMES

ENDED_FOR = {
    "experiments.walk_ablation.owner": "no numbers in modules to be switched",
    "experiments.walk_ablation.switched": "no numbers in modules to be switched",
    "motion.kinematics.body_id": "a share of a motion finds its bodies itself",
    "planning.capture.turn_offset": "nothing but its own test used it",
    "planning.preview.heels.HEEL_RISE": "several numbers in one are several gains",
    "planning.preview.heels.TIPTOE": "several numbers in one are several gains",
    "planning.preview.heels.TOE_OFF": "several numbers in one are several gains",
    "planning.preview.planner.WAITS": "several numbers in one are several gains",
    "planning.preview.soles.UNDER": "several numbers in one are several gains",
    "studio.setup.Setup": "a Trial says all that it said",
    "synthesis.progress.dearest": "news say it themselves",
}
"""Names that were ended on purpose, and why."""


def public_names() -> dict[str, list[str]]:
    text = Path(__file__).with_name("public_names.txt").read_text(encoding="utf-8")
    entries = "\n".join(line for line in text.splitlines() if not line.startswith("#")).replace("\n    ", " ")
    return {module: names.split() for module, names in (entry.split(":") for entry in entries.splitlines())}


PUBLIC = public_names()


def imported(module: str) -> tuple[ModuleType, list[str]]:
    """A module, imported as if for the first time if it has moved, and what it warned of."""
    if module.startswith("gambol.synthesis"):
        pytest.importorskip("jax")
    if module.removeprefix("gambol.") in MODULES:
        sys.modules.pop(module, None)
    there = vars(gambol.bodies).copy()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = importlib.import_module(module)
    vars(gambol.bodies).update(there)  # functions that old modules are named like
    return found, [str(one.message) for one in said if issubclass(one.category, DeprecationWarning)]


def test_the_list_is_whole() -> None:
    assert len(PUBLIC) > 200 and sum(map(len, PUBLIC.values())) > 900


@pytest.mark.parametrize("module", PUBLIC)
def test_what_was_public_is_found_or_says_what_to_do(module: str) -> None:
    found, said = imported(module)
    old = module.removeprefix("gambol.")
    told = f"{module} has moved to gambol.{MODULES.get(old)}; the old path goes with the next release"
    assert (told in said) == (old in MODULES)
    for name in PUBLIC[module]:
        full = f"{old}.{name}"
        if full in ENDED:
            assert full in ENDED_FOR
            with pytest.raises(ImportError, match=rf"there is no gambol\.{full} any more: .+") as caught:
                getattr(found, name)
            assert "\n" not in str(caught.value)
        elif full in NAMES:
            with pytest.warns(DeprecationWarning, match=f"{module}.{name} has moved to gambol.{NAMES[full]};"):
                assert getattr(found, name) is resolve_name(f"gambol.{NAMES[full]}")
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("error", DeprecationWarning)
                getattr(found, name)


@pytest.mark.parametrize("old", [*NAMES, *ENDED])
def test_every_name_in_the_tables_is_one_that_was_lost(old: str) -> None:
    module, _, name = old.rpartition(".")
    found, _ = imported(f"gambol.{module}")
    assert name not in vars(found) and f"gambol.{module}" in PUBLIC
    if old in NAMES:
        with pytest.warns(DeprecationWarning, match=f"has moved to gambol.{NAMES[old]};"):
            assert getattr(found, name) is resolve_name(f"gambol.{NAMES[old]}")


def test_no_old_path_hides_a_module() -> None:
    root = Path(gambol.__file__).parent
    for old in MODULES:
        path = root / old.replace(".", "/")
        assert not path.exists() and not path.with_suffix(".py").exists(), old


def test_what_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("gambol.motion.nowhere")
    for module in ("gambol.behaviors.balance", "gambol.control.contacts"):
        assert not hasattr(importlib.import_module(module), "nothing_of_the_kind")


def test_a_module_with_old_names_is_read_like_any_other() -> None:
    import gambol.behaviors.balance as balance

    assert isinstance(balance.__spec__.loader, importlib.machinery.SourceFileLoader)  # type: ignore[union-attr]
    with pytest.raises(ImportError, match="cannot import name 'FRICTIN'"):
        exec("from gambol.behaviors.balance import FRICTIN")


def test_a_character_can_still_be_called_when_its_old_module_was_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gambol.bodies, "human", gambol.bodies.human)  # which the import of the module replaces
    sys.modules.pop("gambol.bodies.human", None)
    with pytest.warns(DeprecationWarning):
        human = importlib.import_module("gambol.bodies.human")
    assert gambol.bodies.human is human and gambol.bodies.human().name == "human"


def test_a_controller_written_for_the_old_names_still_stands() -> None:
    from gambol.control.objectives import setpoint
    from gambol.control.problem import WholeBodyProblem
    from gambol.control.solvers import WeightedSolver
    from gambol.features import Kinematics, Pose

    with pytest.warns(DeprecationWarning):
        from gambol.control.contacts import planted, sole_states, support_points

        from gambol.behaviors.balance import FRICTION, hold_contacts
        from gambol.behaviors.limbs import rest_gains
    world = World(make_character("human"), seed=1)
    kinematics, pose, solver = Kinematics(world.figure), Pose(world.figure), WeightedSolver()
    kp, weight = rest_gains(world.figure)
    for tick in range(200):
        kinematics.refresh()
        if tick == 0:
            with pytest.warns(DeprecationWarning, match="use patch_states"):
                sole_states(kinematics, world.terrain)
        soles = sole_states(kinematics, world.terrain)
        support = support_points(soles, planted(soles), FRICTION)
        world.step(solver.torques(WholeBodyProblem(kinematics, support, [
            hold_contacts(support), setpoint(pose, pose.at(kinematics), world.figure.rest, 3, kp=kp, weight=weight)])))
    assert world.contacts.fallen(world.figure, ()) is None and np.isfinite(world.data.qpos).all()
