"""The body for hands beside the body without: what one does the other does as often; nothing published."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import fisher_exact

from gambol.experiments.experiment import Context, Result, check, experiment
from gambol.runs.run import record
from gambol.world.pushes import Push

BODIES = ("human44", "human")
SEEDS = 10
CHANCE = 0.05
"""A count is lower than chance explains if one as low or lower is less likely than this (Fisher's exact test)."""
START, DURATION = 2.0, 0.1


@dataclass(frozen=True)
class Case:
    """Something that both bodies do."""

    behavior: str
    seconds: float
    settings: dict[str, Any] = field(default_factory=dict)
    terrain: str = "flat"
    impulse: float = 0.0
    """of a push on the trunk, N s; its direction goes round with the seeds"""

    def fell(self, body: str, seed: int) -> bool:
        pushes = []
        if self.impulse:
            angle = 2.0 * np.pi * 0.618 * seed  # spread evenly, however many there are
            force = self.impulse / DURATION * np.array([np.cos(angle), np.sin(angle), 0.0])
            pushes = [Push(START, "trunk", tuple(force), DURATION)]
        run = record(self.behavior, body, seconds=self.seconds, seed=seed, settings=self.settings,
                     terrain=self.terrain, pushes=pushes, last=0.1)
        return run.fell is not None


CASES = {
    "balance": Case("balance", 10.0), "balance, 25 N s": Case("balance", 7.0, impulse=25.0),
    "balance, 35 N s": Case("balance", 7.0, impulse=35.0),
    "jump": Case("jump", 4.0), "walk": Case("walk", 8.0), "walk, 10 N s": Case("walk", 8.0, impulse=10.0),
    "locomote at 1.2 m/s": Case("locomote", 8.0), "locomote at 2.5 m/s": Case("locomote", 8.0, {"speed": 2.5}),
    "locomote, 40 N s": Case("locomote", 7.0, impulse=40.0),
    "rough ground": Case("locomote", 10.0, terrain="rough:height=0.2,grid=1.0"),
    "stairs": Case("locomote", 10.0, terrain="stairs")}


def tried(name: str, body: str, seed: int) -> bool:
    """Whether a body went through a case on its feet."""
    return not CASES[name].fell(body, seed)


@experiment("contacts-human44", group="contacts", source="own: hands and toes should cost nothing",
            published="no figure")
def contacts_human44(context: Context) -> Result:
    """human44 (wrists, clavicles, toes) beside human: stands, jumps, walks, runs, rough ground, stairs, pushes"""
    names, seeds = (["balance"], 1) if context.quick else (list(CASES), SEEDS)
    cases = [(name, body, context.seed + k) for name in names for body in BODIES for k in range(seeds)]
    done = iter(context.trials(tried, cases))
    rows = []
    for name in names:
        counts = [sum(next(done) for _ in range(seeds)) for _ in BODIES]
        table = [[count, seeds - count] for count in counts]
        likely = float(fisher_exact(table, alternative="less").pvalue)
        rows.append(check(name, "-", " against ".join(f"{count} of {seeds}" for count in counts), likely >= CHANCE))
    return Result(rows, notes=["human44 against human; a row fails where human44's count is lower than chance explains "
                               f"(Fisher's exact test, {CHANCE:g})."])
