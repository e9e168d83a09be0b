"""How fast is one tick of balance beside TSID's, a whole-body controller in C++? Both are timed in turn, in one run.

TSID needs an environment of its own (its wheels fix old versions of Pinocchio, and NumPy with them). Once:

    python3.11 -m venv ../tsid-env
    ../tsid-env/bin/pip install tsid==1.7.1 pin==3.4.0 cmeel-urdfdom==4.0.1 cmeel-tinyxml2==10.0.0
    ../tsid-env/bin/pip install --no-deps example-robot-data==5.0.0
    cd ../tsid-env/lib/python3.11/site-packages/cmeel.prefix/lib/python3.11/site-packages/tsid
    cp tsid/__init__.py __init__.py            # this version is packed one folder too deep

Then, from gambol's folder:

    OPENBLAS_NUM_THREADS=1 ../tsid-env/bin/python benchmarks/tsid.py .venv/bin/python

The job: stand on two feet while the centre of mass sways 5 cm at 0.5 Hz, torque limits and friction kept. TSID drives
Talos (38 degrees of freedom, 62 unknowns, 24 of them forces), gambol its human (35 and 61, 32 of them forces). A tick
is all from the state to the torques; moving the body on is not timed. Each round times a batch of ticks of every one
in turn, so that all meet the same machine. Printed: the fastest and the median tick, and their ratio to TSID's.
"""

import subprocess
import sys
import time
from math import cos, pi, sin
from pathlib import Path

import numpy as np

sys.path = [folder for folder in sys.path if Path(folder).resolve() != Path(__file__).resolve().parent]
"""This file bears the name of the package it imports."""

ROUNDS, BATCH = 20, 100
SWAY, FREQUENCY = 0.05, 0.5
"""m, Hz"""
TICK = 0.004
OURS = ("prioritized", "weighted")


def sway(time: float) -> tuple[float, float, float]:
    """Sideways offset of the centre of mass, its velocity and acceleration."""
    rate = 2 * pi * FREQUENCY
    return (SWAY * sin(rate * time), SWAY * rate * cos(rate * time), -SWAY * rate**2 * sin(rate * time))


def percentiles(times: list[float]) -> tuple[float, float]:
    """Fastest and median, ms."""
    return 1e3 * min(times), 1e3 * float(np.median(times))


# -- TSID --------------------------------------------------------------------------------------------------------------


class TsidBalance:
    """Talos on two feet: contacts, COM and angular momentum, posture, torque limits. It moves as wished."""

    def __init__(self) -> None:
        import pinocchio
        import tsid

        self.pinocchio = pinocchio
        share = next(parent for parent in Path(tsid.__file__).parents if parent.name == "cmeel.prefix") / "share"
        robots = share / "example-robot-data/robots"
        folder = robots / "talos_data"
        self.robot = tsid.RobotWrapper(str(folder / "robots/talos_reduced.urdf"), [str(robots.parent.parent)],
                                       pinocchio.JointModelFreeFlyer(), False)
        model = self.robot.model()
        pinocchio.loadReferenceConfigurations(model, str(folder / "srdf/talos.srdf"), False)
        self.q, self.v = model.referenceConfigurations["half_sitting"].copy(), np.zeros(self.robot.nv)
        self.formulation = tsid.InverseDynamicsFormulationAccForce("tsid", self.robot, False)
        self.formulation.computeProblemData(0.0, self.q, self.v)
        self._add_contacts(tsid)
        self._add_tasks(tsid)
        self.solver = tsid.SolverHQuadProgFast("solver")
        self.solver.resize(self.formulation.nVar, self.formulation.nEq, self.formulation.nIn)
        self.time = 0.0

    def _add_contacts(self, tsid: object) -> None:
        corners = np.array([[-0.1, -0.1, 0.1, 0.1], [-0.06, 0.06, -0.06, 0.06], [-0.107] * 4])
        self.contacts = []
        for foot in ("leg_right_6_joint", "leg_left_6_joint"):
            contact = tsid.Contact6d(foot, self.robot, foot, corners, np.array([0.0, 0.0, 1.0]), 0.7, 5.0, 1500.0)
            contact.setKp(400.0 * np.ones(6))
            contact.setKd(40.0 * np.ones(6))
            data = self.formulation.data()
            contact.setReference(self.robot.position(data, self.robot.model().getJointId(foot)))
            self.formulation.addRigidContact(contact, 1e-5)
            self.contacts.append(contact)

    def _add_tasks(self, tsid: object) -> None:
        robot, formulation = self.robot, self.formulation
        self.com = tsid.TaskComEquality("com", robot)
        self.com.setKp(200.0 * np.ones(3))
        self.com.setKd(28.0 * np.ones(3))
        formulation.addMotionTask(self.com, 100.0, 1, 0.0)
        momentum = tsid.TaskAMEquality("momentum", robot)
        momentum.setKp(20.0 * np.ones(3))
        momentum.setKd(np.zeros(3))
        momentum.setReference(tsid.TrajectoryEuclidianConstant("momentum", np.zeros(3)).computeNext())
        formulation.addMotionTask(momentum, 0.1, 1, 0.0)
        posture = tsid.TaskJointPosture("posture", robot)
        posture.setKp(100.0 * np.ones(robot.nv - 6))
        posture.setKd(20.0 * np.ones(robot.nv - 6))
        posture.setReference(tsid.TrajectoryEuclidianConstant("posture", self.q[7:]).computeNext())
        formulation.addMotionTask(posture, 1.0, 1, 0.0)
        bounds = tsid.TaskActuationBounds("bounds", robot)
        limit = robot.model().effortLimit[6:]
        bounds.setBounds(-limit, limit)
        formulation.addActuationTask(bounds, 1.0, 0, 0.0)
        self.tasks = (momentum, posture, bounds)  # TSID does not keep them alive
        self.reference = tsid.TrajectoryEuclidianConstant("com", robot.com(formulation.data())).computeNext()
        self.start = robot.com(formulation.data()).copy()

    def batch(self, count: int) -> list[float]:
        """Seconds of each of some ticks."""
        times = []
        for _ in range(count):
            begin = time.perf_counter()
            offset, velocity, acceleration = sway(self.time)
            self.reference.value(self.start + [0.0, offset, 0.0])
            self.reference.derivative(np.array([0.0, velocity, 0.0]))
            self.reference.second_derivative(np.array([0.0, acceleration, 0.0]))
            self.com.setReference(self.reference)
            data = self.formulation.computeProblemData(self.time, self.q, self.v)
            found = self.solver.solve(data)
            if found.status != 0:
                raise SystemExit(f"TSID could not solve the tick at {self.time:.3f} s: status {found.status}")
            self.formulation.getActuatorForces(found)
            times.append(time.perf_counter() - begin)
            dv = self.formulation.getAccelerations(found)
            middle = self.v + 0.5 * TICK * dv
            self.v = self.v + TICK * dv
            self.q = self.pinocchio.integrate(self.robot.model(), self.q, middle * TICK)
            self.time += TICK
        return times

    def error(self) -> float:
        """How far the COM is from where it should be, m."""
        return float(np.linalg.norm(self.robot.com(self.formulation.data()) - self.reference.value()))

    def sizes(self) -> str:
        formulation = self.formulation
        return f"{formulation.nVar} unknowns, {formulation.nEq} equalities, {formulation.nIn} inequalities"


# -- gambol, in its own process ----------------------------------------------------------------------------------------


def serve(solver: str) -> None:
    """Time batches of gambol's balance whenever a line with their size arrives."""
    from gambol.behaviors.balance import Balance
    from gambol.bodies import make_character
    from gambol.control.contact.support import SupportPoints
    from gambol.control.reference import SmoothReference
    from gambol.world.world import World

    class Sway(Balance):
        """Balance whose centre of mass sways: its reference is moved, nothing else."""

        name = "sway"
        moved = SmoothReference(np.zeros(3))

        def _move_reference(self, support: SupportPoints) -> SmoothReference:
            still, moved = super()._move_reference(support), self.moved
            for name, shift in zip(("value", "velocity", "acceleration"), sway(self.world.time), strict=True):
                way = getattr(still, name).copy()
                way[1] += shift
                setattr(moved, name, way)
            return moved

    world = World(make_character("human"))
    behavior = Sway(world, Balance.Params(solver=solver))
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            begin = time.perf_counter()
            torques = behavior.act()
            times.append(time.perf_counter() - begin)
            world.step(torques)
        if world.contacts.fallen(world.figure):
            raise SystemExit("the human fell")
        print(*times, flush=True)


class Gambol:
    """The other side of `serve`."""

    def __init__(self, python: str, solver: str) -> None:
        self.process = subprocess.Popen([python, __file__, "--serve", solver], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def batch(self, count: int) -> list[float]:
        assert self.process.stdin is not None and self.process.stdout is not None
        print(count, file=self.process.stdin, flush=True)
        return [float(word) for word in self.process.stdout.readline().split()]


def compare(python: str) -> None:
    talos = TsidBalance()
    print(f"TSID: {talos.sizes()}")
    runners = {"tsid": talos, **{solver: Gambol(python, solver) for solver in OURS}}
    times: dict[str, list[float]] = {name: [] for name in runners}
    for runner in runners.values():
        runner.batch(BATCH)  # to get going
    for _ in range(ROUNDS):
        for name, runner in runners.items():
            times[name] += runner.batch(BATCH)
    fastest, median = percentiles(times["tsid"])
    for name, taken in times.items():
        least, middle = percentiles(taken)
        print(f"{name:12} min {least:.3f} ms   median {middle:.3f} ms   to TSID: min {least / fastest:.2f}, "
              f"median {middle / median:.2f}   ({len(taken)} ticks)")
    print(f"TSID's COM is {1e3 * talos.error():.1f} mm from its reference at the end")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--serve":
        serve(sys.argv[2])
    elif len(sys.argv) == 2:
        compare(sys.argv[1])
    else:
        raise SystemExit("usage: python benchmarks/tsid.py PYTHON-OF-GAMBOL   (see the top of this file)")
