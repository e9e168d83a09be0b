"""Old module paths lead to the new ones for one release."""

import importlib
import sys

import pytest

from gambol.moved import MOVED


@pytest.mark.parametrize("old", sorted(MOVED))
def test_an_old_path_leads_to_the_new_one_and_says_so(old: str) -> None:
    sys.modules.pop(f"gambol.{old}", None)
    with pytest.warns(DeprecationWarning, match=f"has moved to gambol.{MOVED[old]};"):
        stand_in = importlib.import_module(f"gambol.{old}")
    new = importlib.import_module(f"gambol.{MOVED[old]}")
    public = [name for name in vars(new) if not name.startswith("_")]
    assert public and all(getattr(stand_in, name) is getattr(new, name) for name in public)


def test_what_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("gambol.motion.nowhere")
