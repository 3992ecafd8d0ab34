import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.errors import SchemaError
from motionbase.record.axes import DOFS
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel, Schema


def test_standard_record_has_178_doubles_and_fills_64_MB_as_the_paper_says() -> None:
    schema = hexapod_schema()
    assert len(schema.channels) == 178
    capacity = 64_000_000 // schema.record_bytes
    assert capacity == 44_943
    assert 7 * 60 <= capacity / 100 <= 8 * 60  # "about seven minutes" at 100 Hz
    assert 44 < capacity / 1000 < 46  # "approximately 45 seconds" at 1 kHz


def test_standard_record_is_whole_for_every_leg_and_axis() -> None:
    schema = hexapod_schema()
    for leg in range(1, 7):
        mine = [c.name.removeprefix(f"leg{leg}_") for c in schema.channels if c.leg == leg]
        first = [c.name.removeprefix("leg1_") for c in schema.channels if c.leg == 1]
        assert [n.replace(str(leg), "1") for n in mine] == first
    per_dof = [sum(c.dof == dof for c in schema.channels) for dof in DOFS]
    assert per_dof == [10] * 6
    assert all(c.unit.startswith("rad") for c in schema.channels if c.dof in DOFS[3:])


def test_json_round_trip_and_hash() -> None:
    schema = hexapod_schema()
    again = Schema.from_json(schema.json)
    assert again == schema and again.hash == schema.hash
    other = Schema("hexapod", (*schema.channels[:-1], Channel("last", "-", "another", "timing")))
    assert other.hash != schema.hash


def test_unknown_channel_suggests() -> None:
    with pytest.raises(SchemaError, match="no channel 'l_meas'; channels: leg1_l_meas, leg2_l_meas"):
        hexapod_schema().place("l_meas")


T = Channel("t", "s", "time", "time")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Channel("Big", "s", "x", "g"), "name 'Big' must be lower-case"),
        (lambda: Channel("a", "", "x", "g"), "unit is ''"),
        (lambda: Channel("a", "s", "x", "g", leg=7), "leg 7"),
        (lambda: Channel("a", "s", "x", "g", dof="up"), "dof 'up'"),
        (lambda: Schema("s", ()), "0 channels"),
        (lambda: Schema("s", (Channel("a", "s", "x", "g"),)), "it must be 't'"),
        (lambda: Schema("s", (T, Channel("a", "m", "x", "g"), Channel("a", "m", "x", "g"))), "two channels"),
        (lambda: Schema("S S", (T,)), "its name must be"),
        (lambda: Schema.from_json("{"), "not JSON"),
        (lambda: Schema.from_json("[]"), "must be an object"),
        (lambda: Schema.from_json('{"name": "s", "channels": [1]}'), "channel 0 of the schema is 1"),
        (lambda: Schema.from_json('{"name": "s", "channels": [{"name": "t"}]}'), "its keys are"),
    ],
)
def test_bad_schemas_get_a_sentence(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(SchemaError, match=message):
        make()


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)
    )
)
def test_any_json_is_a_schema_or_an_error(value: object) -> None:
    wrapped = {"name": "s", "channels": [value, {"name": "t", "unit": value, "group": value, "leg": value}]}
    for text in (json.dumps(value), json.dumps(wrapped)):
        with pytest.raises(SchemaError):
            Schema.from_json(text)


def test_codes_and_bits_say_what_numbers_mean() -> None:
    schema = Schema.from_json(hexapod_schema().json)
    channels = {c.name: c for c in schema.channels}
    assert channels["state"].meaning(5.0) == "drive"
    assert channels["warning"].meaning(5.0) == "host silent, dof limit" and channels["warning"].meaning(0.0) == ""
    for value in (99.0, -1.0, 0.5, float("nan"), float("inf")):
        assert channels["state"].meaning(value) is None
    assert channels["leg1_l_meas"].meaning(2.0) is None


@pytest.mark.parametrize("codes", ["ab", [], [""], [1], ["a\n"], ["a"] * 257, {"a": 1}])
def test_codes_must_be_texts(codes: object) -> None:
    channel = {"name": "a", "unit": "-", "group": "g", "codes": codes}
    text = json.dumps({"name": "s", "channels": [{"name": "t", "unit": "s", "group": "time"}, channel]})
    with pytest.raises(SchemaError, match="channel 'a': codes"):
        Schema.from_json(text)
