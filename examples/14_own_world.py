"""A world of your own: a swing, with a person on it, that keys and gamepads push.

`python examples/14_own_world.py` swings for a minute and prints what the person feels;
`motionbase run simona --host "world://examples/14_own_world.py:Swing?length=5"` moves a platform with it, and
`motionbase host world examples/14_own_world.py:Swing` shows it without one. See docs/worlds.md.
"""

import math
from collections.abc import Callable, Mapping, Sequence

from motionbase.record.schema import Channel
from motionbase.record.vehicle import G
from motionbase.worlds.felt import felt, quaternion
from motionbase.worlds.scene import shown_controls
from motionbase.worlds.world import Control, Scene, Script

DRAG = 0.04  # [1/s] of the rate; all numbers are illustrative
PUSH = 0.35  # [1/s^2] at full push
HIGHEST = math.radians(35)  # up to which the script pushes


class Swing:
    """A pendulum whose seat stays at right angles to its ropes. Options of the URL arrive as texts."""

    kind, name, dt, cueing = "drive", "swing", 0.005, "marine"
    controls = (Control("push", "push: forwards and back", keys=("ArrowDown", "ArrowUp"), axis=1, turned=True),)
    channels = (
        Channel("control_push", "-", "push, 1 forwards", "controls"),
        Channel("swing_angle", "rad", "of the ropes, forwards is positive", "swing"),
    )

    def __init__(self, length: str = "4") -> None:
        self.length = float(length)
        if not 0.5 <= self.length <= 50:
            raise ValueError(f"length is {length} m, it must be 0.5 to 50 m")
        self.scripts: Mapping[str, Callable[[], Script]] = {"pump": lambda: self.pump}
        self.reset()

    def pump(self, t: float) -> Sequence[float]:
        """Push in the direction of motion up to some height, and for the first second."""
        height = G / self.length * (1 - math.cos(self.angle)) + self.rate**2 / 2
        enough = G / self.length * (1 - math.cos(HIGHEST))
        return (0.0 if height > enough else 1.0 if t < 1 else math.copysign(1.0, self.rate),)

    def reset(self) -> None:
        self.steps, self.push, self.angle, self.rate, self.change = 0, 0.0, 0.0, 0.0, 0.0

    def step(self, controls: Sequence[float]) -> None:
        (self.push,) = controls
        self.change = -G / self.length * math.sin(self.angle) - DRAG * self.rate + PUSH * self.push
        self.rate += self.dt * self.change
        self.angle += self.dt * self.rate
        self.steps += 1

    @property
    def t(self) -> float:
        return self.steps * self.dt

    @property
    def vehicle(self) -> tuple[float, ...]:
        """What the person feels; swung forwards, the seat faces up, which is a negative pitch."""
        c, s = math.cos(self.angle), math.sin(self.angle)
        outwards = self.rate**2
        acceleration = (
            self.length * (self.change * c - outwards * s),
            0.0,
            self.length * (self.change * s + outwards * c),
        )
        return felt((0, -self.angle, 0), (0, -self.rate, 0), (0, -self.change, 0), acceleration)

    @property
    def place(self) -> tuple[float, ...]:
        c, s = math.cos(self.angle), math.sin(self.angle)
        p = self.length * s, 0.0, 0.5 + self.length * (1 - c)
        v = self.length * self.rate * c, 0.0, self.length * self.rate * s
        return (*p, *quaternion((0, -self.angle, 0)), *v)

    @property
    def told(self) -> tuple[float, ...]:
        return self.push, self.angle

    @property
    def scene(self) -> Scene:
        """A seat on two ropes; they are parts of the vehicle, as they turn with it."""
        bar = {"type": "box", "q": [1.0, 0.0, 0.0, 0.0], "color": "#b08b57"}
        ropes = [{**bar, "size": [0.03, 0.03, self.length], "p": [0, y, self.length / 2]} for y in (-0.3, 0.3)]
        degrees = {"unit": "deg", "scale": 180 / math.pi, "low": -60.0, "high": 60.0, "look": "dial"}
        return {
            "kind": self.kind, "name": self.name, "eye": [0.0, 0.0, 0.8], "chase": [-6.0, 4.0, 2.0],
            "vehicle": {"shapes": [{**bar, "size": [0.5, 0.7, 0.05], "p": [0, 0, 0]}, *ropes]}, "parts": [],
            "instruments": [{"name": "angle", "label": "angle", "channel": "swing_angle", **degrees}],
            "controls": shown_controls(self.controls), "objects": [], "ground": {"elevation": 0.0},
        }  # fmt: skip


def main() -> None:
    """A minute of it, without a platform."""
    swing = Swing()
    highest, felt_x, least_z, most_z = 0.0, 0.0, G, G
    while swing.t < 60:
        swing.step(swing.pump(swing.t))
        highest = max(highest, abs(swing.angle))
        f_x, _, f_z = swing.vehicle[:3]
        felt_x, least_z, most_z = max(felt_x, abs(f_x)), min(least_z, f_z), max(most_z, f_z)
    print(f"after a minute it swings to {math.degrees(highest):.1f} deg")
    print(f"the seat presses with {least_z / G:.2f} to {most_z / G:.2f} times the weight")
    print(f"along the seat there is never more than {felt_x / G:.3f} times the weight")


if __name__ == "__main__":
    main()
