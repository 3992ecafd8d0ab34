"""The published chain in the order of its figures: boat and wave, text over UDP, inverse kinematics, text, valves.

Figure 1: the boat's pose goes as six numbers by UDP to the inverse kinematics; figure 18: six displacements come as
character strings by UDP and become pulses of all valves.
"""

import math
import socket
from collections.abc import Iterator

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.host.format import Frame, Options
from motionbase.host.protocol.text import TextDecoder, TextEncoder
from motionbase.platform.kinematics import kinematics_of
from motionbase.platform.load import load_platform
from motionbase.record.rig import LegState, Order
from motionbase.rig.border import Demand
from motionbase.rig.onoff.backend import onoff_rig
from motionbase.rig.onoff.simulated import SimulatedRig
from motionbase.worlds.seed.world import DT, SeedWorld

ODU = load_platform("odu")
INCHES = Options(units=(0.0254, math.radians(1.0)))
FRAME = 0.02  # [s] four steps of the world, four cycles of the rig
SCALE = 0.25  # of heave, roll and pitch
STICK = 0.4, 0.3  # throttle and rudder


class Wire:
    """A pair of UDP sockets on this machine."""

    def __init__(self) -> None:
        self.receiver, self.sender = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        self.receiver.bind(("127.0.0.1", 0))
        self.receiver.settimeout(10.0)

    def carried(self, data: bytes) -> bytes:
        self.sender.sendto(data, self.receiver.getsockname())
        return self.receiver.recv(512)

    def close(self) -> None:
        self.receiver.close()
        self.sender.close()


@pytest.fixture
def wire() -> Iterator[Wire]:
    wire = Wire()
    yield wire
    wire.close()


def test_boat_moves_the_legs_through_text_and_valves(wire: Wire) -> None:
    kinematics = kinematics_of(ODU)
    pose_of_dof, inverse = compile(kinematics.pose_of_dof), compile(kinematics.inverse)
    world, short = SeedWorld(), ODU.stroke.hard_min
    told, heard = TextEncoder(Options()), TextDecoder(Options(clock=lambda: world.t), of_legs=False)
    strings = TextDecoder(INCHES, of_legs=True)
    device = SimulatedRig()
    rig = onoff_rig(ODU, device)
    before: np.ndarray | None = None
    errors, sent = [], []
    for k in range(round(8.0 / FRAME)):
        for _ in range(round(FRAME / DT)):
            world.step(STICK)
        p, angles = world.motion.p, world.motion.angles
        pose = np.array([0.0, 0.0, SCALE * p[2], SCALE * angles[0], SCALE * angles[1], 0.0])
        frame = heard.decode(wire.carried(told.encode(Frame(tuple(pose), stamp=world.t))))
        assert frame is not None
        l = inverse(*pose_of_dof(np.array(frame.row[:6])))[0]
        text = " ".join(f"{x / 0.0254:.4f}" for x in l - short)
        six = strings.decode(wire.carried(text.encode()))
        assert six is not None
        wanted = short + np.array(six.row)
        rate = np.zeros(6) if before is None else (wanted - before) / FRAME
        if before is None:
            device.extensions[:] = wanted - short
        for c in range(4):
            now = k * FRAME + 0.005 * c
            order = Order.ENABLE if now == 0.0 else Order.NONE
            answer = rig.cycle(now, Demand(k, wanted, rate, go=k > 0, order=order))
        before = wanted
        sent.append(wanted)
        errors.append(short + device.extensions - (wanted + 0.015 * rate))
        assert k == 0 or answer.all_are(LegState.FOLLOWING), answer
    exact = inverse(*pose_of_dof(pose))[0]
    np.testing.assert_allclose(sent[-1], exact, atol=2e-6)  # four digits of an inch
    assert np.ptp(np.array(sent), axis=0).min() > 0.04  # every leg goes up and down by some centimetres
    assert np.sqrt(np.mean(np.square(errors[50:]))) < 1.5e-3
    rig.close()
