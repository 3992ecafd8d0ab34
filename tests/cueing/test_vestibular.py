"""Organs of balance against scipy."""

import numpy as np
import pytest
from scipy import signal

from motionbase.cueing.vestibular import CANAL, OTOLITH, Organ


def simulated(organ: Organ, h: float, u: np.ndarray) -> np.ndarray:
    """Step by step, as the compiled tick does."""
    decay, begin, end = organ.step(h)
    z, before, out = np.zeros(len(decay)), 0.0, []
    for now in u:
        z = decay * z + begin * before + end * now
        before = now
        out.append(organ.direct * now + organ.residues @ z)
    return np.array(out)


@pytest.mark.parametrize("organ", [OTOLITH, CANAL])
def test_parts_make_the_transfer_function(organ: Organ) -> None:
    w = np.geomspace(1e-3, 1e3, 50)
    _, wanted = signal.freqs(organ.numerator, organ.denominator, w)
    found = organ.direct + (organ.residues / (1j * w[:, None] - organ.poles)).sum(axis=1)
    assert found == pytest.approx(wanted, rel=1e-9)
    if organ is CANAL:
        _, printed = signal.freqs(
            5.73 * 80 * np.array([0.06, 1, 0, 0]), np.polymul(np.polymul([80, 1], [5.73, 1]), [0.005, 1]), w
        )
    else:
        _, printed = signal.freqs(0.4 * np.array([10, 1]), np.polymul([5, 1], [0.016, 1]), w)
    assert wanted == pytest.approx(printed, rel=1e-12)


@pytest.mark.parametrize("organ", [OTOLITH, CANAL])
@pytest.mark.parametrize("h", [0.0005, 0.005])
def test_a_ramp_is_exact_at_any_step(organ: Organ, h: float) -> None:
    """The first-order hold is exact for what is linear in each step; scipy's lsim makes the same assumption."""
    t = np.arange(0, 4000) * h
    u = np.interp(t, [0, 1, 3], [0, 1, -0.5])
    _, wanted, _ = signal.lsim((organ.numerator, organ.denominator), u, t)
    assert simulated(organ, h, u) == pytest.approx(wanted, abs=1e-9)
