"""On/off rig: errors of the paper's control, of one that predicts, and of one with flow-control valves.

    .venv/bin/python -m benchmarks.rig.onoff docs/pictures/rig_onoff.png

draws all three on the published boat's motion.
"""

import functools
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness import Benchmark, Samples, Settings, interleaved, per_evaluation
from benchmarks.rig.paper_motion import PLATFORM, RATE, boat, sine
from motionbase.actuators.onoff import OnOffActuator
from motionbase.arrays import Array
from motionbase.compile import scan
from motionbase.record.rig import LegState, Order
from motionbase.report.figures import INK, new_figure, quiet_grid, save
from motionbase.rig.border import Demand
from motionbase.rig.onoff.backend import onoff_rig
from motionbase.rig.onoff.checkout import Bench, check_valves
from motionbase.rig.onoff.laws import LAWS, NOMINAL, PERIOD
from motionbase.rig.onoff.simulated import VALVES, SimulatedRig

SETTLED = 2.0  # [s] left out at the start
RIGS = {"as believed": NOMINAL, "slower": VALVES, "much slower": OnOffActuator(delay=0.016, switching=0.032)}
COLOURS = {"paper": "#d55e00", "predictive": "#0072b2", "throttled": "#009e73"}


@dataclass(frozen=True)
class Run:
    """A rig behind the border: times (n,) [s], lengths wanted and true (n, 6) [m], commands of the valves (n, 6)."""

    t: Array
    wanted: Array
    l: Array
    u: Array

    @property
    def rms(self) -> float:
        """Of the error [m]."""
        error = (self.l - self.wanted)[self.t >= SETTLED]
        return float(np.sqrt(np.mean(error**2)))

    @property
    def switchings(self) -> float:
        """Times a second that the valve of a leg opens."""
        opened = (np.diff(self.u, axis=0) != 0) & (self.u[1:] != 0)
        return float(opened.sum() / 6 / self.t[-1])


def followed(
    law: str, frames: Array, valves: OnOffActuator = VALVES, rate: float = RATE, told: OnOffActuator | None = None
) -> Run:
    """The motion through the border of all actuators, at simulated time: a demand for each frame of the host.

    Args:
        law: by name
        frames: (n, 6) lengths of the legs [m]
        valves: of the simulated rig
        rate: of the frames [1/s]
        told: what the law believes of the valves, if not the nominal ones
    """
    short = PLATFORM.stroke.hard_min
    device = SimulatedRig(actuator=valves, s=frames[0] - short)
    rig = onoff_rig(PLATFORM, device, law, told)
    commands: list[Array] = []
    write = device.write

    def kept(lines: tuple[bool, ...]) -> None:
        commands.append(device.wiring.commands(lines))
        write(lines)

    device.write = kept  # type: ignore[method-assign, assignment]
    n = round((len(frames) - 1) / rate / PERIOD)
    wanted, l = np.empty((2, n, 6))
    for k in range(-2, n):
        now = k * PERIOD
        frame = max(int(now * rate + 1e-9), 0)
        before = frames[max(frame - 1, 0)]
        order = Order.ENABLE if k == -2 else Order.NONE
        demand = Demand(frame, frames[frame], (frames[frame] - before) * rate, go=k >= 0, order=order)
        answer = rig.cycle(now + 2 * PERIOD, demand)
        if k >= 0:
            assert answer.all_are(LegState.FOLLOWING), answer
            part = now * rate - frame
            wanted[k] = (1 - part) * frames[frame] + part * frames[frame + 1]
            l[k] = short + device.extensions
    rig.close()
    t: Array = PERIOD * np.arange(n, dtype=np.float64)
    return Run(t, wanted, l, np.array(commands)[-n:])


def seconds(settings: Settings) -> float:
    """Length of the motion [s]."""
    return 8.0 if settings.quick else 42.0


def measured(valves: OnOffActuator) -> OnOffActuator:
    """Valves as the paper's check-out measures them."""
    return check_valves(Bench(SimulatedRig(actuator=valves))).actuator(NOMINAL)


@functools.cache
def runs(settings: Settings, law: str, motion: str, checked: bool = False) -> tuple[Run, ...]:
    """A law on each of the rigs, after a check-out or not."""
    frames = boat(seconds(settings))[0] if motion == "boat" else sine(seconds(settings))
    return tuple(followed(law, frames, valves, told=measured(valves) if checked else None) for valves in RIGS.values())


def ratio(settings: Settings, law: str, motion: str = "boat", checked: bool = False) -> Samples:
    """Error of a law over that of the paper's, on each of the rigs."""
    pairs = list(zip(runs(settings, law, motion, checked), runs(settings, "paper", motion), strict=True))
    note = ", ".join(
        f"{name}: {1e3 * a.rms:.2f} / {1e3 * b.rms:.2f} mm" for name, (a, b) in zip(RIGS, pairs, strict=True)
    )
    return Samples(tuple(a.rms / b.rms for a, b in pairs), note)


def switchings(settings: Settings, law: str) -> Samples:
    """Openings of a valve a second, on each of the rigs."""
    return Samples(tuple(run.switchings for run in runs(settings, law, "boat")))


def slow_frames(settings: Settings) -> Samples:
    """Error of the paper's control with twelve frames a second [mm]."""
    every = 5
    frames = boat(seconds(settings))[0][::every]
    return Samples((1e3 * followed("paper", frames, rate=RATE / every).rms,))


def step_time(settings: Settings) -> Samples:
    """A step of the predictive law for six legs [us]."""
    law = LAWS["predictive"]()
    loop = scan(law.program, {"state": "state_next"})
    given: dict[str, Any] = {
        "h": PERIOD, "state": np.tile(law.state.layout.vector(), (6, 1)), "renew": 1.0, "follow": 1.0,
        "s_cmd": np.linspace(0.1, 0.2, 6), "s_cmd_dot": np.full(6, 0.05), "s_meas": np.linspace(0.11, 0.19, 6),
    }  # fmt: skip
    side = per_evaluation(functools.partial(loop, **given), 500)
    return interleaved({"law": side}, settings).side("law", 1e6)


BENCHMARKS = [
    Benchmark(
        "rigs.onoff_error_ratio", "x", "<= 0.5", "rms error of six legs on the boat's motion, predictive law / paper's",
        lambda s: ratio(s, "predictive"),
    ),
    Benchmark(
        "rigs.onoff_checked_ratio", "x", None, "the same with delays and speeds that check_valves measured before",
        lambda s: ratio(s, "predictive", checked=True),
    ),
    Benchmark(
        "rigs.onoff_sine_ratio", "x", None, "as onoff_error_ratio on a sine of 0.25 Hz and 6 cm",
        lambda s: ratio(s, "predictive", "sine"),
    ),
    Benchmark(
        "rigs.onoff_throttled_ratio", "x", None, "with flow-control valves, on the boat's motion",
        lambda s: ratio(s, "throttled"),
    ),
    Benchmark(
        "rigs.onoff_paper_12hz_mm", "mm", None, "error of the paper's control if the host sends twelve frames a second",
        slow_frames,
    ),
    Benchmark("rigs.onoff_paper_openings", "1/s", None, "openings of a valve, paper", lambda s: switchings(s, "paper")),
    Benchmark(
        "rigs.onoff_predictive_openings", "1/s", None, "openings of a valve, predictive law",
        lambda s: switchings(s, "predictive"),
    ),
    Benchmark("rigs.onoff_law_us", "us", None, "a step of the predictive law", step_time, mode="strict", lanes=1),
]  # fmt: skip


def draw(path: str, leg: int = 0, begin: float = 12.0, end: float = 20.0) -> None:
    """One leg on the boat's motion: lengths, errors, and the valve of the first two laws."""
    frames, scale = boat(end + 1.0)
    made = {law: followed(law, frames) for law in LAWS}
    figure = new_figure(10.0, 8.0)
    length, error, paper, predictive = figure.subplots(4, 1, sharex=True, height_ratios=[3, 3, 1, 1])
    for law, run in made.items():
        shown = (run.t >= begin) & (run.t <= end)
        t = run.t[shown]
        if law == "paper":
            length.plot(t, 1e3 * run.wanted[shown, leg], color=INK, linewidth=2.5, alpha=0.35, label="demand")
        length.plot(t, 1e3 * run.l[shown, leg], color=COLOURS[law], linewidth=1.0, label=law)
        label = f"{law}: {1e3 * run.rms:.2f} mm rms, all legs"
        error.plot(t, 1e3 * (run.l - run.wanted)[shown, leg], color=COLOURS[law], linewidth=1.0, label=label)
        if law in ("paper", "predictive"):
            axes = paper if law == "paper" else predictive
            axes.fill_between(t, run.u[shown, leg], step="post", color=COLOURS[law], linewidth=0)
            axes.set_ylabel(f"valve,\n{law}")
            axes.set_yticks([-1, 0, 1], ["down", "shut", "up"])
    length.set_ylabel("length of leg 1 [mm]")
    error.set_ylabel("error of leg 1 [mm]")
    predictive.set_xlabel("time [s]")
    for axes in (length, error, paper, predictive):
        quiet_grid(axes)
        axes.set_xlim(begin, end)
    for axes, columns in ((length, 4), (error, 3)):
        least, most = axes.get_ylim()
        axes.set_ylim(least, most + 0.2 * (most - least))  # room for the legend
        axes.legend(loc="upper right", ncols=columns)
    figure.suptitle(f"Six legs with on/off valves follow the boat on its wave (scale {scale:.2f}), simulated")
    save(figure, path)


if __name__ == "__main__":
    draw(sys.argv[1])
