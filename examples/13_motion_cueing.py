"""Motion cueing of an emergency stop: what people feel of it, how far the tilt may be seen, and a set tuned for it.

A car brakes from 80 km/h. No base can brake for four seconds; it moves back a little and leans forward, so that gravity
does what braking did. How fast it may lean is a compromise: too fast, and people feel that they are turned. The pages
are docs/cueing.md and docs/cueing_use.md.
"""

import math

from motionbase.cueing.cueing import Cueing
from motionbase.cueing.run import cue
from motionbase.cueing.summary import Summary
from motionbase.cueing.tune.result import Tuned
from motionbase.cueing.tune.scores import Judge, cases_of
from motionbase.cueing.tune.search import Search
from motionbase.cueing.tune.space import Space
from motionbase.host.manoeuvres import manoeuvre
from motionbase.platform.load import load_platform

STOP = manoeuvre("braking", rate=60.0, speed=80.0, amplitude=6.0)
CUEING = Cueing.of(load_platform("simona"), "simona", dt=0.005)


def figures(**changes: float) -> Summary:
    """The stop with some parameters changed, as a vehicle on the ground has them."""
    ground = {f"cue_ground_{name}": value for name, value in changes.items()}
    return Summary(cue(CUEING, STOP.t, STOP.rows, CUEING.parameter_vector(**ground)))


def main() -> None:
    """The published set, other rates of the tilt, and a search of a second."""
    own = figures()
    print(f"the car brakes with {own.peak('demand')[0]:.1f} m/s², the base gives {own.peak('cue')[0]:.1f} m/s²")
    print("tilt at most  perceived error  turn that is felt  least way of a leg")
    for limit in (1, 3, 6, 12):
        told = figures(tilt_rate=math.radians(limit))
        assert told.tilt is not None
        print(f"{limit:8d} °/s {100 * told.share:14.0f} % {told.tilt['pitch']:11.2f} thresholds {told.left:11.3f} m")

    search = Search(Space(Judge(CUEING, cases_of([(STOP.name, STOP.t, STOP.rows)]))), population=32)
    *_, last = search.states(20)
    before, after = last.start.goals[0], Tuned(search, last, weight=0.25).scores.goals[0]
    print(f"tuned: error {100 * before[0]:.0f} -> {100 * after[0]:.0f} % of that of a base at rest, ", end="")
    print(f"stroke {100 * before[1]:.0f} -> {100 * after[1]:.0f} %")
    front = last.scores.goals[last.front]
    least = front[front[:, 1].argsort()][:: max(1, len(front) // 5)]
    print("the front, stroke: error: " + ", ".join(f"{100 * s:.0f}: {100 * e:.0f} %" for e, s in least))


if __name__ == "__main__":
    main()
