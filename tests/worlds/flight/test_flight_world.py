"""Flights as worlds: complete scripts, people at the controls, hostile controls, crashes, and no jumps."""

import json
import math

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.console.models.world import WorldScene
from motionbase.errors import UsageError
from motionbase.record.vehicle import G
from motionbase.record.world import KEY_PLACES, KEYBOARD, Hand
from motionbase.worlds.felt import to_vehicle
from motionbase.worlds.flight.aircraft import AIRCRAFT
from motionbase.worlds.flight.autopilot import attitude
from motionbase.worlds.flight.crash import SINK
from motionbase.worlds.flight.scripts import SCRIPTS, captions
from motionbase.worlds.flight.start import FINAL, LENGTH, Start
from motionbase.worlds.flight.told import CRASHED
from motionbase.worlds.flight.world import CRASHED_S, FlightWorld
from motionbase.worlds.hands.steering import GIVING_S, SILENT_S, Steering
from motionbase.worlds.library import world_url
from tests.worlds.flight.flown import by_hand, rows, scripted, world_of

OTHERS = pytest.mark.long("the same for the others")
STEP_F = 5.0  # [m/s^2] largest change within a period of 5 ms; wheels and gusts of these flights stay below


def smooth(found: Array, f: float = STEP_F, omega: float = 0.05) -> None:
    """Nothing jumps: specific force, rates, and attitude, whose change is what its rates say."""
    steps = np.abs(np.diff(found, axis=0)).max(axis=0)
    assert steps[:3].max() < f and steps[3:6].max() < omega and steps[9:11].max() < 0.02 and steps[11] < 0.05


def test_the_tour_has_what_its_captions_say() -> None:
    world = world_of("c172x")
    period, seen = scripted(world, "tour"), list[tuple[float, str]]()
    told = captions(world.aircraft)
    found = []
    for _k in range(14_000):
        period()
        found.append(world.vehicle)
        at, text = [caption for caption in told if caption[0] <= world.t][-1]
        state = world.state
        if world.t - at < 3.0:  # just begun
            continue
        if not seen or seen[-1][1] != text:
            seen.append((world.t, text))
            bank, over = attitude(state).bank, state.height - world.aircraft.tall
            if text == "Airborne":
                assert over > 15.0
            elif text.startswith("Climbing turn"):
                assert bank < -0.2 and state.v[2] > 0.5
            elif text == "Turbulence":
                assert abs(bank) < 0.3 and world._model.get("atmosphere/turb-down-fps") != 0.0
            elif text == "Final approach":
                assert -2.5 < state.v[2] < -1.0 and state.flaps == 1.0
            elif text.startswith("Touchdown"):
                assert state.wow and abs(state.p[1]) < 3.0
    assert [text for _, text in seen][-2:] == ["Touchdown, and brakes", ""] and len(seen) >= 6
    assert world.number == 2 and told[-2][0] < 62.0  # no crash; in about a minute
    smooth(np.array(found), 7.0)


@pytest.mark.long("an hour of flights in some minutes")
@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("name", AIRCRAFT)
def test_every_script_flies_every_aircraft_to_its_end_within_limits(name: str, script: str) -> None:
    """100 s in calm air, and in wind: no crash, the runway is met, and loads stay those of ordinary flight."""
    for options in ({}, {"wind": 6, "from": 40, "turbulence": "light"}):
        world = world_of(name, **options)
        period, begun = scripted(world, script), world.number
        found = rows(world, period, 100.0)
        ended = {"tour", "approach"} & {script}
        assert world.number == begun or ended, "it crashed"
        assert found[:, 2].min() > -2.0 * G and found[:, 2].max() < 6.5 * G and np.abs(found[:, :2]).max() < 20.0
        assert np.abs(found[:, 9]).max() < math.radians(62.0) and np.abs(found[:, 10]).max() < math.radians(25.0)
        smooth(found, 30.0, 0.1)  # the wheels of a fighter are stiff


@pytest.mark.parametrize("name", ["c172x", *(pytest.param(name, marks=OTHERS) for name in ("737", "f16"))])
def test_a_landing_is_on_the_runway_and_soft(name: str) -> None:
    world = FlightWorld(AIRCRAFT[name], Start(FINAL, seconds=16.0))
    world.reset()
    period, touched = scripted(world, "approach"), list[tuple[float, float, float]]()
    while world.t < 40.0 and len(touched) < 1:
        before = world.state
        period()
        if world.state.wow and not before.wow:
            touched.append((before.v[2], world.state.p[0], world.state.p[1]))
    ((sink, x, y),) = touched
    assert -0.6 * SINK < sink < 0.0 and 100.0 < x < 800.0 and abs(y) < 2.0
    assert 3.0 < world.t and not world.told[-1] == CRASHED


def test_a_person_with_a_keyboard_takes_off_and_turns() -> None:
    """W for the throttle, arrow down to lift off, arrow right for a turn; then the aids hold what there is."""
    world = world_of("c172x")
    steering, found = Steering(world.controls), []
    pressed = ((0.0, 3.0, "KeyW"), (18.0, 20.0, "ArrowDown"), (30.0, 33.0, "ArrowRight"))
    for k in range(7600):
        t = k * world.dt
        keys = sum(1 << KEY_PLACES[key] for begin, end, key in pressed if begin <= t < end)
        steering.hear("page", Hand(KEYBOARD, keys=keys), t)
        world.step(steering.step(t, world.dt))
        found.append(world.vehicle)
        if abs(t - 32.5) < 1e-6:
            assert 0.4 < attitude(world.state).bank < 0.8
    assert world.number == 1 and world.state.height > 30.0 and abs(attitude(world.state).bank) < 0.08
    smooth(np.array(found), 6.0)


@pytest.mark.parametrize("name", ["c172x", *(pytest.param(name, marks=OTHERS) for name in ("737", "f16"))])
def test_with_aids_a_stick_held_back_does_not_stall(name: str) -> None:
    """Engines idle, elevator full back: the nose comes down in time, the wings stay level."""
    world = world_of(name, start="cruise", height=2000, shake=0)
    pulls, most = by_hand(world, elevator=1.0, throttle=0.0), 0.0
    for _ in range(4000 if name == "c172x" else 12_000):
        pulls()
        most = max(most, world.state.attack)
    assert 0.5 < most / world.aircraft.shaking.stall_alpha < 1.02 and world.number == 1
    assert abs(attitude(world.state).bank) < 0.1 and world.state.v[2] > -20.0


@pytest.mark.parametrize("name", ["c172x", *(pytest.param(name, marks=OTHERS) for name in ("737", "f16"))])
def test_with_aids_it_lands_if_the_throttle_is_closed(name: str) -> None:
    """From a final approach, without a touch of anything else."""
    world = FlightWorld(AIRCRAFT[name], Start(FINAL, seconds=15.0))
    world.reset()
    throttle = world.rest.throttle
    while not world.state.wow:
        if world.state.height < world.aircraft.tall + 15.0:
            throttle = max(0.0, throttle - 0.002)
        sink = -world.state.v[2]
        by_hand(world, throttle=throttle)()
        assert world.t < 40.0
    assert world.number == 1 and sink < 0.5 * SINK and 100.0 < world.state.p[0] < 1500.0


def test_a_script_goes_on_where_a_person_left_it_and_nothing_jumps() -> None:
    world = world_of("c172x", start="cruise", shake=0)
    script, steering = world.scripts["cruise"](), Steering(world.controls)
    found = []
    for k in range(6000):
        t = k * world.dt
        if 2.0 <= t < 7.0:
            steering.hear("page", Hand(KEYBOARD, keys=(1 << KEY_PLACES["ArrowLeft"]) if t < 6.0 else 0), t)
        world.step(steering.step(t, world.dt, script(world.t)))
        found.append(world.vehicle)
        if abs(t - 5.0) < 1e-6:
            assert attitude(world.state).bank < -0.4 and world.is_steered_otherwise
    assert not world.is_steered_otherwise and 7.0 + SILENT_S + GIVING_S < world.t
    assert world.state.height == pytest.approx(600.0, abs=60.0) and abs(world.state.airspeed - 51.4) < 8.0
    smooth(np.array(found), 0.5)


@pytest.mark.parametrize("name", ["f16", *(pytest.param(name, marks=OTHERS) for name in ("c172x", "737"))])
@pytest.mark.parametrize("aids", ["on", "off"])
def test_controls_at_their_ends_end_in_sentences_never_in_jumps(
    name: str, aids: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Random ends of all controls: whatever that does to the aircraft, rows are finite and within bounds."""
    world, chance = world_of(name, start="final", aids=aids), np.random.default_rng(5)
    found = []
    for k in range(2000):
        if k % 130 == 0:
            held = [c.least if chance.random() < 0.5 else c.most for c in world.controls]
        world.step(held)
        found.append(world.vehicle)
        assert all(map(math.isfinite, (*world.vehicle, *world.place, *world.told)))
    assert np.abs(np.array(found)[:, :3]).max() <= 120.0
    said = capsys.readouterr().err.splitlines()
    assert all(line.endswith("; the flight starts again") for line in said)


def test_a_crash_brings_the_platform_level_and_the_flight_to_its_begin(capsys: pytest.CaptureFixture[str]) -> None:
    """A dive from the approach into the ground, without aids."""
    world = world_of("c172x", start="final", aids="off", shake=0)
    period = by_hand(world, elevator=-0.7, throttle=1.0)
    found = rows(world, period, 0.0 + world.dt)
    while world.told[-1] != CRASHED:
        period()
        found = np.vstack([found, world.vehicle])
        assert world.t < 30.0
    crashed_at, place = world.t, world.place
    after = rows(world, period, CRASHED_S - 0.05)
    assert world.place[:7] == place[:7] and after[-1][:3] == pytest.approx((0, 0, G), abs=0.05)
    again = rows(world, period, 3.0)
    assert world.t < 3.5 and crashed_at > 2.0 and world.number == 2
    smooth(np.vstack([found[-200:], after, again]), 1.5)
    said = capsys.readouterr().err
    assert said.startswith("Cessna 172: it hit the ground at ") and said.endswith("; the flight starts again\n")


def test_a_crash_after_a_cut_does_not_turn_the_heading_round() -> None:
    """After a full circle and a cut, the heading of the row stays near 2 pi, also during the crash."""
    world = world_of("c172x", start="cruise", shake=0, aids="off")
    world.state = world.state._replace(angles=(0.0, 0.0, 2 * math.pi))
    world._row = world._felt()
    world.cut(Start(FINAL, seconds=15.0))
    period, headings = by_hand(world, elevator=-0.5, throttle=1.0), []
    while world.t < 25.0 and world.number < 3:
        period()
        headings.append(world.vehicle[11])
    assert world.number == 3 and np.ptp(headings) < 1.0 and headings[0] == pytest.approx(2 * math.pi, abs=0.1)


@pytest.mark.parametrize(("script", "start"), [("steep", "runway"), ("stall", "final"), ("approach", "cruise")])
def test_scripts_fly_from_other_starts_than_their_own(script: str, start: str) -> None:
    world = world_of("c172x", start=start, shake=0)
    period = scripted(world, script)
    while world.t < 60.0:
        period()
        assert world.told[-1] != CRASHED
    if script == "approach":
        assert world.state.wow and abs(world.state.p[1]) < 3.0 and 0.0 < world.state.p[0] < LENGTH
    else:
        assert world.number == 1 and world.state.height > 80.0 and world.state.v[2] > 1.0


def test_fades_are_consistent() -> None:
    """Attitude of the row against its rates, and gravity against its attitude, while a cut fades at rest."""
    world = world_of("c172x", start="cruise", shake=0)
    world.scripts["tour"]()
    for _ in range(400):
        world.step((0.0, 0.6, 0.0, 0.7, 0.0, 0.0, 1.0, 0.0))
    before = np.array(world.vehicle)
    world.again()
    begins = np.array(world.vehicle)
    np.testing.assert_allclose(begins[:11], before[:11], atol=1e-9)
    found = rows(world, by_hand(world), 2.4)
    roll_rate = np.diff(found[:, 9]) / world.dt
    middle = (found[1:, 3] + found[:-1, 3]) / 2
    leftover = before[3]  # the rate of the old flight, which fades without turning anything
    assert np.abs(roll_rate - middle).max() < abs(leftover) + 0.03


@pytest.mark.parametrize("name", AIRCRAFT)
@pytest.mark.parametrize("start", ["cruise", "final"])
def test_untouched_it_flies_on_as_it_began(name: str, start: str) -> None:
    """Controls at rest, as nobody touches them: it is trimmed, and the throttle rests within 0.05 of where it trims."""
    world = world_of(name, start=start, aids="off", shake=0)
    slope, speed = world.state.v[2], world.state.airspeed
    rest = {c.name: c.rest for c in world.controls}
    assert abs(rest["throttle"] - world.rest.throttle) < 0.05 and rest["gear"] == world.rest.gear
    rows(world, by_hand(world), 5.0)
    assert abs(world.state.v[2] - slope) < 2.5 and abs(world.state.airspeed - speed) < 2.0
    assert abs(attitude(world.state).bank) < 0.05


def test_a_flight_repeats_to_the_bit() -> None:
    def flown() -> tuple[float, ...]:
        world = world_of("c172x", turbulence="light", start="cruise")
        return tuple(rows(world, scripted(world, "steep"), 3.0)[-1])

    assert flown() == flown()


def test_vibration_is_where_it_should_be() -> None:
    """Engine while it stands, wheels while it rolls, buffet near the stall; nothing of it if it is switched off."""
    world = world_of("c172x")
    still = np.std(rows(world, by_hand(world), 1.0)[:, 2])
    rolling = by_hand(world, throttle=1.0)
    rows(world, rolling, 8.0)
    rolls = np.std(rows(world, rolling, 1.0)[:, 2])
    assert 0.005 < still < 0.1 < rolls < 0.6
    stalls = world_of("c172x", start="cruise", aids="off")
    rows(stalls, by_hand(stalls, elevator=0.15, throttle=0.0), 8.0)
    pulls = by_hand(stalls, elevator=0.9, throttle=0.0)
    while stalls.state.attack < 0.9 * stalls.aircraft.shaking.stall_alpha:
        pulls()
        assert stalls.t < 14.0
    shaken = [stalls._shaken[2] for _ in range(60) if pulls() is None]
    assert 0.2 < np.std(shaken) < 2.0 and stalls.told[-4] == 1.0
    calm = world_of("c172x", shake=0)
    assert np.std(rows(calm, by_hand(calm), 1.0)[:, 2]) < 1e-3


@pytest.mark.parametrize("name", AIRCRAFT)
def test_its_scene_is_plain_json_that_names_channels_of_its_own(name: str) -> None:
    world = world_of(name)
    WorldScene.model_validate(json.loads(json.dumps(world.scene, allow_nan=False)))
    names = {c.name for c in world.channels}
    scene = world.scene
    assert {i["channel"] for i in scene["instruments"]} - {"world_qw"} <= names
    assert {p["channel"] for p in scene["parts"]} | {c["channel"] for c in scene["controls"]} <= names
    assert len(world.told) == len(world.channels) and len(world.place) == 10
    lowest = (
        min(_lowest_wheel(part) for part in scene["parts"] if "gear" in part["name"]) if world.aircraft.retracts else 0
    )
    assert not world.aircraft.retracts or lowest == pytest.approx(-world.aircraft.tall, abs=0.15)


def _lowest_wheel(part: dict[str, object]) -> float:
    """Of the shapes of a gear that is turned down by a quarter: heights of their middles less their radii."""
    p, axis = np.array(part["p"]), np.array(part["axis"])
    low = math.inf
    for shape in part["shapes"]:  # type: ignore[attr-defined]
        arm = np.array(shape["p"]) - p
        down = p + np.cross(axis, arm) + axis * (axis @ arm)
        if shape["color"] == "#26282b":
            low = min(low, down[2] - shape["size"][0])
    return low


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("flight://c172", "did you mean 'c172x'"),
        ("flight://737?wind=40", "wind is '40', it must be 0 to 15 m/s"),
        ("flight://f16?start=air", "start is 'air', it must be script or runway or final or cruise"),
        ("flight://c172x?start=cruise&height=4500", "height is 4500 m, the c172x can cruise up to 4000 m"),
        ("flight://f16?aids=yes", "aids is 'yes', it must be on or off"),
        ("flight://c172x?script=loop", "no script 'loop'"),
    ],
)
def test_what_cannot_be_is_one_sentence(text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        url = world_url(text)
        assert url is not None
        url.made()
    assert said in str(error.value)


def test_what_cannot_fly_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"flight needs JSBSim: pip install 'motionbase\[flight\]'"):
        FlightWorld(AIRCRAFT["c172x"])


def test_held_still_it_feels_gravity_in_its_attitude() -> None:
    world = world_of("737", shake=0)
    assert world.vehicle[:3] == pytest.approx(to_vehicle(world.vehicle[9:12], (0, 0, G)), abs=0.1)
