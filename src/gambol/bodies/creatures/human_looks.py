"""How people look: every part drawn once, for the left side of the adult in metres; a `Pen` fits it to others.

Each function returns the solids (they carry the part's mass and collide) and the decoration (only seen). The solids
follow the flesh, so that centres of mass and inertias come out as the tables of [winter2004] have them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import mujoco

from gambol.bodies.builder import Builder
from gambol.bodies.shapes import Pen, Rgba, Shape

Drawing = tuple[list[Shape], list[Shape]]

# Lengths of the adult the drawings are made for.
CROWN, THIGH, SHANK = 0.2676, 0.441, 0.4428


@dataclass(frozen=True)
class Palette:
    """Colours of skin and clothes."""

    skin: Rgba = (0.86, 0.65, 0.52, 1)
    shirt: Rgba = (0.13, 0.52, 0.60, 1)
    trim: Rgba = (0.95, 0.93, 0.88, 1)
    trousers: Rgba = (0.20, 0.24, 0.34, 1)
    lower_leg: Rgba = (0.20, 0.24, 0.34, 1)
    belt: Rgba = (0.36, 0.22, 0.14, 1)
    shoe: Rgba = (0.90, 0.42, 0.20, 1)
    hair: Rgba = (0.24, 0.15, 0.10, 1)
    white: Rgba = (0.97, 0.97, 0.96, 1)
    iris: Rgba = (0.12, 0.10, 0.10, 1)
    lip: Rgba = (0.70, 0.38, 0.34, 1)


def draw(b: Builder, body: mujoco.MjsBody, mass: float, drawing: Drawing) -> None:
    """Put a drawing on a part."""
    solids, decoration = drawing
    b.solids(body, mass, solids)
    b.looks(body, decoration)


def pelvis(pen: Pen, paint: Palette) -> Drawing:
    solids = [pen.ellipsoid((0, 0, 0.020), (0.110, 0.165, 0.112), paint.trousers)]
    decoration = [pen.ellipsoid((-0.040, y, -0.025), (0.082, 0.082, 0.092), paint.trousers) for y in (0.068, -0.068)]
    decoration += [pen.ellipsoid((0.002, 0, 0.060), (0.110, 0.154, 0.070), paint.trousers),
                   pen.ellipsoid((0.003, 0, 0.090), (0.1095, 0.151, 0.024), paint.belt),
                   pen.box((0.109, 0, 0.090), (0.006, 0.018, 0.013), paint.trim)]
    return solids, decoration


def abdomen(pen: Pen, paint: Palette) -> Drawing:
    return [pen.ellipsoid((0.003, 0, 0.060), (0.107, 0.150, 0.155), paint.shirt)], []


def thorax(pen: Pen, paint: Palette, girdle: tuple[float, float] = (0.195, 0.205)) -> Drawing:
    """`girdle`: how far to each side the shoulders are part of it, what collides and what is seen."""
    shoulders, seen = girdle
    solids = [pen.ellipsoid((0, 0, 0.110), (0.118, 0.172, 0.180), paint.shirt),
              pen.capsule((-0.004, -shoulders, 0.240), (-0.004, shoulders, 0.240), 0.054, paint.shirt)]
    decoration = [pen.ellipsoid((0.003, 0, 0.070), (0.121, 0.170, 0.245), paint.shirt),
                  pen.ellipsoid((0.020, 0, 0.165), (0.104, 0.164, 0.120), paint.shirt)]
    for side in (1, -1):
        decoration += [pen.capsule((-0.014, 0.030 * side, 0.278), (-0.004, seen * side, 0.252), 0.044, paint.shirt),
                       pen.ellipsoid((-0.014, 0.140 * side, 0.160), (0.056, 0.058, 0.105), paint.shirt)]
    decoration += [pen.ellipsoid((-0.010, 0, 0.298), (0.064, 0.068, 0.028), paint.trim, (0, 10, 0)),
                   pen.capsule((-0.016, 0, 0.27), (0.0, 0, 0.37), 0.052, paint.skin)]
    return solids, decoration


def head(pen: Pen, paint: Palette, eye: float) -> Drawing:
    """A toy's face: dark oval eyes of the given size, a small nose and a smile."""
    solids = [pen.ellipsoid((0.004, 0, 0.138), (0.096, 0.078, 0.122), paint.skin),
              pen.ellipsoid((0.020, 0, 0.062), (0.054, 0.052, 0.047), paint.skin)]
    decoration = [pen.ellipsoid((-0.016, 0, 0.1716), (0.099, 0.0845, 0.096), paint.hair),
                  pen.ellipsoid((0.040, 0.010, 0.226), (0.058, 0.062, 0.034), paint.hair, (8, 22, 0)),
                  pen.ellipsoid((0.103, 0, 0.130), (0.018, 0.0135, 0.0155), paint.skin),
                  pen.ellipsoid((0.096, 0, 0.146), (0.012, 0.0095, 0.024), paint.skin, (0, -18, 0))]
    smile = [(0.0865, -0.027, 0.096), (0.0900, -0.012, 0.087), (0.0900, 0.012, 0.087), (0.0865, 0.027, 0.096)]
    decoration += [pen.capsule(a, b, 0.0040, paint.lip) for a, b in pairwise(smile)]
    for side in (1, -1):
        decoration += [pen.ellipsoid((0.0885, 0.034 * side, 0.156), (0.008, 0.0105 * eye, 0.0145 * eye), paint.iris,
                                     (0, 0, 16 * side)),
                       pen.ball((0.0965, 0.034 * side - 0.003, 0.156 + 0.005 * eye), 0.003 * eye, paint.white),
                       pen.capsule((0.092, 0.022 * side, 0.187), (0.080, 0.050 * side, 0.185), 0.0048, paint.hair),
                       pen.ellipsoid((-0.002, 0.080 * side, 0.142), (0.020, 0.011, 0.029), paint.skin)]
    return solids, decoration


def upper_arm(pen: Pen, paint: Palette) -> Drawing:
    solids = [pen.capsule((0, 0, -0.01), (0, 0, -0.17), 0.052, paint.shirt),
              pen.capsule((0, 0, -0.16), (0, 0, -0.325), 0.041, paint.skin)]
    decoration = [pen.ellipsoid((0, -0.006, -0.018), (0.058, 0.058, 0.062), paint.shirt),
                  pen.ellipsoid((0, 0, -0.080), (0.0565, 0.055, 0.110), paint.shirt),
                  pen.cylinder((0, 0, -0.172), (0, 0, -0.192), 0.0555, paint.trim),
                  pen.ellipsoid((0.006, 0, -0.225), (0.044, 0.043, 0.105), paint.skin)]
    return solids, decoration


def forearm(pen: Pen, paint: Palette) -> Drawing:
    solids = [pen.capsule((0, 0, -0.015), (0, 0, -0.12), 0.040, paint.skin),
              pen.capsule((0, 0, -0.11), (0, 0, -0.255), 0.029, paint.skin)]
    decoration = [pen.ellipsoid((0.002, 0.002, -0.085), (0.045, 0.043, 0.115), paint.skin)]
    return solids, decoration


def hand(pen: Pen, paint: Palette) -> Drawing:
    """The palm faces the thigh, the thumb points forward."""
    solids = [pen.ellipsoid((0, 0, -0.055), (0.042, 0.020, 0.058), paint.skin),
              pen.ellipsoid((0, -0.004, -0.125), (0.038, 0.013, 0.062), paint.skin)]
    fingers = ((-0.029, 0.150), (-0.010, 0.168), (0.010, 0.172), (0.029, 0.162))
    decoration = [pen.capsule((x, -0.001, -0.085), (x * 0.9, -0.010, -reach), 0.0105, paint.skin)
                  for x, reach in fingers]
    decoration.append(pen.capsule((0.030, -0.006, -0.035), (0.056, -0.014, -0.088), 0.0125, paint.skin))
    return solids, decoration


def thigh(pen: Pen, paint: Palette) -> Drawing:
    solids = [pen.capsule((0, 0.004, -0.05), (0, 0, -0.20), 0.082, paint.trousers),
              pen.capsule((0, 0, -0.20), (0, 0, -0.42), 0.062, paint.trousers)]
    decoration = [pen.ellipsoid((0.005, 0.002, -0.20), (0.085, 0.083, 0.240), paint.trousers),
                  pen.cylinder((0, 0, -0.34), (0, 0, -0.40), 0.0665, paint.trousers)]
    return solids, decoration


def shank(pen: Pen, paint: Palette) -> Drawing:
    solids = [pen.capsule((-0.004, 0, -0.01), (-0.006, 0, -0.18), 0.052, paint.lower_leg),
              pen.capsule((-0.004, 0, -0.20), (0, 0, -0.43), 0.042, paint.lower_leg)]
    decoration = [pen.ellipsoid((0.003, 0, -0.004), (0.061, 0.060, 0.078), paint.lower_leg),
                  pen.ellipsoid((-0.010, 0, -0.155), (0.060, 0.058, 0.185), paint.lower_leg),
                  pen.cylinder((-0.002, 0, -0.28), (0, 0, -0.410), 0.0485, paint.lower_leg),
                  pen.capsule((0, 0, -0.40), (0, 0, -0.44), 0.029, paint.white)]
    return solids, decoration


def foot(pen: Pen, paint: Palette) -> Drawing:
    """A running shoe. Its solids end 5 mm above the ground, so that only the rails of the sole touch."""
    solids = [pen.ellipsoid((-0.008, 0, -0.034), (0.056, 0.045, 0.031), paint.shoe),
              pen.ellipsoid((0.105, 0, -0.036), (0.099, 0.047, 0.029), paint.shoe)]
    decoration = [pen.ellipsoid((0.030, 0, -0.018), (0.084, 0.038, 0.042), paint.shoe, (0, 20, 0)),
                  pen.ellipsoid((0.150, 0, -0.044), (0.052, 0.048, 0.022), paint.shoe),
                  pen.cylinder((-0.002, 0, -0.020), (-0.002, 0, 0.026), 0.043, paint.shoe)]
    decoration += [pen.capsule((x, 0.018, z), (x, -0.018, z), 0.0065, paint.white)
                   for x, z in ((0.050, 0.010), (0.072, 0.000), (0.094, -0.009))]
    corners = [(-0.046, 0.029), (0.184, 0.029), (0.184, -0.029), (-0.046, -0.029), (-0.046, 0.029)]
    decoration += [pen.capsule((*a, -0.045), (*b, -0.045), 0.019, paint.shoe)
                   for a, b in pairwise(corners)]
    # Between the rails, a slab with round edges.
    decoration += [pen.box((0.070, 0, -0.0555), (0.127, 0.0395, 0.0105), paint.white),
                   pen.capsule((-0.057, -0.0395, -0.060), (-0.057, 0.0395, -0.060), 0.010, paint.white),
                   pen.capsule((0.197, -0.0395, -0.060), (0.197, 0.0395, -0.060), 0.010, paint.white)]
    return solids, decoration


# -- with clavicles, wrists and toes: the human of 44 degrees of freedom -----------------------------------------------


def moved(drawing: Drawing, x: float, z: float) -> Drawing:
    """A drawing in the frame of another part: shifted by metres."""
    solids, decoration = ([replace(shape, pos=(shape.pos[0] + x, shape.pos[1], shape.pos[2] + z)) for shape in shapes]
                          for shapes in drawing)
    return solids, decoration


def clavicle(pen: Pen, paint: Palette) -> Drawing:
    """From beside the breastbone to the joint of the shoulder."""
    solids = [pen.capsule((-0.004, 0.05, -0.004), (-0.004, 0.165, -0.012), 0.050, paint.shirt)]
    return solids, [pen.capsule((-0.012, 0.015, 0.016), (-0.004, 0.180, -0.002), 0.043, paint.shirt)]


def wrist(pen: Pen, paint: Palette) -> Drawing:
    """A hand and the wrist it turns on."""
    solids, decoration = hand(pen, paint)
    return solids, [*decoration, pen.ellipsoid((0, 0, 0.004), (0.030, 0.025, 0.034), paint.skin)]


BALL = 0.140
"""Where a shoe bends, ahead of the ankle."""


def hinged_foot(pen: Pen, paint: Palette) -> tuple[Drawing, Drawing]:
    """The same running shoe, but its toes bend; the toes, too, in the frame of the foot."""
    solids = [pen.ellipsoid((-0.008, 0, -0.034), (0.056, 0.045, 0.031), paint.shoe),
              pen.ellipsoid((0.065, 0, -0.036), (0.083, 0.046, 0.029), paint.shoe)]
    decoration = [pen.ellipsoid((0.030, 0, -0.018), (0.084, 0.038, 0.042), paint.shoe, (0, 20, 0)),
                  pen.ellipsoid((0.112, 0, -0.038), (0.046, 0.046, 0.028), paint.shoe),
                  pen.cylinder((-0.002, 0, -0.020), (-0.002, 0, 0.026), 0.043, paint.shoe)]
    decoration += [pen.capsule((x, 0.018, z), (x, -0.018, z), 0.0065, paint.white)
                   for x, z in ((0.050, 0.010), (0.072, 0.000), (0.094, -0.009))]
    corners = [(BALL - 0.014, 0.029), (-0.046, 0.029), (-0.046, -0.029), (BALL - 0.014, -0.029)]
    decoration += [pen.capsule((*a, -0.045), (*b, -0.045), 0.019, paint.shoe) for a, b in pairwise(corners)]
    decoration += [pen.box((0.5 * (BALL - 0.057), 0, -0.0555), (0.5 * (BALL + 0.057), 0.0395, 0.0105), paint.white),
                   pen.capsule((-0.057, -0.0395, -0.060), (-0.057, 0.0395, -0.060), 0.010, paint.white)]
    toes = [pen.ellipsoid((0.163, 0, -0.042), (0.042, 0.045, 0.022), paint.shoe)]
    cap = [pen.ellipsoid((0.158, 0, -0.044), (0.044, 0.0475, 0.023), paint.shoe)]
    corners = [(BALL, 0.029), (0.180, 0.029), (0.180, -0.029), (BALL, -0.029)]
    cap += [pen.capsule((*a, -0.045), (*b, -0.045), 0.019, paint.shoe) for a, b in pairwise(corners)]
    cap += [pen.box((0.5 * (BALL + 0.197), 0, -0.0555), (0.5 * (0.197 - BALL), 0.0395, 0.0105), paint.white)]
    cap += [pen.capsule((x, -0.0395, -0.060), (x, 0.0395, -0.060), 0.010, paint.white) for x in (BALL, 0.197)]
    return (solids, decoration), (toes, cap)
