"""The `python` target: the interpreter behind the same calling interface; slow, and the reference for the others."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from motionbase.arrays import Array
from motionbase.compile.programs import Unit
from motionbase.compile.render.python import run
from motionbase.compile.routine import Role


def native(unit: Unit, lanes: int) -> Callable[..., None]:
    """A function of addresses, like compiled code."""
    arguments = unit.routine.arguments

    def call(*pointers: int) -> None:
        """View the memory as (size, lanes) arrays and interpret."""
        arrays: list[Array] = []
        for pointer, argument in zip(pointers, arguments, strict=True):
            count = argument.size * lanes
            memory = (ctypes.c_double * count).from_address(pointer) if count else (ctypes.c_double * 0)()
            array = np.ctypeslib.as_array(memory).reshape(argument.size, lanes)
            if argument.role is Role.INPUT:
                array = array.view()
                array.flags.writeable = False
            arrays.append(array)
        run(unit.routine, arrays or [np.empty((0, lanes))])

    return call
