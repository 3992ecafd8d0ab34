"""Layouts and sets by name, pictures of platforms, the host's demand; and a console whose ring has no writer."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

from motionbase.console.api.host import host_demand
from motionbase.console.api.judge import Demand, Judge, judge_of
from motionbase.errors import PlatformError
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import FOLDER, load_platform, load_text, platform_text
from motionbase.platform.mesh import MeshFile
from motionbase.record.axes import DOFS
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.blocks.files import load
from motionbase.ring.emergency import NO_ANSWER
from motionbase.ring.writer import Writer
from tests.console.api_rig import Page, page, wait_for

CARD = {"enabled": True, "axes": ["pitch"], "shape": "chirp", "amplitude": 0.05, "frequency": 0.1,
        "end_frequency": 5.0, "duration": 30.0}  # fmt: skip


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("stored")
    patch = pytest.MonkeyPatch()
    patch.setenv("MOTIONBASE_RING_FOLDER", str(folder))
    patch.setenv("MOTIONBASE_RING_DEVICE", "none")
    patch.setenv("MOTIONBASE_DATA", str(folder / "user"))
    with page(folder) as made:
        yield made
    patch.undo()


# ---- names ----

BAD_NAMES = ("..", ".hidden", "a b ", "a/b", "%2e%2e%2fx", "..%2f..%2fetc", "a\nb", "x" * 81, "é", "end.", "-x", "a:b")


@pytest.mark.parametrize("kind", ["layouts", "generators/sets"])
@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_are_none_write_nothing(operator: Page, kind: str, name: str) -> None:
    body = {"name": name, "body": {}} if kind == "layouts" else {"name": "", "cards": [CARD]}
    before = sorted(operator.console.settings.data.rglob("*"))
    for method, given in (("GET", None), ("PUT", body), ("DELETE", None)):
        answer = operator.call(method, f"/api/{kind}/{quote(name, safe='').replace('.', '%2E')}", given)
        assert answer.status_code in (404, 405, 422), answer.text
    assert sorted(operator.console.settings.data.rglob("*")) == before


def test_a_layout_comes_back_as_it_was(operator: Page) -> None:
    body = {"panels": [{"channels": ["leg1_l_meas"], "span": 10.0, "title": "größer"}], "dark": True, "none": None}
    saved = operator.call("PUT", "/api/layouts/my view", {"name": "my view", "body": body})
    assert saved.status_code == 200 and saved.json() == {"name": "my view", "body": body}
    assert operator.anybody().get("/api/layouts").json() == ["my view"]
    assert operator.anybody().get("/api/layouts/my view").json()["body"] == body
    body["dark"] = False
    operator.standing().call("PUT", "/api/layouts/my view", {"name": "my view", "body": body})
    assert operator.get("/api/layouts/my view").json()["body"]["dark"] is False
    assert "token" in operator.anybody().refusal(401, "PUT", "/api/layouts/my view", {"name": "my view", "body": {}})
    assert "token" in operator.anybody().refusal(401, "DELETE", "/api/layouts/my view")
    assert operator.call("DELETE", "/api/layouts/my view").json() == []
    assert "there is no layout 'my view'" in operator.refusal(404, "GET", "/api/layouts/my view")


def test_layouts_are_bounded_and_whole(operator: Page) -> None:
    fits = {"name": "big", "body": {"x": "y" * 262_000}}
    assert operator.call("PUT", "/api/layouts/big", fits).status_code == 200
    large = {"name": "big", "body": {"x": "y" * 263_000}}
    assert "262144 is the most" in operator.refusal(413, "PUT", "/api/layouts/big", large)
    assert len(operator.get("/api/layouts/big").json()["body"]["x"]) == 262_000
    said = operator.refusal(422, "PUT", "/api/layouts/big", {"name": "small", "body": {}})
    assert "the address says 'big'" in said
    file = operator.console.settings.data / "layouts" / "big.json"
    file.write_text("{half")
    assert "damaged" in operator.refusal(422, "GET", "/api/layouts/big")
    nan = operator.client.put("/api/layouts/big", content=b'{"name": "big", "body": {"x": NaN}}',
                              headers={**operator.headers, "content-type": "application/json"})  # fmt: skip
    assert nan.status_code == 422 and file.read_text() == "{half"
    file.unlink()


def test_a_set_is_a_file_that_the_command_line_takes(operator: Page) -> None:
    saved = operator.call("PUT", "/api/generators/sets/sweep", {"name": "a sweep", "cards": [CARD]})
    assert saved.status_code == 200 and len(saved.json()["cards"]) == 7
    found = load(operator.console.settings.data / "generators" / "sweep.toml")
    assert found.name == "a sweep" and found.generators[0].end_frequency == 5.0 and found.enabled == (1,)
    assert operator.get("/api/generators/sets").json() == ["sweep"]
    assert operator.get("/api/generators/sets/sweep").json() == saved.json()
    bad = {"name": "", "cards": [{**CARD, "duration": 0}]}
    assert "duration is 0 s" in operator.refusal(422, "PUT", "/api/generators/sets/sweep", bad)
    assert "token" in operator.anybody().refusal(401, "DELETE", "/api/generators/sets/sweep")
    assert operator.call("DELETE", "/api/generators/sets/sweep").json() == []


# ---- without a writer ----

DRIVE = {"action": "drive", "seen": {"t": 0.0, "state": "off", "mode": "host", "generators_version": 0}}


def test_without_a_ring_every_request_is_a_sentence(operator: Page) -> None:
    for method, address, body in (
        ("POST", "/api/estop", None),
        ("POST", "/api/operate", DRIVE),
        ("GET", "/api/generators", None),
        ("PUT", "/api/generators", {"cards": {"cards": [CARD]}, "version": 0}),
        ("GET", "/api/parameters", None),
        ("PATCH", "/api/parameters", {"values": {"k_p": [1.0]}}),
        ("POST", "/api/strip", {"channels": [{"name": "t"}]}),
    ):
        assert "ring 'rig'" in operator.refusal(409, method, address, body)
    assert "there is no ring" in operator.refusal(404, "GET", "/api/scene")
    assert "no strip chart" in operator.refusal(404, "DELETE", "/api/strip")
    found = operator.call("POST", "/api/generators/preview", {"cards": {"cards": [CARD]}}).json()
    assert found["limits"] is None and found["legs"][0][0] is None and "there is no ring" in found["text"]


def test_a_ring_that_takes_no_commands_says_so_and_a_dead_one_too(operator: Page) -> None:
    with Writer(hexapod_schema(), name="rig") as ring:
        ring.publish()
        assert "takes no commands" in operator.refusal(409, "POST", "/api/operate", DRIVE)
        assert "takes no commands" in operator.refusal(409, "POST", "/api/estop")
        assert "no parameters" in operator.refusal(409, "GET", "/api/parameters")
        wait_for(lambda: ring.publish() is None and operator.console.source("live").state == "live")
        shown = operator.get("/api/generators").json()  # the record is zeros: off, in host mode
        assert not shown["allowed"] and "host mode" in shown["why_not"]
    assert "there is no ring 'rig'" in operator.refusal(409, "POST", "/api/operate", DRIVE)
    assert "there is no ring 'rig'" in operator.refusal(409, "POST", "/api/estop")
    wait_for(lambda: operator.console.source("live").state == "lost")
    assert "there is no ring 'rig'" in operator.refusal(409, "GET", "/api/generators")


def test_the_stop_button_finds_the_next_writer(operator: Page) -> None:
    """It stays attached to a ring for speed, and must not press the button of a base that has ended."""
    for _ in range(2):
        with Writer(hexapod_schema(), name="rig") as ring:
            receiver = CommandReceiver(ring.segment, ring.header.layout)
            ring.publish()
            answer = operator.call("POST", "/api/estop").json()
            assert answer == {"accepted": True, "text": NO_ANSWER}, "no record has said that it acts"
            receiver.poll()
            assert receiver.estop and receiver.estop_by[0] == "console: tester"


# ---- platforms ----

MESHES = """
[[meshes]]
file = "cab.glb"
part = "platform"
scale = 0.001
colour = "#aabbcc"

[[meshes]]
file = "rods/rod.stl"
part = "rod"
"""


def own_platform(folder: Path, meshes: str = MESHES) -> Path:
    (folder / "rods").mkdir()
    (folder / "cab.glb").write_bytes(b"glTF" + bytes(100))
    (folder / "rods" / "rod.stl").write_bytes(bytes(80) + (1).to_bytes(4, "little") + bytes(50))
    (folder / "own.toml").write_text((FOLDER / "simona.toml").read_text() + meshes)
    return folder / "own.toml"


def test_meshes_are_found_from_anywhere(tmp_path: Path) -> None:
    path = own_platform(tmp_path)
    read = load_platform(path)
    assert read.meshes[0] == MeshFile(str(tmp_path / "cab.glb"), "platform", 0.001, "#aabbcc")
    again = load_text(platform_text(path))
    assert again == read and again.name == "own" and again.points == read.points
    assert platform_text("simona").endswith((FOLDER / "simona.toml").read_text())


@pytest.mark.parametrize(
    ("meshes", "what"),
    [
        ('[[meshes]]\nfile = "gone.glb"\npart = "base"', "mesh: there is no file"),
        ('[[meshes]]\nfile = "cab.obj"\npart = "base"', "ending in .glb or .stl"),
        ('[[meshes]]\nfile = "cab.glb"\npart = "roof"', "it must be one of base, platform, cylinder, rod"),
        ('[[meshes]]\nfile = "cab.glb"\npart = "base"\nscale = 0', "scale is 0"),
        ('[[meshes]]\nfile = "cab.glb"\npart = "base"\ncolour = "red"', "#rrggbb"),
        ('[[meshes]]\npart = "base"', "needs the key 'file'"),
        ('[[meshes]]\nfile = "cab.glb"\npart = "base"\nsize = 3', "has no key 'size'"),
    ],
)
def test_a_mesh_that_cannot_be_is_told_with_its_line(tmp_path: Path, meshes: str, what: str) -> None:
    path = own_platform(tmp_path, meshes)
    first = path.read_text().splitlines().index("[[meshes]]") + 1
    with pytest.raises(PlatformError) as error:
        load_platform(path)
    line = int(str(error.value).partition("own.toml, line ")[2].partition(":")[0])
    assert what in str(error.value) and first <= line <= first + meshes.count("\n"), (
        "the line of the table or of its key"
    )


def test_meshes_are_served_and_nothing_else_is(operator: Page, tmp_path: Path) -> None:
    path = own_platform(tmp_path, MESHES + '\n[[meshes]]\nfile = "key.stl"\npart = "base"\n')
    (tmp_path / "key.stl").write_text("a secret that is called as a mesh")
    with Writer(hexapod_schema(), name="rig", platform=platform_text(path)) as ring:
        ring.publish()
        wait_for(lambda: operator.get("/api/scene").status_code == 200)
        scene = operator.get("/api/scene").json()
        assert scene["meshes"] == [
            {"number": 0, "format": "glb", "part": "platform", "scale": 0.001, "colour": "#aabbcc"},
            {"number": 1, "format": "stl", "part": "rod", "scale": 1.0, "colour": "#8b949e"},
        ]
        served = operator.anybody().get("/api/mesh/0")
        assert served.content == (tmp_path / "cab.glb").read_bytes()
        assert served.headers["content-type"] == "model/gltf-binary"
        assert "it is no stl file" in operator.refusal(404, "GET", "/api/mesh/2")
        assert "no mesh 3" in operator.refusal(404, "GET", "/api/mesh/3")
        assert "no mesh -1" in operator.refusal(404, "GET", "/api/mesh/-1")
        assert operator.get("/api/mesh/..%2f..%2fetc").status_code == 404
        assert "number" in operator.refusal(422, "GET", "/api/mesh/0.5")


def test_the_text_of_a_recording_names_no_files(operator: Page, tmp_path: Path) -> None:
    """It may come from anybody: a picture is shown only where the running base names the same file."""
    text = platform_text(own_platform(tmp_path))
    with Writer(hexapod_schema(), name="rig_replay", platform=text) as ring:
        ring.publish()
        wait_for(lambda: operator.get("/api/scene", source="replay").status_code == 200)
        assert operator.get("/api/scene", source="replay").json()["meshes"] == []
        assert "running base" in operator.refusal(404, "GET", "/api/mesh/0?source=replay")


# ---- demands ----


def test_leg_demand_is_that_of_the_kinematics() -> None:
    """Lengths against the pose kernels, rates against central differences of them."""
    from motionbase.compile import compile

    platform = load_platform("simona")
    kinematics, judge = Kinematics(platform), Judge(platform)
    pose, inverse = compile(kinematics.pose_of_dof), compile(kinematics.inverse)

    def lengths(dof: np.ndarray) -> np.ndarray:
        return np.asarray(inverse(*pose(dof))[0])

    rng, h = np.random.default_rng(1), 1e-6
    dof, rate = 0.2 * rng.standard_normal((2, 5, 6))
    dofs = np.stack([dof, rate, np.zeros_like(dof)]).transpose(2, 0, 1)
    l, l_dot = judge.leg_lengths(Demand(np.arange(5.0), dofs, np.zeros((6, 3, 5))))
    for k in range(5):
        np.testing.assert_allclose(l[:, k], lengths(dof[k]), rtol=1e-13)
        slope = (lengths(dof[k] + h * rate[k]) - lengths(dof[k] - h * rate[k])) / (2 * h)
        np.testing.assert_allclose(l_dot[:, k], slope, atol=1e-8)  # 1e-16 * 3 m / 1e-6


def host_row(**values: float) -> np.ndarray:
    schema = hexapod_schema()
    row = np.zeros(len(schema.channels))
    for name, value in {"host_frames": 10.0, "host_age": 0.01, **values}.items():
        row[schema.index[name]] = value
    return row


def test_a_host_demand_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    schema = hexapod_schema()
    with Writer(schema, name="rig", platform=platform_text("simona")) as ring:
        judge = judge_of(ring.header)
        assert judge is not None
        judge.prepare()
        fine = host_demand(ring.header, schema, host_row())
        assert fine is not None and fine.exceeded == [] and fine.age_s == 0.01 and fine.frames == 10
        # each axis is within its limit, all of them together are beyond the legs
        corner = host_row(host_surge=0.6, host_sway=0.6, host_heave=0.5, host_roll=0.3, host_pitch=0.3, host_yaw=0.3)
        beyond = host_demand(ring.header, schema, corner)
        assert beyond is not None and beyond.exceeded and all(s.startswith("leg ") for s in beyond.exceeded)
        fast = host_demand(ring.header, schema, host_row(host_heave_dot=2.0))
        assert fast is not None and "heave velocity is 2 m/s, its limit is 0.9 m/s" in fast.exceeded
        turned = host_demand(ring.header, schema, host_row(host_yaw_dot=2.0))
        assert turned is not None and any(s.startswith("yaw velocity is 114.6 deg/s, ") for s in turned.exceeded)
        silent = host_demand(ring.header, schema, host_row(host_frames=0.0, host_heave=9.0))
        assert silent is not None and silent.exceeded == [] and silent.age_s is None
        odd = host_demand(ring.header, schema, host_row(host_heave=np.nan))
        assert odd is not None and any("no number" in s for s in odd.exceeded)
    assert host_demand(None, None, None) is None and len(DOFS) == 6
    assert json.loads(fine.model_dump_json())["frames"] == 10
