"""JSBSim behind an interface of our own: loads an aircraft silently, steps it, converts its state to our axes.

JSBSim's axes are x forward, y right, z down, its units feet and slugs; ours are x forward, y left, z up, and SI.
"""

from __future__ import annotations

import importlib.util
import math
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, final
from xml.etree import ElementTree

from motionbase.errors import UsageError
from motionbase.worlds.felt import Vector, cross
from motionbase.worlds.flight.aircraft import FOOT, KNOT, Aircraft
from motionbase.worlds.flight.controls import Surfaces
from motionbase.worlds.flight.place import seen

DT = 0.005
WANTED = "flight needs JSBSim: pip install 'motionbase[flight]'"
FULL_TRIM = 1  # of do_trim
LBF = 4.4482216152605  # [N]


@final
class State(NamedTuple):
    """The aircraft after a step.

    Attributes:
        p, v: position and velocity of its own point in the flat world [m, m/s]
        angles: roll, pitch, yaw, ZYX, in our axes: nose up is a negative pitch [rad]
        omega, alpha: angular rate and acceleration, in axes of the vehicle [rad/s, rad/s^2]
        f: specific force at the pilot's eye [m/s^2]
        airspeed: calibrated [m/s]
        true_airspeed: [m/s]
        mach, load: Mach number and load factor [-]
        attack, slip: angles of attack and sideslip, the latter positive with wind from the left [rad]
        height: of the own point above the ground [m]
        wheels: load on the gear [N], 0 in the air
        wheel_speed: ground speed [m/s]
        wow: whether a wheel touches the ground
        elevator, left_aileron, right_aileron, rudder: deflections [rad], trailing edge down or left
        flaps, gear: positions, 0 to 1
        turn: propeller speed [1/s], or fan speed N1 of a jet as a share of full
        warns: whether the stall warning is on
        mass: [kg]
    """

    p: Vector
    v: Vector
    angles: Vector
    omega: Vector
    alpha: Vector
    f: Vector
    airspeed: float
    true_airspeed: float
    mach: float
    load: float
    attack: float
    slip: float
    height: float
    wheels: float
    wheel_speed: float
    wow: bool
    elevator: float
    left_aileron: float
    right_aileron: float
    rudder: float
    flaps: float
    gear: float
    turn: float
    warns: bool
    mass: float


READ = (
    "position/ecef-x-ft", "position/ecef-y-ft", "position/ecef-z-ft", "position/lat-geod-rad", "position/long-gc-rad",
    "position/geod-alt-ft", "velocities/v-north-fps", "velocities/v-east-fps", "velocities/v-down-fps",
    "attitude/phi-rad", "attitude/theta-rad", "attitude/psi-rad", "velocities/p-rad_sec", "velocities/q-rad_sec",
    "velocities/r-rad_sec", "accelerations/pdot-rad_sec2", "accelerations/qdot-rad_sec2", "accelerations/rdot-rad_sec2",
    "accelerations/a-pilot-x-ft_sec2", "accelerations/a-pilot-y-ft_sec2", "accelerations/a-pilot-z-ft_sec2",
    "velocities/vc-kts", "velocities/vt-fps", "velocities/mach", "accelerations/Nz", "aero/alpha-rad", "aero/beta-rad",
    "forces/fbz-gear-lbs", "velocities/vg-fps", "gear/wow", "fcs/left-aileron-pos-rad",
    "fcs/right-aileron-pos-rad", "fcs/rudder-pos-rad", "fcs/flap-pos-norm", "gear/gear-pos-norm", "inertia/mass-slugs",
    "inertia/cg-x-in", "inertia/cg-y-in", "inertia/cg-z-in",
)  # fmt: skip
SLUG = LBF / FOOT  # [kg]


def check_installed() -> None:
    """Raise `UsageError` if JSBSim is missing."""
    if importlib.util.find_spec("jsbsim") is None:
        raise UsageError(WANTED)


def loaded(aircraft: Aircraft) -> Any:
    """JSBSim with an aircraft, which writes no files, opens no ports and prints nothing."""
    check_installed()
    import jsbsim

    model, root = aircraft.model, Path(jsbsim.get_default_root_dir())
    jsbsim.FGJSBBase().debug_lvl = 0  # type: ignore[no-untyped-call]  # of all instances
    if hasattr(jsbsim, "set_logger"):
        jsbsim.set_logger(jsbsim.FGLogger())  # a silent one, for this thread
    with tempfile.TemporaryDirectory(prefix="motionbase-") as folder:
        own = Path(folder) / model
        shutil.copytree(root / "aircraft" / model, own)
        _adapt(own / f"{model}.xml", aircraft.eye)
        fdm = jsbsim.FGFDMExec(None)
        if not fdm.load_model_with_paths(model, folder, str(root / "engine"), str(root / "systems"), True):
            raise UsageError(f"JSBSim {jsbsim.__version__} cannot load its aircraft {model!r}")
    fdm.set_dt(DT)
    return fdm


def _adapt(file: Path, eye: tuple[float, float, float]) -> None:
    """Remove outputs, which write files to the current folder, and inputs, which open ports; set our eye point."""
    tree = ElementTree.parse(file)
    root = tree.getroot()
    for child in list(root):
        if child.tag in ("input", "output"):
            root.remove(child)
    for location in root.iterfind("metrics/location[@name='EYEPOINT']"):
        location.set("unit", "IN")
        for axis, value in zip("xyz", eye, strict=True):
            location.find(axis).text = str(value)  # type: ignore[union-attr]
    tree.write(file)


@final
class FlightModel:
    """An aircraft in JSBSim at the start of a flight.

    Args:
        initial: properties of the initial conditions
        running: properties set after these, such as a retracted gear
    """

    def __init__(self, aircraft: Aircraft, initial: Mapping[str, float], running: Mapping[str, float]) -> None:
        self.aircraft, self._fdm = aircraft, loaded(aircraft)
        self._read = (
            *READ, aircraft.elevator, "propulsion/engine/" + ("engine-rpm" if aircraft.propeller else "n1"),
            "systems/stall-warn-norm",
        )  # fmt: skip
        for name, value in {**aircraft.settings, **initial}.items():
            self._fdm[name] = value
        for engine in range(aircraft.engines):
            self._fdm[f"fcs/mixture-cmd-norm[{engine}]"] = 1.0
        self._fdm.run_ic()
        for name, value in running.items():
            self._fdm[name] = value
        self._fdm["propulsion/set-running"] = -1  # all engines
        self._fdm["propulsion/fuel_freeze"] = 1.0
        self._yaw = 0.0

    def trimmed(self) -> Surfaces:
        """Trimmed controls of its steady flight; raises `UsageError` if it cannot be trimmed."""
        import jsbsim

        try:
            self._fdm.do_trim(FULL_TRIM)
        except jsbsim.TrimFailureError:
            raise UsageError(
                f"the {self.aircraft.name} cannot be trimmed at this height and speed; start lower"
            ) from None
        fdm = self._fdm
        return Surfaces(
            aileron=fdm["fcs/aileron-cmd-norm"], rudder=fdm["fcs/rudder-cmd-norm"],
            throttle=fdm["fcs/throttle-cmd-norm"],
            flaps=fdm["fcs/flap-cmd-norm"], gear=fdm["gear/gear-cmd-norm"], trim=-fdm["fcs/pitch-trim-cmd-norm"],
        )  # fmt: skip

    def set(self, name: str, value: float) -> None:
        """Set a property of JSBSim."""
        self._fdm[name] = value

    def get(self, name: str) -> float:
        """A property of JSBSim."""
        return float(self._fdm[name])

    def step(self, to: Surfaces) -> None:
        """One period with these controls."""
        fdm = self._fdm
        fdm["fcs/elevator-cmd-norm"] = -to.elevator
        fdm["fcs/aileron-cmd-norm"] = to.aileron
        fdm["fcs/rudder-cmd-norm"] = to.rudder
        fdm["fcs/steer-cmd-norm"] = -to.rudder
        fdm["fcs/pitch-trim-cmd-norm"] = -to.trim
        fdm["fcs/flap-cmd-norm"] = to.flaps
        fdm["fcs/left-brake-cmd-norm"] = fdm["fcs/right-brake-cmd-norm"] = to.brakes
        for engine in range(self.aircraft.engines):
            fdm[f"fcs/throttle-cmd-norm[{engine}]"] = to.throttle
        if self.aircraft.retracts:
            fdm["gear/gear-cmd-norm"] = to.gear
        fdm.run()

    def state(self) -> State:
        """The present state."""
        fdm = self._fdm
        (
            ex, ey, ez, latitude, longitude, height, v_north, v_east, v_down, phi, theta, psi, p, q, r, p_dot, q_dot,
            r_dot, fx, fy, fz, knots, true, mach, load, attack, slip, wheels, ground, wow, left, right, rudder, flaps,
            gear, mass, *centre, elevator, turn, warning,
        ) = [fdm[name] for name in self._read]  # fmt: skip
        spot = seen(FOOT * ex, FOOT * ey, FOOT * ez, latitude, longitude)
        c, s = math.cos(spot.turn), math.sin(spot.turn)
        north, west = FOOT * v_north, -FOOT * v_east
        wanted = spot.turn - psi
        self._yaw = wanted + 2 * math.pi * round((self._yaw - wanted) / (2 * math.pi))  # never jumps
        angles, omega = (phi, -theta, self._yaw), (p, -q, -r)
        arm = self.aircraft.to_body((centre[0], centre[1], centre[2]))
        arm_W = _to_world(angles, (-arm[0], -arm[1], -arm[2]))  # from the centre of mass to the own point
        swing = _to_world(angles, cross(omega, (-arm[0], -arm[1], -arm[2])))
        z = FOOT * height
        return State(
            (spot.x + arm_W[0], spot.y + arm_W[1], z + arm_W[2]),
            (c * north - s * west + swing[0], s * north + c * west + swing[1], -FOOT * v_down + swing[2]),
            angles, omega, (p_dot, -q_dot, -r_dot), (FOOT * fx, -FOOT * fy, -FOOT * fz), KNOT * knots, FOOT * true,
            mach,
            load, attack, -slip, z + arm_W[2], max(0.0, -LBF * wheels), FOOT * ground, wow > 0.0, elevator, left, right,
            rudder, flaps, gear if self.aircraft.retracts else 1.0,
            turn / (60.0 if self.aircraft.propeller else 100.0), warning > 0.0, SLUG * mass,
        )  # fmt: skip


def _to_world(angles: Vector, vector: Vector) -> Vector:
    """A vector in axes of the world, from axes of the vehicle."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in angles)
    x, y, z = vector
    y, z = cr * y - sr * z, sr * y + cr * z
    x, z = cp * x + sp * z, cp * z - sp * x
    return cy * x - sy * y, sy * x + cy * y, z
