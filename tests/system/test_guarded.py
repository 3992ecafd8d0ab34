"""Laws that break, on every platform: nothing but finite commands reaches the plant, and the base comes to rest.

With --all every broken law runs against the plant of every preset, not of two; one below a sphere.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.compile import compile, scan
from motionbase.control.guard import STOP_S
from motionbase.platform.atlas.load import load_atlas
from motionbase.platform.load import PRESETS, load_platform
from motionbase.record.faults import GUARDED, Fault
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.sphere import sphere_schema
from motionbase.record.states import Request, State
from motionbase.recording.journal import RecordWatch
from motionbase.system.atlas_loop import AtlasLoop
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.export import guard_border
from motionbase.system.runs import Run, Runner, Scenario
from tests.system.broken_laws import BREAKING, BREAKS_AT, FOUND, Broken, breaking_loop, broken
from tests.system.export_driver import build_driver, compiler, driven

HEXAPODS = tuple(name for name in PRESETS if name != "atlas")
HEXAPODS_TRIED = ("simona", "emotion-1500")  # with their plants, which take long to compile
EVERY_PLANT = pytest.mark.long("compiles every plant")
HEXAPODS_LEFT = [pytest.param(name, marks=EVERY_PLANT) for name in HEXAPODS if name not in HEXAPODS_TRIED]
CHANNELS = tuple(c.name for c in hexapod_schema().channels)
DT = 5e-4
AT = (BREAKS_AT + 1) * DT  # time of the row that shows the first bad answer
SEEN = ("valve_cmd", "abort", "l", "l_dot", "V_dot_P_next")


@cache
def runner(name: str) -> Runner:
    return Runner(breaking_loop(load_platform(name), CHANNELS), SEEN)


def ran(name: str, kind: Broken, seconds: float = 1.5, **options: Any) -> Run:
    return runner(name).run(Scenario(automatic=False, inputs=broken(kind), **options), seconds)


@cache
def sound_run(name: str) -> Run:
    return ran(name, Broken.NOTHING)


@pytest.mark.parametrize("kind", FOUND)
@pytest.mark.parametrize("name", [*HEXAPODS_TRIED, *HEXAPODS_LEFT])
def test_no_broken_law_reaches_the_legs(name: str, kind: Broken) -> None:
    run, sound = ran(name, kind), sound_run(name)
    bad = [c for c in CHANNELS if not np.isfinite(run[c]).all()]
    assert not bad
    assert (np.abs(run["valve_cmd"]) <= 0.05 + 1e-12).all() and (run["abort"] >= 0).all() and (run["abort"] <= 1).all()
    first = int(np.flatnonzero(run["fault"])[0])
    assert set(run["fault"][first:]) == {float(FOUND[kind])}  # latched, though NAN_ONCE is over at once
    assert run.t[first] == AT
    np.testing.assert_array_equal(run["l"][: first - 1], sound["l"][: first - 1])  # nothing before
    assert set(run["state"][first : first + 100]) == {float(State.STOPPING)}
    assert run["state"][-1] == State.HELD and run["abort"][-1] == 1 and not run["valve_cmd"][-1].any()
    assert np.abs(run["l_dot"][-1]).max() < 0.1  # it sinks through its bleeds, or stands on its brakes
    assert not np.any(sound["fault"]) and np.abs(sound["l_dot"]).max() > 0.005


@pytest.mark.parametrize("name", HEXAPODS)
def test_no_broken_law_gets_past_the_guard_of_any_preset(name: str) -> None:
    """Law and guard without the plant: the measurements stay as they are."""
    loop = breaking_loop(load_platform(name))
    kept = [p.name for p in loop.guarded.outputs if p.name not in ("x_next", "guard_next")]
    run = scan(loop.guarded, {"x": "x_next", "guard": "guard_next"}, record=kept)
    known = {**loop.plant.quiet, **loop.quiet_inputs(), **loop.at_rest(), "request": 0.0}
    given = {p.name: known[p.name] for p in loop.guarded.inputs}
    for kind in Broken:
        out = run(1200, **given | broken(kind))
        assert all(np.isfinite(out[name]).all() for name in kept), kind
        assert (np.abs(out["valve_cmd"]) <= 0.05).all() and out["fault"][-1] == FOUND.get(kind, Fault.NONE), kind
        assert bool(out["stopped"][-1]) == (kind in FOUND) and out["abort"][-1] == out["stopped"][-1]


def test_it_is_an_event_of_the_console() -> None:
    run = ran("simona", Broken.NAN)
    rows = np.column_stack([run[c] for c in CHANNELS])
    told = [c for c in RecordWatch(hexapod_schema()).find(rows) if c.kind == "fault" and c.is_bad]
    assert len(told) == 1 and rows[told[0].k, 0] == AT and "the guard stopped the law" in told[0].text


def test_a_reset_after_the_stop_lets_a_law_go_on_that_is_good_again() -> None:
    """NAN_ONCE: the law still opens its valves by less than a step, so it may have them back."""
    run = ran("simona", Broken.NAN_ONCE, resets=(AT + 0.1, AT + STOP_S + 0.2))
    ends = np.flatnonzero(np.diff(run["fault"]) < 0)
    assert len(ends) == 1 and run.t[ends[0] + 1] == pytest.approx(AT + STOP_S + 0.2, abs=2 * DT)
    assert run["state"][-1] == State.DRIVE and run["abort"][-1] == 0 and (run["valve_cmd"][-1] == 0.05).all()


def test_a_law_that_stays_broken_is_not_let_go() -> None:
    run = ran("simona", Broken.HIDDEN, resets=(AT + STOP_S + 0.2,))
    assert run["fault"][-1] == Fault.GUARD_NUMBER and run["abort"][-1] == 1


def test_a_tick_that_comes_far_too_late_stops_the_law() -> None:
    late = runner("simona").run(
        Scenario(automatic=False, inputs=broken(Broken.NOTHING) | {"lateness": np.array(1.5)}), 0.5
    )
    assert not sound_run("simona")["fault"].any() and set(late["fault"]) == {float(Fault.GUARD_LATE)}


def test_lanes_are_stopped_one_by_one() -> None:
    """Eight scenarios side by side: every one gives the bits that it gives alone."""
    loop = breaking_loop(load_platform("simona"))
    names = list(SEEN[:3])
    kinds = list(Broken)[:8]
    held = {**loop.quiet_inputs(), **loop.at_rest(), "automatic": np.array(0.0)}
    lanes: dict[str, Any] = {
        name: np.repeat(np.asarray(x, dtype=float)[..., None], 8, axis=-1) for name, x in held.items()
    }
    lanes["parameters"] = np.stack([broken(kind)["parameters"] for kind in kinds], axis=-1)
    out = scan(loop.program, loop.feedback, record=[*names, "fault"], lanes=8)(1200, **lanes)
    for k, kind in enumerate(kinds):
        one = ran("simona", kind, 1200 * DT)
        for name in (*names, "fault"):
            np.testing.assert_array_equal(out[name][..., k], one[name])
        assert one["fault"][-1] == FOUND.get(kind, Fault.NONE)


@pytest.mark.parametrize("name", ["simona", "emotion-1500"])
def test_the_law_of_this_package_broken_at_speed_is_stopped_within_the_limits(name: str) -> None:
    """A gain that is no number, in a heave; the base moves again only when the gain is a number again."""
    hexapod = load_platform(name)
    loop = ClosedLoop.of(hexapod, CHANNELS)
    ours, w, amplitude = Runner(loop, SEEN), 2.0, 0.6 * min(hexapod.limits.velocity[2] / 2.0, 0.2)

    def host(t: float) -> Any:
        frame = np.zeros((3, 6))
        frame[:, 2] = amplitude * np.array([np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)])
        return frame

    start = ours.run(Scenario(host=host), 30.0, until=lambda rows: bool((rows["state"] == State.DRIVE).all()))
    assert start["state"][-1] == State.DRIVE and not start["fault"].any()
    numbers = loop.law.parameter_vector(k_p=np.nan)
    broke = ours.run(Scenario(host=host, inputs={"parameters": numbers}), 1.5, start.end)
    assert all(np.isfinite(broke[c]).all() for c in CHANNELS)
    assert broke["fault"][0] in (Fault.GUARD_NUMBER, Fault.GUARD_RATE) and broke["state"][-1] == State.HELD
    assert np.abs(broke["l_dot"][-1]).max() < 0.1
    if name == "simona":  # brakes stop an electric leg as hard as they can, as at any fault of its drive
        assert np.abs(broke["V_dot_P_next"][:, 3:]).max() < hexapod.limits.leg_acceleration
    # stopped, the law closes its valves, which is a good answer: a reset lets go, and the next motion is stopped again
    asked: dict[str, Any] = {
        "resets": (float(broke.t[-1]) + 0.1,),
        "requests": {float(broke.t[-1]) + 0.3: Request.LOWER},
    }
    again = ours.run(Scenario(**asked, automatic=False, inputs={"parameters": numbers}), 1.0, broke.end)
    assert again["fault"][400] == 0 and not again["valve_cmd"][400:500].any() and again["state"][400] == State.HELD
    assert again["fault"][-1] in GUARDED and again["state"][-1] == State.HELD
    healed = ours.run(Scenario(**asked, automatic=False), 1.0, broke.end)  # with the gain as it was
    assert healed["fault"][-1] == 0 and healed["state"][-1] == State.LOWERING


@pytest.mark.skipif(not compiler(), reason="no C compiler")
@pytest.mark.parametrize("name", ["simona", "emotion-1500"])
def test_the_exported_guard_has_the_bits_of_the_compiled_one(name: str, tmp_path: Any) -> None:
    """Rows of any 64 bits among good ones, with resets: what C gives is what LLVM gives."""
    border, rng, n = guard_border(ClosedLoop.of(load_platform(name))), np.random.default_rng(5), 3000
    build_driver(border, tmp_path)
    rows: dict[str, Any] = {p.name: np.zeros((n, *p.dims)) for p in border.groups["inputs"]} | {"sound": np.ones(n)}
    rows["answer"] = np.arange(n, dtype=float)
    rows["valve_cmd_law"] = 0.01 * np.sin(np.arange(n) / 50)[:, None] * np.ones(6)
    rows["reset"][::700] = 1.0
    any_bits = rng.integers(0, 2**64, (n, 6), dtype=np.uint64).view(np.float64)
    wild = rng.random(n) < 0.002
    rows["valve_cmd_law"][wild] = any_bits[wild]
    for name_, place in (("abort_law", 650), ("state_law", 1350), ("sound", 2050), ("lateness", 2800)):
        rows[name_][place] = np.nan
    made, last = driven(border, rows, tmp_path)
    wanted = scan(border.unit, {"guard": "guard_next"}, per_step=list(rows), record=list(made))(
        n, guard=border.state["guard"], **rows
    )
    assert 2 < len(set(wanted["fault"])) and 0 < wanted["stopped"].mean() < 1
    for port, values in made.items():
        np.testing.assert_array_equal(values.reshape(wanted[port].shape), wanted[port])
        assert np.isfinite(values).all()
    np.testing.assert_array_equal(last["guard"], wanted["guard"])


# ---- a sphere ----

ATLAS = load_atlas("atlas")
ATLAS_CHANNELS = tuple(c.name for c in sphere_schema(3).channels)


@cache
def atlas() -> Runner:
    return Runner(
        AtlasLoop.of(ATLAS, load_platform(ATLAS.stage), ATLAS_CHANNELS), ("l_dot", "tau_motor", "sphere_fault")
    )


@cache
def atlas_up() -> Run:
    return atlas().run(Scenario(automatic=True, automatic_until=8.0), 12.0, every=100)


def test_a_broken_law_of_the_sphere_brakes_it_and_brings_the_stage_down() -> None:
    loop, up = atlas().loop, atlas_up()
    assert up["state"][-1] == State.STANDBY and not up["fault"].any()
    numbers = loop.quiet_inputs()["parameters"].copy()
    numbers[loop.law.parameters.size + loop.sphere.parameters.starts["sphere_bandwidth"]] = np.nan  # type: ignore[attr-defined]
    turning = {**up.end, "omega_S": np.array([0.0, 0.0, 0.4]), "omega_wheel": _rolling(0.4)}
    run = atlas().run(Scenario(automatic=False, inputs={"parameters": numbers}), 6.0, turning, every=10)
    assert all(np.isfinite(run[c]).all() for c in ATLAS_CHANNELS) and np.isfinite(run["tau_motor"]).all()
    assert set(run["fault"]) == {float(Fault.GUARD_SPHERE)} and State.ABORT in set(run["state"])
    spin = np.linalg.norm(np.column_stack([run[f"sphere_omega_{a}"] for a in "xyz"]), axis=1)
    assert spin[0] > 0.3 and spin[-1] < 0.02


def _rolling(spin: float) -> Any:
    """Speeds of wheels that roll on a sphere which turns about z."""
    return np.asarray(ATLAS.J_omega) @ np.array([0.0, 0.0, spin])


def test_a_broken_law_of_the_stage_holds_it_and_brings_the_sphere_to_rest() -> None:
    loop, up = atlas().loop, atlas_up()
    numbers = loop.quiet_inputs()["parameters"].copy()
    numbers[loop.law.parameters.starts["k_p"]] = np.nan
    turning = {**up.end, "omega_S": np.array([0.0, 0.0, 0.4]), "omega_wheel": _rolling(0.4)}
    run = atlas().run(Scenario(automatic=False, inputs={"parameters": numbers}), 6.0, turning, every=10)
    assert all(np.isfinite(run[c]).all() for c in ATLAS_CHANNELS) and np.isfinite(run["tau_motor"]).all()
    assert run["fault"][-1] == Fault.GUARD_NUMBER and run["state"][-1] == State.HELD
    spin = np.linalg.norm(np.column_stack([run[f"sphere_omega_{a}"] for a in "xyz"]), axis=1)
    assert spin[0] > 0.3 and spin[-1] < 0.02


@pytest.mark.long("compiles a sphere once more")
def test_a_broken_law_of_ones_own_below_a_sphere_is_stopped() -> None:
    run = Runner(AtlasLoop.of(ATLAS, load_platform(ATLAS.stage), ATLAS_CHANNELS, BREAKING), ("tau_motor",)).run(
        Scenario(automatic=False, inputs={"parameters": np.concatenate(
            [broken(Broken.NAN)["parameters"], atlas().loop.sphere.parameters.vector()]  # type: ignore[attr-defined]
        )}), 1.0, every=10,
    )  # fmt: skip
    assert all(np.isfinite(run[c]).all() for c in ATLAS_CHANNELS)
    assert run["fault"][-1] == Fault.GUARD_NUMBER and run["state"][-1] == State.HELD


def test_the_guard_of_the_interpreter_is_that_of_machine_code() -> None:
    kernel = breaking_loop(load_platform("simona")).guard.kernel
    given: dict[str, Any] = {p.name: np.zeros(p.dims) for p in kernel.inputs} | {
        "sound": 1.0,
        "valve_cmd_law": np.full(6, np.nan),
    }
    for a, b in zip(compile(kernel)(**given), compile(kernel, "python")(**given), strict=True):
        np.testing.assert_array_equal(a, b)


def test_requests_to_a_stopped_law_change_nothing() -> None:
    run = ran("simona", Broken.NAN, requests={AT + 0.3: Request.DRIVE, AT + 0.4: Request.LOWER})
    assert run["state"][-1] == State.HELD and not run["valve_cmd"][-1].any()
