"""Ask for anything: a feature of your own.

Tasks of synthesis are quantities that should have a value at a time. This one is new: the height of the right hand
over the left foot. Asked for 10 cm after a second and a half, the body lifts its foot rather than bend down to it:
nobody said how. Needs the extra `synthesis`.

    python examples/11_own_feature.py          writes hand_over_foot.npz here
"""

import sys
from pathlib import Path

from gambol.synthesis.features import feature
from gambol.synthesis.scene import Feature, Performer, Scene, Stand
from gambol.synthesis.synthesize import synthesize


@feature(unit="m", limit=0.03)
def hand_over_foot(moment):
    """height of the right hand over the left foot"""
    return moment.place("right_hand")[2] - moment.place("left_foot")[2]


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    scene = Scene([Performer("human")], [Stand(), Feature(name="hand_over_foot", target=0.1, at=1.5)], phases=6)
    result = synthesize(scene)
    path = result.motion.save(folder / "hand_over_foot.npz")
    print(f"{path.name}: {result.motion.seconds:g} s, {result.sentence()}")


if __name__ == "__main__":  # so that `gambol --load 11_own_feature.py synthesize my.yaml` finds the feature alone
    main()
