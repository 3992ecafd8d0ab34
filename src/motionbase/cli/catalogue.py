"""Kernels and programs with a short name, for `motionbase kernel`."""

from typing import NamedTuple


class Entry(NamedTuple):
    """Where a kernel or program is, and what it is in one line.

    Attributes:
        reference: "package.module:NAME", or "path/to/file.py:NAME" relative to a source checkout
    """

    reference: str
    about: str


CATALOGUE: dict[str, Entry] = {
    "pendulum": Entry("examples/01_first_kernel.py:PENDULUM", "one step of a damped pendulum"),
    "leg_length": Entry("examples/02_six_legs_program.py:LEG", "length of one leg of a hexapod"),
    "six_legs": Entry("examples/02_six_legs_program.py:SIX_LEGS", "six leg lengths and their measurement"),
}
