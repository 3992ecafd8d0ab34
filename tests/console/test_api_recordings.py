"""The recordings folder over the border: what is listed, read, sent and taken, and that nothing else can be named."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.console.api import names
from motionbase.console.api.opened import OpenRecordings
from motionbase.console.api.recordings import damage_times
from motionbase.console.live.frames import decode
from motionbase.errors import MotionBaseError
from motionbase.recording.open import open_recording
from motionbase.recording.recording import Recording
from motionbase.recording.source import Damage
from tests.console.api_rig import Page
from tests.console.recordings_rig import COUNT, SCHEMA, recordings_page
from tests.recording.files import bits, waves, write_mcap


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with recordings_page(tmp_path_factory.mktemp("recordings")) as made:
        yield made


def test_files_are_listed_with_what_they_are(operator: Page) -> None:
    listed = {f["file"]: f for f in operator.anybody().get("/api/recordings").json()}
    assert "run.mcap" in listed and "leads_out.csv" not in listed
    run = operator.console.settings.recordings / "run.mcap"
    assert listed["run.mcap"] == {
        "file": "run.mcap", "bytes": run.stat().st_size, "modified_utc": run.stat().st_mtime, "format": "mcap",
        "is_written": False,
    }  # fmt: skip


def test_a_file_that_a_recorder_writes_is_marked(operator: Page) -> None:
    run = operator.console.settings.recordings / "run.mcap"
    status = Path(os.environ["MOTIONBASE_RING_FOLDER"]) / "motionbase-rig.recorder.json"
    status.write_text(json.dumps({"file": str(run)}))
    try:
        listed = {f["file"]: f["is_written"] for f in operator.get("/api/recordings").json()}
        assert listed["run.mcap"] is True and listed["broken.mcap"] is False
    finally:
        status.unlink()


def test_info_tells_what_it_holds(operator: Page) -> None:
    info = operator.get("/api/recordings/info", file="run.mcap").json()
    assert info["records"] == COUNT and info["start"] == 0.0 and info["end"] == pytest.approx((COUNT - 1) / 1000)
    assert [c["name"] for c in info["recording_schema"]["channels"]] == [c.name for c in SCHEMA.channels]
    assert [(e["t"], e["text"]) for e in info["events"]] == [(0.02, "begin"), (0.5, "größer: 5 µm")]
    assert info["rate_hz"] == pytest.approx(1000) and info["epoch_utc"] == 1.7e9 and info["about"]["ring"] == "test"


def test_a_window_of_few_records_is_exact_to_the_bit(operator: Page) -> None:
    answer = operator.get("/api/recordings/window", file="run.mcap", channels="2,0", **{"from": 1.0, "to": 1.5})
    frame = decode(answer.content)
    assert frame.header["bucket"] == 1 and frame.header["count"] == 501 and frame.header["channels"] == [2, 0]
    assert (frame.header["first_t"], frame.header["last_t"]) == (0.0, (COUNT - 1) / 1000)
    found = frame.columns()
    rows = waves(SCHEMA, COUNT)[1000:1501]
    np.testing.assert_array_equal(bits(found["least"][0]), bits(rows[:, 2]))
    np.testing.assert_array_equal(found["t"], found["least"][1])


def test_no_spike_is_lost_in_a_picture(operator: Page) -> None:
    frame = decode(operator.get("/api/recordings/window", file="run.mcap", channels="1,2", pixels=100).content)
    found = frame.columns()
    assert frame.header["bucket"] > 1 and 50 <= frame.header["count"] <= 100
    assert found["most"][0].max() == 1000.0 and np.all(found["least"] <= found["most"])
    at = found["t"][int(np.argmax(found["most"][0]))]
    assert at == pytest.approx((COUNT // 2 + 3) / 1000, abs=COUNT / 1000 / 50)


@pytest.mark.parametrize(("start", "stop", "pixels"), [(1.0, 9.0, 700), (0.0, None, 100), (0.005, None, 3)])
def test_many_channels_are_read_once_and_are_those_of_each(
    operator: Page, monkeypatch: pytest.MonkeyPatch, start: float, stop: float | None, pixels: int
) -> None:
    """Against the records themselves; pixels end within pieces of the file as well as between them."""
    rows = waves(SCHEMA, COUNT)
    with open_recording(operator.console.settings.recordings / "run.mcap") as recording:
        names = list(SCHEMA.index)[2:]
        recording.pyramid()
        reads: list[object] = []
        pieces = Recording.pieces

        def counted(*a: Any, **k: Any) -> Any:
            reads.append(a)
            return pieces(*a, **k)

        monkeypatch.setattr(Recording, "pieces", counted)
        t, least, most = recording.envelopes(names, start, stop, pixels)
        assert len(reads) <= 1 and len(t) <= pixels
        first, last = recording.rows_between(start, stop)
    bounds = np.append(np.rint(t * 1000).astype(int), last)
    assert abs(bounds[0] - first) < 256 and np.all(np.diff(bounds) > 0)
    for k in range(len(t)):
        part = rows[bounds[k] : bounds[k + 1], 2:]
        tolerance = 2e-7  # the overview rounds outwards to float32
        assert np.all(least[:, k] <= part.min(axis=0)) and np.all(least[:, k] >= part.min(axis=0) - tolerance)
        assert np.all(most[:, k] >= part.max(axis=0)) and np.all(most[:, k] <= part.max(axis=0) + tolerance)


def test_damage_has_its_times(operator: Page) -> None:
    path = operator.console.settings.recordings / "spoilt.csv"
    path.write_text("t,x1\n" + "".join(f"{k / 10},{'oops' if 3 <= k <= 4 else k}\n" for k in range(10)))
    operator.get("/api/recordings/window", file="spoilt.csv", channels="1")  # damage is found by reading
    info = operator.get("/api/recordings/info", file="spoilt.csv").json()
    assert len(info["damage"]) == len(info["damage_at"]) == 2
    np.testing.assert_allclose(info["damage_at"], [[0.3, 0.3], [0.4, 0.4]], atol=1e-9)
    path.unlink()


@pytest.mark.parametrize(
    ("damage", "times"),
    [
        (Damage("as a whole"), None),
        (Damage("unreadable", 100, 200), (0.1, 0.199)),
        (Damage("missing", 100, 100), (0.099, 0.1)),
        (Damage("missing at the beginning", 0, 0), (0.0, 0.0)),
        (Damage("missing at the end", COUNT, COUNT), ((COUNT - 1) / 1000, (COUNT - 1) / 1000)),
    ],
)
def test_times_of_damage(operator: Page, damage: Damage, times: tuple[float, float] | None) -> None:
    with open_recording(operator.console.settings.recordings / "run.mcap") as recording:
        found = damage_times(recording, damage)
    assert found == (None if times is None else pytest.approx(times))


# ---- channels by formula ----


def computed(operator: Page, formula: str, pixels: int, **asked: object) -> dict[str, Any]:
    answer = operator.get("/api/recordings/window", file="run.mcap", formula=formula, pixels=pixels, **asked)
    assert answer.status_code == 200, answer.text
    frame = decode(answer.content)
    assert frame.header["channels"][-1] == len(SCHEMA.channels)
    return {"bucket": frame.header["bucket"], **frame.columns()}


def test_a_formula_is_computed_in_a_recording_to_the_bit(operator: Page) -> None:
    rows = waves(SCHEMA, COUNT)
    found = computed(operator, "x2 - x5", 2000, **{"from": 1.0, "to": 1.5})
    assert found["bucket"] == 1
    np.testing.assert_array_equal(bits(found["least"][0]), bits(rows[1000:1501, 2] - rows[1000:1501, 5]))
    rate = computed(operator, "rate(x2)", 2000, **{"from": 1.0, "to": 1.5})["least"][0]
    wanted = np.diff(rows[999:1501, 2]) / np.diff(rows[999:1501, 0])
    np.testing.assert_array_equal(bits(rate), bits(wanted), "the record before the stretch counts")
    assert np.isnan(computed(operator, "rate(x2)", 2000, to=0.5)["least"][0][0])


@pytest.mark.parametrize("pixels", [40, 100, 700])
def test_a_picture_of_a_formula_has_the_bins_of_channels_and_loses_no_spike(operator: Page, pixels: int) -> None:
    both = computed(operator, "2 * x1 + x1", pixels, channels="1")
    np.testing.assert_allclose(both["least"][1], 3 * both["least"][0], rtol=1e-6, atol=1e-6)  # float32 of pyramids
    np.testing.assert_allclose(both["most"][1], 3 * both["most"][0], rtol=1e-6, atol=1e-6)
    assert both["most"][1].max() == 3000.0, "the spike of one record"
    part = computed(operator, "2 * x1 + x1", pixels, channels="1", **{"from": 3.3, "to": 17.7})
    np.testing.assert_allclose(part["most"][1], 3 * part["most"][0], rtol=1e-6, atol=1e-6)


def test_channels_of_operators_stand_in_the_schema_of_recordings(operator: Page) -> None:
    wanted = {"name": "twice", "formula": "2 * x1"}
    answer = operator.call("POST", "/api/derive?file=run.mcap", wanted)
    assert answer.status_code == 200, answer.text
    made = answer.json()["channels"][-1]
    assert (made["name"], made["unit"], made["place"], made["formula"]) == (
        "twice",
        "N",
        len(SCHEMA.channels),
        "2 * x1",
    )
    info = operator.get("/api/recordings/info", file="run.mcap").json()
    assert info["derived"] == [made] and len(info["recording_schema"]["channels"]) == len(SCHEMA.channels)
    assert "N and - cannot" in operator.refusal(
        422, "POST", "/api/derive?file=run.mcap", {"name": "no", "formula": "x1 + x2"}
    ).replace("a number without a unit", "-")
    assert "the recording itself has a channel 'x1'" in operator.refusal(
        422, "POST", "/api/derive?file=run.mcap", {"name": "x1", "formula": "x2"}
    )
    left = operator.call("DELETE", "/api/derive/twice?file=run.mcap").json()["channels"]
    assert len(left) == len(SCHEMA.channels)


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"channels": "99"}, "'99' is no place"),
        ({"channels": "-1"}, "no place"),
        ({"channels": ""}, "0 places"),
        ({"channels": ",".join(["1"] * 65)}, "65 places"),
        ({"channels": "1", "pixels": 0}, "pixels is 0"),
        ({"channels": "1", "pixels": 10**9}, "pixels"),
        ({"channels": "1", "from": "nan"}, "no time"),
        ({"channels": "1", "from": "3", "to": "2"}, "before the first"),
        ({"channels": "1", "from": "soon"}, "from"),
        ({"channels": "1", "file": "gone.mcap"}, "there is no file"),
        ({"channels": "1", "file": "broken.mcap"}, "broken.mcap"),
    ],
)
def test_a_window_that_cannot_be_is_a_sentence(operator: Page, asked: dict[str, object], what: str) -> None:
    answer = operator.get("/api/recordings/window", **{"file": "run.mcap", **asked})
    assert answer.status_code in (404, 422) and what in answer.json()["detail"], answer.text


def test_a_download_is_the_file(operator: Page) -> None:
    answer = operator.get("/api/recordings/download", file="run.mcap")
    assert answer.content == (operator.console.settings.recordings / "run.mcap").read_bytes()
    assert answer.headers["content-disposition"] == 'attachment; filename="run.mcap"'


OUTSIDE = (
    "../secret.csv", "..%2fsecret.csv", "%2e%2e/secret.csv", "a/../../secret.csv", "/etc/passwd", "//etc/passwd",
    "leads_out.csv", "..\\secret.csv", "run.mcap/../../secret.csv", "estop/../../secret.csv", "./run.mcap",
    "run.mcap\x00.csv", "", ".hidden.csv", "estop", "estop/", "~/x.csv", "file:///etc/passwd.csv", "run.mcap/",
)  # fmt: skip


@pytest.mark.parametrize("address", ["info", "download", "window"])
@pytest.mark.parametrize("file", OUTSIDE)
def test_nothing_outside_the_folder_can_be_named(operator: Page, address: str, file: str) -> None:
    answer = operator.get(f"/api/recordings/{address}", file=file, channels="0")
    assert answer.status_code in (404, 422) and isinstance(answer.json()["detail"], str)


@pytest.mark.parametrize("file", OUTSIDE)
def test_nothing_outside_can_be_replayed_or_exported(operator: Page, file: str) -> None:
    for address, body in (("replay", {"file": file}), ("export", {"file": file, "format": "csv"})):
        answer = operator.call("POST", f"/api/{address}", body)
        assert answer.status_code in (404, 422), answer.text
    assert not (operator.console.settings.recordings / "exports").exists()


PARTS = st.sampled_from(
    ["..", ".", "", "a", "run.mcap", "estop", "~", "%2e%2e", "..%2f", "\\", "\x00", "é", "x" * 300, "deep", "link"]
)


@given(parts=st.lists(st.one_of(PARTS, st.text(max_size=20)), min_size=1, max_size=6), absolute=st.booleans())
def test_whatever_is_named_is_inside_or_refused(tmp_path_factory: pytest.TempPathFactory, parts: list[str],
                                                absolute: bool) -> None:  # fmt: skip
    """The oracle is the system: the real path of the file that is given back is below the real folder."""
    folder = _tree(tmp_path_factory)
    name = ("/" if absolute else "") + "/".join(parts)
    try:
        found = names.inside(folder / "in", name, names.RECORDINGS)
    except MotionBaseError:
        return
    assert found.is_file() and os.path.realpath(found).startswith(os.path.realpath(folder / "in") + os.sep)


_trees: list[Path] = []


def _tree(factory: pytest.TempPathFactory) -> Path:
    if not _trees:
        made = factory.mktemp("tree")
        (made / "in" / "a" / "deep").mkdir(parents=True)
        for place in ("in/run.mcap", "in/a/run.mcap", "in/a/deep/run.mcap", "run.mcap"):
            (made / place).write_text("x")
        (made / "in" / "link").symlink_to(made)
        _trees.append(made)
    return _trees[0]


def test_recordings_stay_open_while_they_are_used_and_are_opened_anew_when_replaced(tmp_path: Path) -> None:
    opened = OpenRecordings(kept=1)
    one, two = (write_mcap(tmp_path / f"{k}.mcap", SCHEMA, waves(SCHEMA, 100 * k)) for k in (1, 2))
    with opened.use(one) as first:
        with opened.use(two) as second:
            assert (first.count, second.count) == (100, 200)
        assert len(first.columns("x1")["x1"]) == 100  # pushed out, and still open
    with opened.use(two) as again:
        assert again is second
    write_mcap(tmp_path / "new.mcap", SCHEMA, waves(SCHEMA, 50))
    os.replace(tmp_path / "new.mcap", two)
    with opened.use(two) as replaced:
        assert replaced.count == 50
    opened.close()


def test_whole_records_come_from_a_time_or_a_number_on(operator: Page) -> None:
    """What a page needs that replays by itself; a viewer's, too."""
    viewer = operator.anybody()
    with open_recording(operator.console.settings.recordings / "run.mcap") as recording:
        names = [channel.name for channel in recording.schema.channels]
        columns = recording.columns(names)
    t, every = columns["time"], np.stack([columns[name] for name in names], axis=1)

    def rows(**query: float) -> tuple[dict[str, Any], Any, Any]:
        answer = viewer.get("/api/recordings/rows", file="run.mcap", **query)
        assert answer.status_code == 200, answer.text
        header, numbers = decode(answer.content)
        count = header["count"]
        return header, numbers[:count], numbers[count:].reshape(count, header["width"])

    header, times, values = rows(at=float(t[100]) + 1e-4, count=8, every=10)
    assert header == {"kind": "rows", "first": 100, "every": 10, "count": 8, "width": len(names)}
    np.testing.assert_array_equal(times, t[100:180:10])
    np.testing.assert_array_equal(values, every[100:180:10])
    header, times, _ = rows(first=len(t) - 3, count=64)
    assert header["count"] == 3 and times[-1] == t[-1]
    for beyond, number in ((-5.0, 0), (1e6, len(t) - 1)):
        assert rows(at=beyond)[0]["first"] == number
    for query, what in (
        ({"at": 1.0, "first": 1}, "give one of `at` and `first`"),
        ({}, "give one of `at` and `first`"),
        ({"at": "nan"}, "at is nan"),
        ({"at": 1, "count": 65}, "count must be 1 to 64"),
        ({"at": 1, "count": 64, "every": 65}, "4096 at most"),
    ):
        said = viewer.refusal(422, "GET", "/api/recordings/rows", params={"file": "run.mcap", **query})
        assert what in said
    assert "carries no platform" in viewer.refusal(
        404, "GET", "/api/recordings/scene", params={"file": "run.mcap"}
    )  # fmt: skip
