"""Damaged TOML and URDF files, and any bytes: a model or a sentence, never anything else."""

import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motionbase.errors import ModelError
from motionbase.multibody.loaders import ModelWarning, load_toml, load_urdf
from tests.multibody.model_texts import TOML, URDF
from tests.tier import often

# the robot below has limits, of which every load tells; test_robot_files.py has that
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*joints with limits, which are not kept.*:motionbase.multibody.loaders.ModelWarning"
)


PIECES = [
    "[",
    "]",
    '"',
    "=",
    "nan",
    "inf",
    "-1",
    "1e999",
    "{}",
    "''",
    "ground",
    "[bodies]",
    "\n",
    "<",
    "/>",
    "&a;",
    "0 0",
    "é",
]
edits = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), st.sampled_from(PIECES) | st.text(max_size=4)), max_size=4
)


def edited(text: str, changes: list[tuple[float, int, str]]) -> str:
    """Some stretches of the text replaced."""
    for place, length, new in changes:
        at = int(place * len(text))
        text = text[:at] + new + text[at + length :]
    return text


quiet = settings(max_examples=often(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quiet
@given(changes=edits)
def test_damaged_toml_gives_a_model_or_a_sentence(tmp_path: Path, changes: list[tuple[float, int, str]]) -> None:
    path = tmp_path / "damaged.toml"
    path.write_bytes(edited(TOML, changes).encode("utf-8", "surrogatepass"))
    try:
        load_toml(path)
    except ModelError as e:
        assert str(e).startswith(str(path))


@quiet
@given(changes=edits)
def test_damaged_urdf_gives_a_model_or_a_sentence(tmp_path: Path, changes: list[tuple[float, int, str]]) -> None:
    path = tmp_path / "damaged.urdf"
    path.write_bytes(edited(URDF, changes).encode("utf-8", "surrogatepass"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            load_urdf(path)
    except ModelError as e:
        assert str(e).startswith(str(path))


@quiet
@given(data=st.binary(max_size=200))
def test_any_bytes_give_a_model_or_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(data)
    for load in (load_toml, load_urdf):
        with pytest.raises(ModelError):
            load(path)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["ground", "a", "b", "revolute", "x y"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "turn", "tip"]), inner, max_size=2)
    ),
    max_leaves=6,
)
keys = st.sampled_from(
    ["mass", "com", "inertia", "points", "type", "parent", "child", "axis", "steps", "rpy", "position"]
)
tables = st.dictionaries(st.sampled_from(["a", "b"]), st.dictionaries(keys, values, max_size=6) | values, max_size=2)


@quiet
@given(bodies=tables | values, joints=tables | values)
def test_any_values_give_a_model_or_a_sentence(tmp_path: Path, bodies: object, joints: object) -> None:
    path = tmp_path / "values.toml"
    path.write_text(f"bodies = {written(bodies)}\njoints = {written(joints)}\n")
    try:
        load_toml(path)
    except ModelError as e:
        assert str(e).startswith(str(path))


def written(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if value is None:
        return '""'
    return f'"{value}"' if isinstance(value, str) else str(value).lower()
