"""Registers against numbers packed by hand, set-ups in TOML, and sentences about what cannot be."""

import struct
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.errors import MotionBaseError, UsageError
from motionbase.rig.power.registers import Block, Register, Type, blocks
from motionbase.rig.power.setup import Alarm, PowerSetup, RtuLine, SimulatedLine, TcpLine
from tests.rig.power.bench import TEXT, changed, setup_of


@pytest.mark.parametrize(
    ("register", "words", "value"),
    [
        (Register(0), [0xFFFE], 65534.0),
        (Register(0, type="i16"), [0xFFFE], -2.0),
        (Register(0, type="u32"), [1, 2], 65538.0),
        (Register(0, type="u32", words="little"), [1, 2], 131073.0),
        (Register(0, type="i32"), [0xFFFF, 0xFFFF], -1.0),
        (Register(0, type="f32"), [0x4148, 0x0000], 12.5),
        (Register(0, type="f32", words="little"), [0x0000, 0x4148], 12.5),
        (Register(0, scale=0.1, unit="bar"), [1605], 160.5e5),
        (Register(0, type="i16", scale=0.1, unit="degC"), [0xFFCE], 268.15),  # -5 degC
        (Register(0, scale=1.0, unit="degF"), [212], 373.15),
        (Register(0, scale=0.5, offset=-10.0, unit="kPa"), [100], 40e3),  # 4 to 20 mA and the like
        (Register(0, unit="psi"), [1], 6894.757293168361),
        (Register(0, unit="%"), [45], 0.45),
        (Register(0, kind="coil"), [1], 1.0),
        (Register(0, bit=4), [0b10000], 1.0),
        (Register(0, bit=4), [0b01111], 0.0),
    ],
)
def test_values_by_hand(register: Register, words: list[int], value: float) -> None:
    assert register.value(words) == pytest.approx(value, rel=1e-12)
    assert register.encoded(value) == ([0b10000 * int(value)] if register.bit else words)


@given(st.sampled_from(get_args(Type)), st.sampled_from(["big", "little"]), st.integers(0, 2**32 - 1))
def test_every_word_is_a_number_and_comes_back(kind: Any, words: Any, bits: int) -> None:
    register = Register(0, type=kind, words=words)
    packed = struct.pack(">I", bits)[4 - 2 * register.size :]
    given = list(struct.unpack(f">{register.size}H", packed))
    value = register.value(given)
    if np.isfinite(value):
        assert register.encoded(value) == given or value == 0.0  # minus zero


def test_values_beyond_the_type_are_its_ends() -> None:
    assert Register(0).encoded(-5.0) == [0] and Register(0).encoded(1e6) == [0xFFFF]
    assert Register(0, type="i16").encoded(-1e6) == [0x8000]


def test_neighbours_are_read_together_and_gaps_are_not_asked_for() -> None:
    found = blocks(
        {"a": Register(5, "input", "u32"), "b": Register(7, "input"), "c": Register(9, "input"),
         "d": Register(7, "holding"), "e": Register(6, "input")}
    )  # fmt: skip
    assert found == (
        Block("holding", 7, 1, ("d",)), Block("input", 5, 3, ("a", "e", "b")), Block("input", 9, 1, ("c",)),
    )  # fmt: skip
    many = blocks({str(k): Register(k) for k in range(250)})
    assert [block.count for block in many] == [100, 100, 50]


def test_a_whole_setup() -> None:
    setup = setup_of()
    assert setup.line == SimulatedLine() and setup.device == 1 and setup.period == 0.02
    assert setup.registers["return"] == Register(1, "input", "f32", "little", unit="kPa")
    assert setup.alarms == (Alarm(0, "motor overload"), Alarm(3, "filter is dirty", stops=False))
    assert setup.limits.hot == 338.15 and "run" not in setup.readings and "alarms" in setup.readings


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("tcp:192.168.1.50", TcpLine("192.168.1.50", 502)),
        ("tcp:hpu.lab:1502", TcpLine("hpu.lab", 1502)),
        ("tcp:[::1]:502", TcpLine("::1", 502)),
        ("rtu:/dev/ttyUSB0", RtuLine("/dev/ttyUSB0", 19200, "E", 1)),
    ],
)
def test_lines(line: str, found: object) -> None:
    assert setup_of(TEXT.replace('"simulated"', f'"{line}"')).line == found


def test_a_serial_line_in_full() -> None:
    text = TEXT.replace('"simulated"', '"rtu:/dev/ttyS1"\nbaud = 9600\nparity = "N"\nstop_bits = 2')
    assert setup_of(text).line == RtuLine("/dev/ttyS1", 9600, "N", 2)


RUN = 'run         = { address = 2, kind = "coil" }'


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('line = "simulated"\n', "", r"line 2: \[power\] needs the key 'line'"),
        ('"simulated"', '"telnet:hpu"', r"line 3: power.line is 'telnet:hpu', 'tcp:HOST', .* is wanted"),
        ('"simulated"', '"tcp:hpu:99999"', "power.line is"),
        ('"simulated"', '"tcp:"', "power.line is"),
        ('"simulated"', "3", "power.line is 3, a text is wanted"),
        ('"simulated"', '"tcp:hpu"\nbaud = 9600', "baud belongs to a serial line, and line is 'tcp:hpu'"),
        ('"simulated"', '"rtu:/dev/ttyS0"\nbaud = 96', "baud is 96, 300 to 4000000 are possible"),
        ('"simulated"', '"rtu:/dev/ttyS0"\nbaud = 9.6', "power.baud is 9.6, a whole number is wanted"),
        ('"simulated"', '"rtu:/dev/ttyS0"\nparity = "X"', "power.parity is 'X', E, O or N is wanted"),
        ('"simulated"', '"rtu:/dev/ttyS0"\nstop_bits = 3', "stop_bits is 3, it must be 1 or 2"),
        ("period = 0.02", "period = 0.001", "period is 0.001 s, it must be 0.02 to 60 s"),
        ("period = 0.02", "period = 3.0", "patience is 5 s, it must be at least two periods, 6 s"),
        ("period = 0.02", "periode = 0.02", "no key 'periode'.*did you mean 'period'"),
        ("period = 0.02", "device = 300", "device is 300, 0 to 247 are possible"),
        ("period = 0.02", "device = true", "power.device is True, a whole number is wanted"),
        ("timeout = 2.0", "timeout = nan", "power.timeout is nan, a finite number is wanted"),
        ("supply      =", "supplyy     =", r"no key 'supplyy'"),
        (
            RUN,
            'run = { address = 2, kind = "discrete" }',
            "'run': its kind is discrete, which cannot be written",
        ),
        (
            RUN,
            'run = { address = 2, type = "u32" }',
            "'run': a command is a coil or a whole register of 16",
        ),
        (RUN, "run = { address = 2, on = 0 }", "on is 0; a coil takes 1, a register 1 to 65535"),
        (RUN, "run = { address = -2 }", "address is -2, it must be 0 to 65535"),
        (RUN, "run = { address = 40001.5 }", "address is 40001.5, a whole number is wanted"),
        (
            RUN,
            'run = { address = 2, kind = "coyl" }',
            "kind is 'coyl', one of holding, input, coil, discrete",
        ),
        (RUN, "run = 2", r"power.registers.run is 2, a table, .* is wanted"),
        ("address = 20, ", "address = 65536, ", "address is 65536, it must be 0 to 65535"),
        ('unit = "bar"', 'unit = "baar"', "unit of a register 'baar'.*bar"),
        ('unit = "bar"', 'unit = "degC"', "register 'supply': its unit is 'degC', a unit of pressure is needed"),
        ('scale = 0.1, unit = "bar"', 'scale = 0, unit = "bar"', "scale is 0.0 and offset is 0.0"),
        ('scale = 0.1, unit = "bar"', 'bit = 16, unit = "bar"', "bit is 16; bits 0 to 15"),
        ('type = "u32" }', 'type = "f32" }', "register 'alarms': .* its type must be u16 or u32"),
        ('address = 20, kind = "holding"', 'address = 20, kind = "coil"', "'heartbeat': it counts"),
        ('0 = "motor overload"', '32 = "motor overload"', "power.alarms.32: an alarm is a bit of the word, 0 to 31"),
        ('0 = "motor overload"', 'x = "motor overload"', "power.alarms.x: an alarm is a bit"),
        ('0 = "motor overload"', "0 = 7", "power.alarms.0 is 7, a table"),
        ("least_pressure = 120e5\n", "", "needs the key 'least_pressure'"),
        ("least_pressure = 120e5", "least_pressure = 120", "least_pressure is 120 Pa, it must be 10000 to 1e.08 Pa"),
        ("hot = 338.15", "hot = 65", "hot is 65 K, it must be 273.15 to 423.15 K"),
        ("hot = 338.15", "hot = 328.15", "warm is 328.15 K, it must be below hot, 328.15 K"),
        ("least_level = 0.3", "least_level = 30", "least_level is 30, it must be 0 to 1"),
        ("level       =", "#", "the limit least_level needs a register of 'level'"),
        ("alarms      =", "#", "texts of alarms need a register of 'alarms'"),
    ],
)
def test_what_cannot_be(old: str, new: str, says: str) -> None:
    assert old in TEXT
    with pytest.raises(MotionBaseError, match=says) as caught:
        setup_of(TEXT.replace(old, new))
    assert "rig.toml, line" in str(caught.value) and "\n" not in str(caught.value)


def test_a_setup_made_in_python_is_checked_too() -> None:
    with pytest.raises(UsageError, match="the register of 'running' is needed"):
        changed(registers={"supply": Register(0, unit="Pa")})
    with pytest.raises(UsageError, match="register of a power unit 'level2'"):
        changed(registers={**setup_of().registers, "level2": Register(0)})
    assert isinstance(changed(name="HPU"), PowerSetup)
