"""For cli/kinematics*.py only, until they import these from options themselves."""

from motionbase.cli.options import PICTURES, check_writable

__all__ = ["PICTURES", "check_writable"]
