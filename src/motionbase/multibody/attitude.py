"""Quaternions of rotation matrices."""

from __future__ import annotations

import casadi as ca

from motionbase.spatial.rotations import Expr


def quaternion_of(R: Expr) -> Expr:
    """Unit quaternion wxyz, w not negative, of a rotation matrix; from the largest of its four squares (Shepperd 1978).

    The other forms divide by a number that may vanish.
    """
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    squares = [trace, R[0, 0], R[1, 1], R[2, 2]]
    wx, wy, wz = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, xz, yz = R[1, 0] + R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2]
    own = [1 + 2 * square - trace for square in squares]
    own[0] = 1 + trace
    rows = [(own[0], wx, wy, wz), (wx, own[1], xy, xz), (wy, xy, own[2], yz), (wz, xz, yz, own[3])]
    Q = ca.vertcat(*rows[3])
    largest = squares[3]
    for row, square in zip(rows[2::-1], squares[2::-1], strict=True):
        better = square >= largest
        Q, largest = ca.if_else(better, ca.vertcat(*row), Q), ca.if_else(better, square, largest)
    return Q * (ca.if_else(Q[0] < 0, -1, 1) / ca.sqrt(ca.sumsqr(Q)))
