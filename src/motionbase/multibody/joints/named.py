"""The usual joints by name, as lists of turns and slides."""

from motionbase.errors import ModelError
from motionbase.multibody.joints.axes import Axes, Slide, Turn, Vector, unit

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def fixed() -> Axes:
    """No motion."""
    return Axes(())


def revolute(axis: Vector = Z) -> Axes:
    """Rotation about one axis."""
    return Axes((Turn(axis),))


def prismatic(axis: Vector = X) -> Axes:
    """Sliding along one axis."""
    return Axes((Slide(axis),))


def universal(first: Vector = X, second: Vector = Y) -> Axes:
    """Rotation about an axis of the parent, then about one of the child (Hooke's joint)."""
    a, b = _different(first, second, "universal joint")
    return Axes((Turn(a), Turn(b)))


def cylindrical(axis: Vector = Z) -> Axes:
    """Rotation about and sliding along one axis."""
    return Axes((Turn(axis), Slide(axis)))


def planar(first: Vector = X, second: Vector = Y) -> Axes:
    """Sliding along two axes of the parent and rotation about their normal."""
    (a, b, c), (d, e, f) = _different(first, second, "planar joint")
    normal = (b * f - c * e, c * d - a * f, a * e - b * d)
    return Axes((Slide(first), Slide(second), Turn(normal)))


def _different(first: Vector, second: Vector, what: str) -> tuple[Vector, Vector]:
    """Two unit axes that are not parallel."""
    a, b = unit(first, what), unit(second, what)
    if abs(abs(sum(x * y for x, y in zip(a, b, strict=True))) - 1) < 1e-9:
        raise ModelError(f"{what}: axes {first} and {second} are parallel; they must differ")
    return a, b
