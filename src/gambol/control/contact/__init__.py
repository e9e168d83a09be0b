"""Contact: patches near surfaces, the points that are held, their friction cones, and what contacts ask for."""

from gambol.control.contact.edges import drawn_in, on_edge
from gambol.control.contact.objectives import foot_down, hold_contacts, props_rest
from gambol.control.contact.patches import PatchState, middle_and_tilt, part_of, patch_states, planted
from gambol.control.contact.support import SupportPoints, support_points

__all__ = ["PatchState", "SupportPoints", "drawn_in", "foot_down", "hold_contacts", "middle_and_tilt", "on_edge",
           "part_of", "patch_states", "planted", "props_rest", "support_points"]
