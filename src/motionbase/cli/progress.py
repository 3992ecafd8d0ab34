"""For cli/kinematics*.py only, until they import it from terminal themselves."""

from motionbase.cli.terminal import progress_bar as fraction_bar

__all__ = ["fraction_bar"]
