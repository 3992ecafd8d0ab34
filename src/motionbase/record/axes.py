"""Degrees of freedom and legs: their names, and the units of their motion."""

DOFS = ("surge", "sway", "heave", "roll", "pitch", "yaw")
LINEAR, ANGULAR = DOFS[:3], DOFS[3:]
LEGS = (1, 2, 3, 4, 5, 6)  # numbers shown to users; arrays count from 0
DERIVATIVES = ("", "_dot", "_ddot")  # suffixes of a name: position, velocity, acceleration


def unit_of(dof: str, order: int = 0) -> str:
    """Unit of a degree of freedom, or of its rate (order 1) or acceleration (order 2)."""
    return ("m" if dof in LINEAR else "rad") + ("", "/s", "/s^2")[order]
