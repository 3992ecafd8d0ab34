"""What pages are told of controls is what steers: ends of keys and buttons, in order, and axes."""

from motionbase.console.models import WorldControl
from motionbase.worlds.scene import shown_controls
from motionbase.worlds.world import Control

LEVER = Control("flaps", "flaps", least=0.0, keys=(None, "KeyF"), buttons=(4, None), axis=5, springs=False)


def test_a_page_is_told_what_moves_a_control_to_which_end() -> None:
    (told,) = shown_controls([LEVER])
    control = WorldControl.model_validate(told)
    assert (control.name, control.channel) == ("flaps", "control_flaps")
    assert (control.least, control.rest, control.most, control.springs) == (0.0, 0.0, 1.0, False)
    assert control.keys == [None, "KeyF"] and control.buttons == [4, None]
    assert (control.axis, control.turned, control.gamepad) == (5, False, "right trigger")
