"""The record of a multibody model: names of its channels whatever the model calls its parts."""

from hypothesis import given
from hypothesis import strategies as st

from motionbase.record.model import model_names, model_schema
from motionbase.record.schema import Schema

NAMES = st.lists(st.from_regex(r"[A-Za-z][A-Za-z0-9_.]{0,80}", fullmatch=True), max_size=6, unique=True)


def test_channels_of_a_model() -> None:
    schema = model_schema("Robot 6", [("j1", "rad"), ("Slide.1", "m")], ["link1"])
    assert schema.name == "model_robot_6"
    units = {c.name: c.unit for c in schema.channels}
    assert [c.name for c in schema.channels[:4]] == ["t", "tick", "j1_ref", "slide_1_ref"]
    assert units["j1_torque"] == "N m" and units["slide_1_torque"] == "N" and units["slide_1_speed"] == "m/s"
    assert schema.groups["bodies"] == tuple(f"link1_{part}" for part in ("x", "y", "z", "qw", "qx", "qy", "qz"))
    assert schema.groups["positions"] == ("j1", "slide_1")
    fault = schema.channels[schema.place("fault")]
    assert fault.meaning(3) is not None and "controller" in str(fault.meaning(3))
    assert Schema.from_json(schema.json) == schema


@given(NAMES, NAMES)
def test_no_names_of_parts_give_a_channel_twice(joints: list[str], bodies: list[str]) -> None:
    """The schema itself refuses two channels of one name, and letters that a channel must not have."""
    schema = model_schema("m", [(name, "rad") for name in joints], bodies)
    names = model_names(joints, bodies)
    assert all(names.joints[name] in schema.index for name in joints)
    assert all(f"{names.bodies[name]}_qw" in schema.index for name in bodies)
