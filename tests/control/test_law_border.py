"""Borders of the law: the record, the same bits everywhere, laws of one's own, parameters by name."""

import dataclasses
from typing import Any, Literal

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Kernel, Layout, Port, compile
from motionbase.control.limits import Limiter
from motionbase.control.ports import ELSEWHERE, INPUTS, OUTPUTS, ControlPorts, channels
from motionbase.control.watchdogs import Watch
from motionbase.errors import PortError
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import Request, State
from tests.control.rig import LAW
from tests.control.test_law import CARDS


def test_every_channel_of_the_record_has_a_source() -> None:
    sources = channels()
    schema = hexapod_schema()
    assert {c.name for c in schema.channels} == sources.keys() | set(ELSEWHERE)
    assert not sources.keys() & set(ELSEWHERE)
    ports = {p.name: p for p in (*INPUTS, *OUTPUTS)}
    for channel in schema.channels:
        if channel.name in sources:
            port, place = sources[channel.name]
            assert place < ports[port].size
            unit = ports[port].unit
            assert channel.unit == unit or "," in unit, channel.name
    assert len(set(sources.values())) == len(sources)


def tick_arguments() -> dict[str, np.ndarray]:
    """A tick of the session in drive, with noise on what is measured."""
    rng = np.random.default_rng(5)
    arrays = compile(LAW.program).arrays()
    arguments = {p.name: arrays[p.name] for p in LAW.program.inputs}
    x = LAW.initial_state()
    for name, value in {"state": 5, "started": 1, "live": 1, "mode": 1, "quiet": 0, "latch": 0}.items():
        LAW.state.part(x, name)[:] = value
    LAW.state.part(x, "settings")[:] = CARDS.ravel()
    LAW.state.part(x, "generator_ticks")[:] = 1234
    LAW.state.part(x, "generator_stop")[:] = np.inf
    l = LAW.platform.l_neutral
    LAW.state.part(x, "l_cmd")[:] = l
    LAW.state.part(x, "leg_before")[:: Limiter.layout.size] = l
    LAW.state.part(x, "watch").reshape(6, Watch.layout.size)[:, [0, 8]] = l[:, None]
    arguments |= {
        "parameters": LAW.parameter_vector(), "x": x, "mode": np.asarray(1.0), "l_meas": l + 1e-4 * rng.normal(size=6),
        "p_cap": 8e6 + 1e5 * rng.normal(size=6), "p_rod": np.full(6, 7e6), "p_supply": np.asarray(16e6),
        "p_return": np.asarray(5e5), "l_dot_meas": 0.1 * rng.normal(size=6),
    }  # fmt: skip
    return arguments


@pytest.mark.parametrize("target", ["python", "c"])
def test_same_bits_on_every_target(target: Literal["python", "c"]) -> None:
    arguments = tick_arguments()
    llvm, other = compile(LAW.program), compile(LAW.program, target)
    asked = Request.STANDBY
    for state in State:
        LAW.state.part(arguments["x"], "state")[:] = state
        arguments["request"] = np.asarray(float(asked if state is not State.DRIVE else Request.NONE))
        wanted = llvm(**arguments)
        if state is State.DRIVE:
            assert wanted[3] == State.DRIVE and np.abs(wanted[1]).max() > 0
        for port, got, want in zip(LAW.program.outputs, other(**arguments), wanted, strict=True):
            np.testing.assert_array_equal(got, want, err_msg=f"{port.name} in {state.name}")


def test_same_bits_on_lanes() -> None:
    arguments = tick_arguments()
    wanted = compile(LAW.program)(**arguments)
    lanes = compile(LAW.program, lanes=4)
    wide = {name: np.repeat(np.asarray(a)[..., None], 4, axis=-1) for name, a in arguments.items()}
    wide["request"][..., 1] = Request.FREEZE  # lanes in different states do not disturb each other
    for got, want in zip(lanes(**wide), wanted, strict=True):
        for lane in (0, 2, 3):
            np.testing.assert_array_equal(got[..., lane], want)


def test_law_of_ones_own_is_checked() -> None:
    ControlPorts.check(LAW.program)
    with pytest.raises(PortError, match="control law 'mine': input .*request.* is missing"):
        ControlPorts.check(Kernel("mine", (), (), lambda: ()))
    fewer = dataclasses.replace(LAW.program, outputs=LAW.program.outputs[:-1])
    with pytest.raises(PortError, match="output .*f_ff.* is missing"):
        ControlPorts.check(fewer)


def test_parameters_are_named_and_unknown_ones_refused() -> None:
    vector = LAW.parameter_vector(k_p=12.5, dof_velocity=np.arange(1.0, 7.0))
    assert LAW.parameters.part(vector, "k_p")[0] == 12.5
    np.testing.assert_array_equal(LAW.parameters.part(vector, "dof_velocity"), np.arange(1.0, 7.0))
    with pytest.raises(PortError, match="no quantity 'kp'; there are: dof_position"):
        LAW.parameter_vector(kp=1.0)
    with pytest.raises(PortError, match="quantity 'k_p' has 1 numbers, 2 were given"):
        LAW.parameter_vector(k_p=[1.0, 2.0])


def proportional(p: dict[str, ca.SX]) -> dict[str, ca.SX]:
    """Legs to one length, and how long that has been going on."""
    return {"x_next": p["x"] + 1, "valve_cmd": p["parameters"][0] * (p["parameters"][1] - p["l_meas"])}


GAIN = Layout((Port("gain", (), "1/m", "of the length", start=2.0), Port("l_0", (), "m", "length", start=2.5)))
TICKS = Layout((Port("ticks", (), "-", "since the start"),))


def test_law_as_a_python_function() -> None:
    mine = ControlPorts.law("proportional", proportional, GAIN, TICKS)
    ControlPorts.check(mine)
    run = compile(mine)
    arrays: dict[str, Any] = run.arrays()
    arrays["parameters"][:], arrays["x"][:], arrays["l_meas"][:] = GAIN.vector(), 4.0, 2.4
    run.bind(**arrays)()
    np.testing.assert_allclose(arrays["valve_cmd"], 0.2)
    assert arrays["x_next"] == 5.0 and arrays["f_ff"].sum() == 0.0


def test_law_as_a_function_must_give_known_outputs() -> None:
    wrong = ControlPorts.law("wrong", lambda p: {"x_next": p["x"], "valve": p["l_meas"]}, GAIN, TICKS)
    with pytest.raises(PortError, match="control law 'wrong': it returns 'valve', which is not an output; .*valve_cmd"):
        _ = wrong.trace


GARBAGE = np.array([np.nan, np.inf, -np.inf, 1e300, -1e300, 1e9, -1e-300, 0.0])


@pytest.mark.parametrize("state", [State.STANDBY, State.ENGAGING, State.DRIVE, State.SETTLING, State.ABORT, State.HELD])
def test_garbage_never_reaches_a_valve(state: State) -> None:
    """Any input may be anything: commands stay numbers within -1 to 1 and their rate, and the state heals."""
    rng = np.random.default_rng(int(state))
    run = compile(LAW.program)
    arrays = run.arrays()
    good = tick_arguments()
    LAW.state.part(good["x"], "state")[:] = state
    for name, value in good.items():
        arrays[name][...] = value
    bound = run.bind(**arrays)
    rate = LAW.parameters.find("valve_rate_max").start_values[0]
    before = np.zeros(6)
    for tick in range(400):
        for port in LAW.program.inputs[2:]:
            spoilt = rng.random(port.array_shape) < (0.05 if tick < 200 else 0.0)
            arrays[port.name][...] = np.where(spoilt, rng.choice(GARBAGE, port.array_shape), good[port.name])
        bound()
        u = arrays["valve_cmd"].copy()
        assert np.isfinite(u).all() and np.abs(u).max() <= 1.0
        assert np.abs(u - before).max() <= rate * LAW.dt * (1 + 1e-9)
        before = u
        arrays["x"][:] = arrays["x_next"]
    finite = np.isfinite(arrays["x"])
    finite[LAW.state.starts["generator_stop"]] = True  # infinite until the drive is told to stop
    assert finite.all(), [f.name for f in LAW.state.ports if not np.isfinite(LAW.state.part(arrays["x"], f.name)).all()]
    for port in LAW.program.outputs[1:]:
        assert np.isfinite(arrays[port.name]).all(), port.name
    assert arrays["state"] in (State.HELD, State.OFF, State.ABORT, State.STOPPING)
