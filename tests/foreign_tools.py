"""Helpers of the tests of foreign models: a small robot whose names say nothing, facing -y, with servos; and feet."""

from __future__ import annotations

from pathlib import Path

import mujoco

from gambol.world.world import World

LEG = """
<body pos="{y} 0 -0.05"><joint name="h{k}" axis="1 0 0" range="-100 40"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".05"/>
  <body pos="0 0 -.4"><joint name="k{k}" axis="1 0 0" range="-5 150"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".04"/>
    <body name="f{k}" pos="0 0 -.4"><joint name="a{k}" axis="1 0 0" range="-40 40"/>
      <geom name="g{k}" type="box" pos="0 -.06 -.05" size=".04 .12 .02" friction="2"/>
    </body></body></body>"""

ROBOT = """
<mujoco model="robot">
  <compiler autolimits="true" {compiler}/>
  <option timestep="0.005" gravity="0 0 -9.81" integrator="RK4"/>
  <visual><map znear="0.3"/></visual>
  <default><position kp="50"/><general biastype="affine" gainprm="7"/></default>
  <worldbody>
    <light pos="0 0 3"/><geom name="floor" type="plane" size="5 5 .1"/>
    <geom name="wall" type="box" size="1 1 1" pos="9 0 0"/>
    <body name="b0" pos="0 0 1" gravcomp="1">
      <freejoint/>
      <geom type="box" size=".15 .1 .1" mass="10"/>
      {left}{right}
      <body name="b1" pos="0 0 .3"><joint name="s" type="ball" range="0 40"/>
        <geom type="box" size=".2 .1 .2" mass="15"/>
      </body>
    </body>
    <body name="crate" pos="3 0 1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
  </worldbody>
  <equality><weld body1="b0"/></equality>
  <actuator>
    <position joint="h1" kp="100" forcerange="-60 60"/><position joint="h2" kp="100" forcerange="-60 60"/>
    <position joint="k2" kp="80"/><position joint="k1" kp="80"/>
    <motor joint="a1" gear="-30" ctrlrange="-1 .5"/><velocity joint="a2" kv="5" ctrlrange="-4 4"/>
    <motor joint="s" gear="0 20 0 0 0 0" ctrlrange="-1 1"/>
  </actuator>
  <keyframe><key name="start" time="1"/></keyframe>
</mujoco>"""


def robot(folder: Path, compiler: str = "", **edit: str) -> Path:
    """Write the robot to a file, with `old=>new` in its text."""
    text = ROBOT.format(left=LEG.format(y=".12", k=1), right=LEG.format(y="-.12", k=2), compiler=compiler)
    for old, new in (pair.split("=>") for pair in edit.values()):
        assert old in text
        text = text.replace(old, new)
    path = folder / "robot.xml"
    path.write_text(text)
    return path


def foot_gap(world: World) -> float:
    """Distance from the ground to the nearest geom of the feet, by MuJoCo's own collision code."""
    model, floor = world.model, world.model.geom("terrain/floor").id
    geoms = [g for g in range(model.ngeom) if model.geom_bodyid[g] in world.figure.foot_bodies
             and (model.geom_contype[g] or model.geom_conaffinity[g])]
    return min(mujoco.mj_geomDistance(model, world.data, g, floor, 1.0, None) for g in geoms)
