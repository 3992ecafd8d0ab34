"""Bad models in TOML and URDF, through the command line too: one sentence with the place, and never a traceback."""

import re
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motionbase.cli.main import main as call
from motionbase.errors import ModelError
from motionbase.multibody.loaders import ModelWarning, load_toml, load_urdf
from tests.tier import often

TOML = """[bodies.a]
mass = 1.0
com = [0.5, 0, 0]
inertia = [0.1, 0.1, 0.1]
points.tip = [1.0, 0, 0]
[bodies.c]
mass = 1.0
com = [0.5, 0, 0]
[joints.ja]
type = "revolute"
parent = "ground"
child = "a"
[joints.jc]
type = "revolute"
parent = "a"
child = "c"
position = "tip"
[elements.s]
type = "spring"
joint = "ja"
stiffness = 2.0
[closures.k]
type = "point"
body_a = "c"
body_b = "ground"
point_b = [1.5, 0.5, 0]
"""

TOML_CASES = [
    ('parent = "ground"', 'parent = "c"', "bodies carry each other in a circle"),
    ("[bodies.c]\nmass = 1.0\ncom = [0.5, 0, 0]", "[bodies.c]", "line 6: body 'c': joint 'jc' moves it"),
    (
        "inertia = [0.1, 0.1, 0.1]",
        "inertia = [0.1, -0.1, 0.1]",
        "line 1: body 'a': inertia has the negative principal moment -0.1",
    ),
    ("inertia = [0.1, 0.1, 0.1]", "inertia = [0.1, 0.1, 0.5]", "line 1: body 'a': principal moments 0.1, 0.1, 0.5"),
    ('parent = "a"', 'parent = "aa"', "line 13: joint 'jc': parent 'aa' not found; bodies: a, c"),
    ('child = "c"', 'child = "d"', "line 13: joint 'jc': child 'd' not found"),
    ('child = "c"', 'child = "a"', "line 1: body 'a' is carried by two joints"),
    (
        '[joints.jc]\ntype = "revolute"\nparent = "a"\nchild = "c"\nposition = "tip"\n',
        "",
        "line 6: body 'c' is carried by no joint",
    ),
    ('position = "tip"', 'position = "top"', "has no point 'top'; points: tip"),
    ("mass = 1.0", "mass = nan", "line 1: body 'a': mass is nan kg"),
    ("com = [0.5, 0, 0]", "com = [inf, 0, 0]", "line 1: body 'a': com is (inf, 0.0, 0.0), three finite numbers"),
    ("points.tip = [1.0, 0, 0]", "points.tip = [nan, 0, 0]", "line 1: body 'a': point 'tip' is (nan, 0.0, 0.0)"),
    ("[bodies.c]", "[bodies.a]", "not TOML: Cannot declare ('bodies', 'a') twice"),
    ('child = "a"', 'child = "a"\naxis = [0, 0, 0]', "line 9: joint 'ja': turn: axis (0.0, 0.0, 0.0)"),
    (
        'type = "revolute"\nparent = "ground"',
        'type = "planar"\nfirst = [0, 1, 0]\nparent = "ground"',
        "joint 'ja': planar joint: axes",
    ),
    (
        'type = "revolute"\nparent = "ground"',
        'type = "axes"\nsteps = [{ turn = [1, 0, 0] }, { turn = [1, 0, 0] }]\nparent = "ground"',
        "line 9: joint 'ja': of 2 axes only 1 are independent",
    ),
    ('body_b = "ground"', 'body_b = "c"', "closure 'k': both places are on 'c'"),
    ('body_a = "c"', 'body_a = "d"', "line 22: closure 'k': body 'd' not found"),
    ('joint = "ja"', 'joint = "jb"', "line 18: joint spring 's': joint 'jb' not found; joints: ja, jc"),
    ("stiffness = 2.0", "stiffness = 2.0\naxis = 1", "line 18: joint spring 's': joint 'ja' has no axis 1"),
    ("stiffness = 2.0", "stiffness = inf", "joint spring 's': stiffness is inf"),
]


@pytest.mark.parametrize(("old", "new", "said"), TOML_CASES)
def test_bad_toml_through_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str
) -> None:
    assert old in TOML
    path = tmp_path / "bad.toml"
    path.write_text(TOML.replace(old, new, 1))
    one_sentence(path, said, capsys)


def one_sentence(path: Path, said: str, capsys: pytest.CaptureFixture[str], *options: str) -> None:
    """Exit code 2, one line that begins with the program and the file, no traceback."""
    for command in ("simulate", "modes", "models"):
        assert call([command, str(path), *options]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and err.startswith(f"motionbase: {path}")
        assert said in err, err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--q0", "jb=1"], "q0: no coordinate 'jb'; did you mean"),
        (["--q0", "ja=1,2"], "'ja' has 1 coordinates, 2 numbers given"),
        (["--dt", "0"], "dt is 0.0 s"),
        (["--duration", "-2"], "duration is -2.0 s"),
        (["--method", "rk5"], "no method 'rk5'; did you mean 'rk4'?"),
    ],
)
def test_bad_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str], args: list[str], said: str) -> None:
    path = tmp_path / "good.toml"
    path.write_text(TOML)
    assert call(["simulate", str(path), *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and said in err


def link(name: str, mass: str = "1", inertia: str = "0.1 0.1 0.1") -> str:
    xx, yy, zz = inertia.split()
    moments = f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/>'
    return f'<link name="{name}"><inertial><mass value="{mass}"/>{moments}</inertial></link>'


def joint(name: str, parent: str, child: str, more: str = '<axis xyz="0 1 0"/>', kind: str = "continuous") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'


def urdf(*lines: str) -> str:
    return "\n".join(["<robot name='r'>", "<link name='w'/>", *lines, "</robot>"])


URDF_CASES = [
    (
        urdf(link("a"), link("b"), joint("j", "b", "a"), joint("k", "a", "b")),
        "model 'r': bodies carry each other in a circle: a -> b -> a",
    ),
    (urdf("<link name='a'/>", joint("j", "w", "a")), "line 3: body 'a': joint 'j' moves it, but it carries no mass"),
    (
        urdf(link("a", inertia="1 1 -1"), joint("j", "w", "a")),
        "line 3: body 'a': inertia has the negative principal moment",
    ),
    (urdf(link("a", inertia="1 1 3"), joint("j", "w", "a")), "line 3: body 'a': principal moments 1, 1, 3"),
    (urdf(link("a", mass="nan"), joint("j", "w", "a")), "line 3: <mass value='nan'>: every number must be finite"),
    (urdf(link("a", inertia="1 1 inf"), joint("j", "w", "a")), "<inertia izz='inf'>: every number must be finite"),
    (urdf(link("a", mass="0"), joint("j", "w", "a")), "line 3: body 'a': a body without mass cannot have inertia"),
    (urdf(link("a"), link("a"), joint("j", "w", "a")), "line 4: two links are named 'a', the other in line 3"),
    (
        urdf(link("a"), link("b"), joint("j", "w", "a"), joint("j", "a", "b")),
        "line 6: two joints are named 'j', the other in line 5",
    ),
    (urdf(link("a"), link("b"), joint("j", "w", "b"), joint("k", "a", "b")), "w, a are children of no joint"),
    (
        urdf(link("a"), link("b"), joint("j", "w", "b"), joint("k", "w", "b"), joint("l", "b", "a")),
        "line 4: body 'b' is carried by two joints",
    ),
    (urdf(link("a")), "w, a are children of no joint; a URDF has exactly one root link"),
    (urdf(link("a"), joint("j", "ww", "a")), "line 4: joint 'j': parent 'ww' not found; links: w, a"),
    (urdf(link("a"), joint("j", "w", "aa")), "line 4: joint 'j': child 'aa' not found; links: w, a"),
    (urdf(link("a"), joint("j", "w", "a", '<axis xyz="0 0 0"/>')), "line 4: joint 'j': turn: axis (0.0, 0.0, 0.0)"),
    (
        urdf(link("a"), joint("j", "w", "a", '<axis xyz="0 0 nan"/>')),
        "line 4: <axis xyz='0 0 nan'>: every number must be finite",
    ),
    (urdf(link("a"), joint("j", "w", "a", '<axis xyz="0 1"/>')), "line 4: <axis xyz='0 1'>: 3 numbers are wanted"),
    (
        urdf(link("a"), joint("j", "w", "a", '<dynamics damping="-1"/>')),
        "line 4: joint damper 'j_damping1': damping is -1",
    ),
    (urdf(link("a"), joint("j", "w", "a", kind="ball")), "line 4: joint 'j': type 'ball' is not supported"),
]


@pytest.mark.parametrize(("text", "said"), URDF_CASES)
def test_bad_urdf_through_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    path = tmp_path / "bad.urdf"
    path.write_text(text)
    one_sentence(path, said, capsys, "--strict")


# ---- garbage -------------------------------------------------------------------------------------------------------

GOOD_URDF = urdf(link("a"), joint("j", "w", "a", '<origin xyz="0 0 1"/><axis xyz="0 1 0"/><dynamics damping="1"/>'))
quick = settings(max_examples=often(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def loaded(path: Path) -> None:
    """A model or a sentence that begins with the file's name; nothing else."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            load_toml(path) if path.suffix == ".toml" else load_urdf(path)
    except ModelError as e:
        assert str(e).startswith(str(path)) and "\n" not in str(e)


@pytest.mark.parametrize(("suffix", "text"), [(".toml", TOML), (".urdf", GOOD_URDF)])
def test_files_cut_short(tmp_path: Path, suffix: str, text: str) -> None:
    path = tmp_path / f"cut{suffix}"
    for n in range(0, len(text), 3):
        path.write_text(text[:n])
        loaded(path)


@quick
@given(places=st.lists(st.tuples(st.floats(0, 0.999), st.binary(max_size=3)), min_size=1, max_size=4))
def test_files_with_damaged_bytes(tmp_path: Path, places: list[tuple[float, bytes]]) -> None:
    for suffix, text in ((".toml", TOML), (".urdf", GOOD_URDF)):
        data = text.encode()
        for at, new in places:
            k = int(at * len(data))
            data = data[:k] + new + data[k + len(new) + 1 :]
        path = tmp_path / f"damaged{suffix}"
        path.write_bytes(data)
        loaded(path)


number_texts = st.sampled_from(
    ["1", "-1", "0", "nan", "inf", "1e999", "1e-320", "true", "''", "'a'", "'ja'", "[]", "{}"]
)
wrong = number_texts | st.lists(number_texts, max_size=4).map(lambda x: f"[{', '.join(x)}]")


@quick
@given(changes=st.lists(st.tuples(st.integers(0, 25), wrong), min_size=1, max_size=3))
def test_toml_values_of_wrong_types(tmp_path: Path, changes: list[tuple[int, str]]) -> None:
    """Any value in any place, elements and closures included."""
    lines = TOML.splitlines()
    for n, value in changes:
        if "=" in lines[n % len(lines)]:
            lines[n % len(lines)] = re.sub(r"=.*", lambda _, v=value: f"= {v}", lines[n % len(lines)])  # type: ignore[misc]
    path = tmp_path / "wrong.toml"
    path.write_text("\n".join(lines))
    loaded(path)


attributes = st.sampled_from(
    ["", "1", "nan", "1e999", "0 0 0", "a", "w", "j", "ground", "root", "é b", "planar", "1 2 3 4"]
)


@quick
@given(changes=st.lists(st.tuples(st.integers(0, 20), attributes), min_size=1, max_size=3))
def test_urdf_attributes_of_wrong_kinds(tmp_path: Path, changes: list[tuple[int, str]]) -> None:
    pieces = re.split(r'(?<==)("[^"]*"|\'[^\']*\')', GOOD_URDF)
    for n, value in changes:
        pieces[2 * (n % (len(pieces) // 2)) + 1] = f'"{value}"'
    path = tmp_path / "wrong.urdf"
    path.write_text("".join(pieces))
    loaded(path)
