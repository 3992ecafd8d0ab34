"""A helicopter in free flight under its stabiliser, alone and with its tail rotor as a second run."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest

from motionbase.executive.exchange import Exchange
from motionbase.executive.executive import Executive, Mode
from motionbase.executive.model.code import ModelCode
from motionbase.executive.model.orders import Timing
from motionbase.executive.model.rotor import Rotor
from motionbase.executive.model.run import ModelRun
from motionbase.executive.model.tail import FADE_S, HOLD_S, partner_of
from motionbase.record.faults import ModelWarningBit
from motionbase.ring.backend import find
from motionbase.ring.names import TAIL
from motionbase.ring.reader import Reader
from motionbase.ring.writer import Writer
from motionbase.rotor.flight.flying import Flying
from motionbase.rotor.models.library import rotor_model
from motionbase.rotor.running.of_model import operated
from motionbase.rotor.running.tail import tail_of, told
from tests.executive.model.rig import Rig, stepped

STEP = 2.5e-3
G = 9.81


@cache
def helicopter() -> ModelCode:
    """That can have its tail rotor in another run."""
    rotor = operated(rotor_model("puma", free=True))
    return ModelCode.of(Rotor(rotor, partner_of("puma")), Timing(STEP, 0.05, True))


@cache
def tail() -> ModelCode:
    rotor = told(tail_of("puma"))
    return ModelCode.of(Rotor(rotor), Timing(rotor.step, 0.1, False))


class Pair:
    """Both runs, in step with each other."""

    def __init__(self, rig: Rig, run: ModelRun, executive: Executive, reader: Reader) -> None:
        self.rig, self.run, self.executive, self.reader = rig, run, executive, reader
        self._due = 0.0

    def step(self, seconds: float, *, alone: bool = False) -> np.ndarray:
        """The main rotor's records; `alone`: the tail rotor stands still."""
        rows = []
        for _ in range(round(seconds / STEP)):
            rows.append(self.rig.step(STEP, every=1))
            self._due += STEP / self.run.code.timing.dt
            ticks, self._due = int(self._due), self._due % 1.0
            if not alone:
                self.run.listen()
                self.executive.step(ticks)
        return np.concatenate(rows)


@contextmanager
def both() -> Iterator[Pair]:
    """Main rotor and tail rotor, which meet in shared memory as two processes do."""
    code, form = tail(), helicopter().plant.partner_form
    assert form is not None
    with (
        Exchange.made(find("rig"), form.blocks, TAIL) as ours,
        stepped(helicopter(), partner=ours) as rig,
        Exchange.attached(find("rig"), TAIL) or pytest.fail("it is there") as theirs,
        Writer(code.plant.schema, name="rig-tail", capacity=20_000, dt=code.timing.dt) as writer,
    ):
        run = ModelRun(code, writer, print, exchange=theirs)
        executive = Executive(run.schedule, writer, Mode.STEPPED, channels=run.shown, clock=run.clock)
        with Reader("rig-tail", start="oldest", batch=20_000) as reader, executive:
            yield Pair(rig, run, executive, reader)


def mean(rig: Rig, rows: np.ndarray, name: str) -> float:
    return float(rig.of(rows, name).mean())


@pytest.mark.long("compiles a helicopter, and flies it until it hovers")
def test_it_hovers_where_a_run_begins() -> None:
    rotor = rotor_model("puma", free=True)
    with stepped(helicopter()) as rig:
        rows = rig.step(8.0)
    assert not rig.of(rows, "fault").any() and rig.of(rows, "unsolved").max() == 0
    for name, most in (("forward", 0.5), ("leftward", 0.5), ("climb", 0.1), ("yaw", 0.01)):  # it hovered for 24 s
        assert np.abs(rig.of(rows, name)).max() < most, name
    pitch, roll = rig.of(rows, "pitch"), rig.of(rows, "roll")
    up = np.sin(pitch), np.cos(pitch) * np.sin(roll), np.cos(pitch) * np.cos(roll)
    names = "force_x", "force_y", "thrust"
    force = np.sum([part * rig.of(rows, name) for part, name in zip(up, names, strict=True)], axis=0)
    # with what the tail rotor's lean adds it is the weight, as the climb changes by less than 0.1 m/s in 8 s
    lifted = float(force.mean()) - float((up[1] * rig.of(rows, "tail_thrust")).mean())
    assert lifted == pytest.approx(rotor.weight, rel=0.1 / 8 / G)
    assert set(rig.of(rows, "tail_fallback")) == {1.0}  # nobody is there: the thrust is that which is asked for
    np.testing.assert_array_equal(rig.of(rows, "tail_thrust"), rig.of(rows, "tail_acts"))
    # about the centre of mass the tail rotor holds the torque, but for what a few hundred newtons of side force add
    lever = 9.0 + 0.061
    assert mean(rig, rows, "tail_thrust") * lever == pytest.approx(mean(rig, rows, "torque"), rel=0.02)


@pytest.mark.long("flies for seconds")
def test_it_goes_where_its_set_points_say() -> None:
    with stepped(helicopter()) as rig:
        before = rig.step(1.0)
        rig.tune("pitch_set", -0.05)
        rig.tune("heading_set", 0.3)
        rig.tune("climb_set", 2.0)
        rows = rig.step(14.0)
        assert mean(rig, rows[-400:], "pitch") - mean(rig, before, "pitch") == pytest.approx(-0.05, abs=0.01)
        assert rig.of(rows, "yaw")[-1] == pytest.approx(0.3, abs=0.02)
        assert rig.of(rows, "climb")[-1] == pytest.approx(2.0, abs=0.2)
        speeds = rig.of(rows, "forward")
        # nose-down by 0.05: thrust pulls with 0.05 g once it is there, less a little drag
        gained = (speeds[-1] - speeds[-1200]) / (1199 * STEP)
        assert gained == pytest.approx(0.05 * G, rel=0.15)
        rig.tune("stabilised", 0.0)  # a helicopter alone does not stay: what the law does is needed
        rows = rig.step(10.0)
    assert abs(rig.of(rows, "pitch")[-1]) + abs(rig.of(rows, "roll")[-1]) > 0.2


@pytest.mark.long("compiles a second rotor")
def test_its_tail_rotor_pushes_as_by_itself_and_its_silence_is_survived() -> None:
    with both() as pair:
        rig = pair.rig
        rows = pair.step(4.0)
        last = rows[-800:]
        assert set(rig.of(last, "tail_fallback")) == {0.0} and rig.of(last, "tail_age").max() <= 2 * STEP
        assert np.abs(rig.of(rows, "yaw")).max() < 0.1
        record = pair.run.code.plant.schema
        told_rows = np.array(pair.reader.read().rows)[-3800:]
        collective = told_rows[:, record.place("collective")].mean()
        alone = Flying.of(tail_of("puma"), pair.run.code.timing.dt).fly(1900, {"collective": collective})
        # the collective moves by hundredths of a degree and the hub by less than 0.5 m/s: below a percent each
        assert mean(rig, last, "tail_thrust") == pytest.approx(alone.loads[-950:, 2].mean(), rel=0.02)
        silent = pair.step(2.0, alone=True)
        age, share = rig.of(silent, "tail_age"), rig.of(silent, "tail_fallback")
        warned = (rig.of(silent, "warning").astype(int) & ModelWarningBit.TAIL_SILENT) != 0
        np.testing.assert_array_equal(warned, age >= HOLD_S)
        assert share[age < HOLD_S].max() == 0.0 and share[round((HOLD_S + FADE_S) / STEP) + 1] == 1.0
        thrust, asked = rig.of(silent, "tail_thrust"), rig.of(silent, "tail_acts")
        np.testing.assert_array_equal(thrust[-400:], asked[-400:])
        fastest = np.abs(np.diff(thrust)).max()
        assert fastest < 2 * STEP / FADE_S * np.abs(thrust - asked).max() + np.abs(np.diff(asked)).max()  # it fades
        assert not rig.of(silent, "fault").any() and rig.of(silent, "unsolved").max() == 0
        assert np.abs(rig.of(silent, "yaw")).max() < 0.2
        again = pair.step(1.0)
        assert rig.of(again, "tail_fallback")[-1] == 0.0 and not rig.of(again, "fault").any()
        assert pair.run.exchange is not None
        pair.run.exchange.states.put(np.full(pair.run.form.size + 2, np.nan))
        rows = pair.step(0.5, alone=True)
        assert np.isfinite(rows).all() and rig.of(rows, "tail_fallback")[-1] == 1.0
