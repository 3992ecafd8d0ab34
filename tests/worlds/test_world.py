"""Words of worlds that Python, the page and recordings share."""

from typing import Any

import pytest

from motionbase.errors import UsageError
from motionbase.record.cueing import cued_schema
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel
from motionbase.record.world import KEYS, WORLD, worldly_schema
from motionbase.worlds.world import Control


def test_channels_of_a_world_follow_those_of_a_base() -> None:
    own = (Channel("control_rudder", "-", "rudder", "controls"),)
    base = cued_schema(hexapod_schema())
    schema = worldly_schema(base, own)
    assert schema.channels == (*base.channels, *WORLD, *own)
    assert len(schema.index) == len(schema.channels)


def test_keys_fit_into_the_bits_of_a_number() -> None:
    assert len(set(KEYS)) == len(KEYS) <= 32


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": "Rudder!"}, "its name must be lower-case letters"),
        ({"least": 1.0}, "least, rest and most are 1.0, 0.0, 1.0; they must be finite and ascend"),
        ({"rest": 2.0}, "must be finite and ascend"),
        ({"most": float("inf")}, "must be finite and ascend"),
        ({"rest": float("nan")}, "must be finite and ascend"),
        ({"seconds": 0.0}, "seconds is 0.0, it must be finite and above 0"),
        ({"keys": (None, "Up")}, "no key 'Up'; there are ArrowUp, ArrowDown"),
        ({"keys": ("KeyA",)}, "keys and buttons are pairs"),
        ({"axis": 8}, "axis is 8, it must be 0 to 7"),
        ({"buttons": (None, -1)}, "button is -1, it must be 0 to 23"),
    ],
)
def test_a_control_that_could_not_be_moved_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Control(**{"name": "rudder", "text": "rudder", **given})
