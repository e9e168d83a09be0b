"""Experiments by name. Importing this package registers all of them."""

from gambol.experiments.balance import com_sweep, morphing
from gambol.experiments.balance import pushes as balance_pushes
from gambol.experiments.contacts import human44, palms, shoulders, standing, walking
from gambol.experiments.experiment import EXPERIMENTS, Context, Experiment, Result, select
from gambol.experiments.jump import jumps
from gambol.experiments.locomote import bodies as locomote_bodies
from gambol.experiments.locomote import dodging, gaits, planner_alone, replanning, rough_ground, steering
from gambol.experiments.locomote import looks as locomote_looks
from gambol.experiments.locomote import pushes as locomote_pushes
from gambol.experiments.planar import chain, squat
from gambol.experiments.solvers import priorities, variants
from gambol.experiments.synthesis import ablation as synthesis_ablation
from gambol.experiments.synthesis import scenes, variations
from gambol.experiments.walk import ablation as walk_ablation
from gambol.experiments.walk import bodies, integration, looks, pushes, ranges

__all__ = ["EXPERIMENTS", "Context", "Experiment", "Result", "balance_pushes", "bodies", "chain", "com_sweep",
           "dodging", "gaits", "human44", "integration", "jumps", "locomote_bodies", "locomote_looks",
           "locomote_pushes", "looks", "morphing", "palms", "planner_alone", "priorities", "pushes", "ranges",
           "replanning", "rough_ground", "scenes", "select", "shoulders", "squat", "standing", "steering",
           "synthesis_ablation", "variants", "variations", "walk_ablation", "walking"]
