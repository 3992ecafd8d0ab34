"""A helper in another file than the kernel that uses it, for the tests of the diagnosis."""

import casadi as ca


def ratio(a: ca.SX, b: ca.SX) -> ca.SX:
    return a / b  # here: ratio
