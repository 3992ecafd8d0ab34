"""Words of worlds that Python, the page and recordings share."""

from motionbase.record.cueing import cued_schema
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel
from motionbase.record.world import KEYS, WORLD, worldly_schema


def test_channels_of_a_world_follow_those_of_a_base() -> None:
    own = (Channel("control_rudder", "-", "rudder", "controls"),)
    base = cued_schema(hexapod_schema())
    schema = worldly_schema(base, own)
    assert schema.channels == (*base.channels, *WORLD, *own)
    assert len(schema.index) == len(schema.channels)


def test_keys_fit_into_the_bits_of_a_number() -> None:
    assert len(set(KEYS)) == len(KEYS) <= 32
