"""Geometrically exact beams in model files."""

from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.multibody.beams import Profile, beam_chain, straight
from motionbase.multibody.flexible.shapes import tube
from motionbase.multibody.joints import revolute
from motionbase.multibody.loaders.toml import load_toml

BLADE = """
name = "rotor"
gravity = [0, 0, 0]

[bodies.hub]
mass = 10.0
inertia = [1, 1, 1]

[joints.shaft]
type = "revolute"
parent = "ground"
child = "hub"

[beams.blade]
parent = "hub"
root = { type = "revolute", axis = [0, 1, 0] }
start = [0.2, 0, 0]
end = [4.2, 0, 0]
beams = 3
nodes = 3
section = { shape = "tube", radius = 0.06, thickness = 0.003 }
material = { E = 70e9, G = 26e9, rho = 2700 }
damping = 1e-4
"""


def load(tmp_path: Path, text: str) -> object:
    file = tmp_path / "rotor.toml"
    file.write_text(text)
    return load_toml(file)


def test_a_blade_is_the_chain_that_python_makes(tmp_path: Path) -> None:
    model = load(tmp_path, BLADE)
    profile = Profile.of(tube(0.06, 0.003), 70e9, 26e9, 2700.0)
    line = straight((0.2, 0, 0), (4.2, 0, 0), 7)
    chain = beam_chain("blade", line, profile, nodes=3, parent="hub", root=revolute((0, 1, 0)), damping=1e-4)
    assert model.elements == chain.beams  # type: ignore[attr-defined]
    assert model.bodies[1:] == chain.bodies  # type: ignore[attr-defined]
    assert model.joints[1:] == chain.joints  # type: ignore[attr-defined]


def test_arcs_and_points(tmp_path: Path) -> None:
    bent = BLADE.replace("end = [4.2, 0, 0]", "arc = { centre = [0.2, 2, 0], axis = [0, 0, 1], angle = 1.0 }")
    positions = [np.array(j.position) for j in load(tmp_path, bent).joints[1:]]  # type: ignore[attr-defined]
    np.testing.assert_allclose([np.linalg.norm(p - (0.2, 2, 0)) for p in positions], 2.0)
    line = "points = [[0, 0, 0], [1, 0, 0], [2, 0.1, 0]]"
    given = BLADE.replace("start = [0.2, 0, 0]\nend = [4.2, 0, 0]\nbeams = 3", line)
    assert [j.position for j in load(tmp_path, given).joints[1:]] == [(0, 0, 0), (1, 0, 0), (2, 0.1, 0)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("old", "new", "sentence"), [
    ("end = [4.2, 0, 0]", "", "line 14: beam 'blade': give one of start and end, start and arc, or points"),
    ("nodes = 3", "nodes = 4", "beams have 2 or 3"),
    ("beams = 3", "beams = 0", r"line \d+: beam 'blade': beams is 0, a whole number from 1 to 1000 is wanted"),
    ("G = 26e9, ", "", "beam 'blade': material: no G"),
    ('shape = "tube"', 'shape = "star"', "beam 'blade': section.shape is 'star'"),
    ("damping = 1e-4", "damping = -1", "damping is -1 s"),
    ("axis = [0, 1, 0]", "direction = [0, 1, 0]", "beam 'blade': root of type revolute has no key 'direction'"),
    ('parent = "hub"', 'parent = "hubb"', "parent 'hubb' not found"),
    ("damping = 1e-4", "twist = 1", "beam 'blade' has no key 'twist'"),
])  # fmt: skip
def test_errors_lead_to_the_line(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in BLADE
    with pytest.raises(ModelError, match=sentence):
        load(tmp_path, BLADE.replace(old, new))
