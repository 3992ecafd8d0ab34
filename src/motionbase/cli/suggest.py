"""For cli/kinematics*.py only, until they import it from errors themselves."""

from motionbase.errors import unknown as unknown
