"""Quantities: one rule for names and texts, and bounds that are told with the value."""

import math

import pytest

from motionbase.compile import Port, Struct, q
from motionbase.errors import SchemaError
from motionbase.record.axes import DOFS, unit_of
from motionbase.record.hexapod import QUANTITIES, hexapod_schema
from motionbase.record.quantity import LONGEST, Quantity, Setting

SPEED = Setting("speed", "m/s", "of a leg", 0.0, 2.0)


@pytest.mark.parametrize(
    ("name", "unit", "text", "sentence"),
    [
        ("1st", "m", "x", "quantity '1st': a name is up to 64 letters, digits and _, a letter first"),
        ("a" * 65, "m", "x", "a name is up to 64 letters"),
        (None, "m", "x", "quantity None: a name is"),
        ("l", 3, "x", "quantity 'l': its unit is 3, a text of 0 to 1000 letters is wanted"),
        ("l", "m", "x" * (LONGEST + 1), "its description is 'xxx"),
    ],
)
def test_words_that_cannot_be(name: str, unit: str, text: str, sentence: str) -> None:
    with pytest.raises(SchemaError, match=sentence):
        Quantity(name, unit, text)


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        (SPEED, 2.0, ""),
        (SPEED, 2.0000001, "speed is 2.0000001 m/s, it must be 0 to 2"),
        (SPEED, math.nan, "speed is nan m/s, it must be 0 to 2"),
        (Setting("tones", "-", "", 0, 32, True), 1.5, "tones is 1.5, it must be a whole number"),
        (Setting("tones", "-", "", 0, 32, True), 33, "tones is 33, it must be 0 to 32"),
    ],
)
def test_settings_tell_value_unit_and_bounds(setting: Setting, value: float, sentence: str) -> None:
    assert setting.problem(value) == sentence


def test_a_port_takes_unit_and_text_from_the_record() -> None:
    class Readings(Struct):
        l_meas: object = q(QUANTITIES["l_meas"], 6)
        p_cap: object = q(QUANTITIES["p_cap"], text="of one leg")

    assert Readings.layout.find("l_meas") == Port("l_meas", 6, "m", "measured length, joint to joint")
    assert str(Readings.layout.find("p_cap")) == "p_cap (scalar) [Pa]"
    assert Readings.layout.find("p_cap").description == "of one leg"


def test_units_of_axes_are_those_of_the_record() -> None:
    schema = hexapod_schema()
    for dof in DOFS:
        for order, suffix in enumerate(("", "_dot", "_ddot")):
            assert schema.channels[schema.place(f"cmd_{dof}{suffix}")].unit == unit_of(dof, order)
