"""Whirl flutter: a rigid propeller on a sprung pylon against the classical equations, and the tiltrotor in flight."""

from dataclasses import replace

import numpy as np

from motionbase.arrays import Array, Complex
from motionbase.rotor.airfoils import airfoil
from motionbase.rotor.planform import Planform, load_planform, needed_blade, rotor_file
from motionbase.rotor.proprotor import HowProprotor, Proprotor, proprotor
from motionbase.rotor.rotor_model import RotorModel
from motionbase.rotor.stations import gauss
from motionbase.rotor.wing_modes import WingModes

RIG = rotor_file("tiltrotor")[0].table("proprotor").part(Proprotor)
THIN = replace(load_planform("tiltrotor"), airfoil=airfoil("thin"))
PYLON = np.array([6.0, 5.0])  # inertia about the pivot in pitch and yaw, without rotor [kg m^2]


def propeller(stiffness: Array, damping: Array) -> RotorModel:
    """A rigid propeller on a pylon that pitches and yaws about a pivot; no tip loss and no induced flow."""
    tip = np.zeros((6, 2))
    tip[4, 0] = tip[5, 1] = 1.0
    modes = WingModes(
        ("pitch", "yaw"), tip, np.diag(PYLON), np.diag(stiffness), np.diag(damping), np.zeros((2, 3))
    )  # fmt: skip
    how = HowProprotor(wing=True, gimbal="locked", inflow="none", tip_loss=False, points=8)
    return proprotor(THIN, RIG, how, modes)


def classical(
    rotor: Planform, rig: Proprotor, stiffness: Array, damping: Array, airspeed: float, collective: float
) -> Complex:
    """Eigenvalues of pitch and yaw (Reed & Bland 1961), blade loads by strip theory at three quarters of the chord.

    The shaft is s = (1, yaw, -pitch) and turns at Omega; H = I_p Omega s, so I pitch'' + I_p Omega yaw' = moment about
    y, I yaw'' - I_p Omega pitch' = moment about z.
    """
    blade, a = needed_blade(rotor).rigid(0.15), rig.mast
    c, s = np.cos(collective), np.sin(collective)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    J, com = turn @ blade.inertia @ turn.T, turn @ blade.com
    about_hub = J + blade.mass * (com @ com * np.eye(3) - np.outer(com, com))
    polar = rig.hub_inertia[1] + 4 * about_hub[2, 2]
    lateral = rig.hub_inertia[0] + 2 * (about_hub[0, 0] + about_hub[1, 1])
    inertia = PYLON + lateral + (rig.hub_mass + 4 * blade.mass) * a**2
    r, width = gauss(rotor.root, rotor.radius, 40)
    beta, chord = collective + rotor.twist_at(r), rotor.chord_at(r)

    def moment(x: Array) -> Array:
        """(2,) about y and z at the pivot for (pitch, yaw, their rates)."""
        axis = np.array([1.0, x[1], -x[0]])
        axis /= np.linalg.norm(axis)
        omega, total = np.array([0.0, x[2], x[3]]), np.zeros(3)
        for azimuth in np.arange(4) * np.pi / 2 + 0.3:
            e_r = np.array([0.0, np.cos(azimuth), np.sin(azimuth)])
            e_r = e_r - axis * (axis @ e_r)
            e_r /= np.linalg.norm(e_r)
            e_t = np.cross(axis, e_r)
            for k in range(len(r)):
                y = e_t * np.cos(beta[k]) + axis * np.sin(beta[k])  # to the leading edge
                z = np.cross(e_r, y)
                place, turning = a * axis + r[k] * e_r, omega + rotor.speed * axis
                w = np.array([airspeed, 0, 0]) + np.cross(omega, place) + np.cross(rotor.speed * axis, r[k] * e_r)
                behind = w - 0.5 * chord[k] * np.cross(turning, y)
                alpha = np.arctan2(-behind @ z, behind @ y)
                speed = np.hypot(w @ y, w @ z)
                lift = 0.5 * rotor.density * chord[k] * width[k] * speed * 2 * np.pi * np.sin(alpha)
                total += np.cross(place, lift * ((w @ y) * z - (w @ z) * y))
        return total[1:]

    d = 1e-5
    slopes = np.array([(moment(d * e) - moment(-d * e)) / (2 * d) for e in np.eye(4)]).T
    gyroscopic = polar * rotor.speed * np.array([[0.0, 1.0], [-1.0, 0.0]])
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:, :2] = (slopes[:, :2] - np.diag(stiffness)) / inertia[:, None]
    A[2:, 2:] = (slopes[:, 2:] - gyroscopic - np.diag(damping)) / inertia[:, None]
    return np.linalg.eigvals(A).astype(np.complex128)
