"""What single formats have besides: sizes, other packets, files of channels, signs that a person may turn."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import UsageError
from motionbase.host.format import NOTHING, Frame, Options
from motionbase.host.formats import format_of
from motionbase.host.url import Udp, source_of
from tests.host.telemetry import layouts
from tests.host.telemetry.doing import DOINGS, Doing
from tests.host.telemetry.layouts import BUILDERS, LEVEL, T0, put

ALL = DOINGS["everything"]


def decode(name: str, *datagrams: bytes, options: Options = Options()) -> Frame | None:  # noqa: B008 - frozen
    decoder = format_of(name).decoder(options)
    return [decoder.decode(data) for data in datagrams][-1]


def row(frame: Frame | None) -> list[float]:
    assert frame is not None and frame is not NOTHING
    return list(frame.row)


@pytest.mark.parametrize("size", [232, 311, 324, 331])
def test_forza_has_one_beginning(size: int) -> None:
    assert decode("forza", layouts.forza(ALL, 3.0, size)) == decode("forza", layouts.forza(ALL, 3.0))


def test_forza_in_a_menu_tells_nothing() -> None:
    assert decode("forza", bytes(324)) is NOTHING
    assert decode("forza", put(232, (0, "<i", 5))) is None


def test_beamng_from_spacemonkey_has_a_time() -> None:
    plain = layouts.beamng(ALL, 0.0)
    for size in (160, 176):
        longer = bytearray(b"BNG2" + plain[4:] + bytes(size - 88))
        struct.pack_into("<f", longer, size - 4, 12.5)
        frame = decode("beamng", bytes(longer))
        assert frame is not None and frame.stamp == 12.5 and row(frame) == row(decode("beamng", plain))


def test_xplane_stands_on_its_wheels() -> None:
    data = layouts.xplane(ALL, 5.0)

    def on_ground(*forces: float) -> float:
        gear = struct.pack("<i8f", 66, *forces, *(-999.0,) * (8 - len(forces)))
        return row(decode("xplane", data, data + gear))[12]

    assert on_ground(0.0, 812.5, 790.0) == 1.0
    assert on_ground(0.0, 0.0, 0.0) == on_ground(np.nan, np.nan, np.nan) == 0.0
    assert row(decode("xplane", data))[12] == 0.0  # the row is not switched on


def test_xplane_finds_its_rows_wherever_they_are() -> None:
    data = layouts.xplane(ALL, 5.0)
    rows = [data[at : at + 36] for at in range(5, len(data), 36)]
    decoder = format_of("xplane").decoder(Options())
    first = decoder.decode(data)
    for order in ((4, 3, 2, 1, 0), (2, 3, 4, 1, 0), (0, 1, 2, 3, 4)):
        assert row(decoder.decode(b"DATAx" + b"".join(rows[k] for k in order))) == row(first)
    without_time = decoder.decode(b"DATA*" + b"".join(rows[2:]))
    assert without_time is not None and without_time.stamp is None
    assert decoder.decode(b"DATA*" + rows[2] + rows[3]) is NOTHING  # a row is not switched on
    assert decoder.decode(b"DATA*" + b"".join(rows)[:-1]) is None
    unused = struct.pack("<i8f", 16, *(-999.0,) * 8)
    frame = decoder.decode(b"DATA*" + rows[2] + unused + rows[4])
    assert frame is None or abs(frame.row[3]) < 20  # 999 degrees a second, if it is believed


@pytest.mark.parametrize("size", [64, 68, 72, 92, 84, 80, 112, 104, 232, 272])
def test_outsim_old_and_new(size: int) -> None:
    np.testing.assert_allclose(
        row(decode("lfs", layouts.lfs(ALL, 4.0, size))), row(decode("lfs", layouts.lfs(ALL, 4.0)))
    )


def test_outsim_of_other_sizes_is_refused() -> None:
    assert decode("lfs", layouts.lfs(ALL, 4.0, 76)) is None
    assert decode("lfs", layouts.lfs(ALL, 4.0, 272)[4:]) is None


def test_f1_of_2026_has_thousandths() -> None:
    frame = decode("f1", layouts.f1_ex(ALL, 4.0, 2026), layouts.f1_2026(ALL, 4.0))
    expected = row(decode("f1", layouts.f1_ex(ALL, 4.0), layouts.f1(ALL, 4.0)))
    np.testing.assert_allclose(row(frame), expected, atol=0.6e-3 * 9.80665)  # half a thousandth of g
    assert frame is not None and (frame.sequence, frame.run) == (None, 0xFEED0000BEEF)


def test_f1_packets_without_motion_tell_nothing() -> None:
    for packet in (1, 2, 3, 6, 7, 10, 15):
        assert decode("f1", put(1000, *layouts.f1_header(2025, packet, 1.0))) is NOTHING
    assert decode("f1", put(1349, *layouts.f1_header(2019, 0, 1.0))) is None
    assert decode("f1", put(1349, *layouts.f1_header(2025, 0, 1.0, car=22))) is None
    assert decode("f1", put(1325, *layouts.f1_header(2025, 0, 1.0))) is None


def test_f1_takes_rates_of_its_own_session_only() -> None:
    turning = Doing(turns_right=0.5)
    assert row(decode("f1", layouts.f1_ex(turning, 4.0), layouts.f1(turning, 4.02)))[5] == pytest.approx(-0.5)
    assert row(decode("f1", layouts.f1_ex(turning, 4.0), layouts.f1(turning, 9.0)))[5] == 0.0
    other = bytearray(layouts.f1(turning, 4.0))
    other[7] ^= 1
    assert row(decode("f1", layouts.f1_ex(turning, 4.0), bytes(other)))[5] == 0.0


def test_flightgear_in_the_air_and_on_its_wheels() -> None:
    data = bytearray(layouts.flightgear(ALL, 1.0))
    assert row(decode("flightgear", bytes(data)))[12] == 1.0
    struct.pack_into(">3I", data, 308, 0, 0, 0)
    assert row(decode("flightgear", bytes(data)))[12] == 0.0
    struct.pack_into(">I", data, 0, 25)
    assert decode("flightgear", bytes(data)) is None


def test_the_generic_protocol_asks_for_what_is_decoded() -> None:
    """Types and order of the chunks in our XML file are the layout: 8 and 1 byte, and the name at the end."""
    text = (Path(format_of.__code__.co_filename).parent / "telemetry/scripts/motionbase.xml").read_text()
    kinds = [chunk.split("</type>")[0] for chunk in text.split("<type>")[1:]]
    assert kinds == ["double"] * 10 + ["bool"] * 3 and "network" in text and "magic,0x4D424647" in text
    assert len(layouts.flightgear_generic(ALL, 1.0)) == 10 * 8 + 3 + 4


def test_codemasters_side_is_left_or_right() -> None:
    """The same motion with the other side vector; the world is right-handed, so that tells which it is."""
    datagrams = [layouts.codemasters(ALL, T0 + k / 100) for k in range(4)]
    others = []
    for data in datagrams:
        side = struct.unpack_from("<3f", data, 44)
        others.append(data[:44] + struct.pack("<3f", *(-x for x in side)) + data[56:])
    assert row(decode("codemasters", *datagrams)) == row(decode("codemasters", *others))


def test_codemasters_put_elsewhere_is_no_blow() -> None:
    datagrams = [layouts.codemasters(LEVEL, T0 + k / 100) for k in range(3)]
    jump = bytearray(datagrams[2])
    struct.pack_into("<3f", jump, 32, 0.0, 0.0, -60.0)
    np.testing.assert_allclose(row(decode("codemasters", *datagrams[:2], bytes(jump)))[:3], [0, 0, 9.80665], atol=1e-4)


def structure(tmp_path: Path, channels: list[str], header: list[str] | None = None) -> str:
    path = tmp_path / "mine.json"
    packets = [{"id": "session_update", "channels": channels}, {"id": "session_start", "channels": ["stage_length"]}]
    path.write_text(json.dumps({"id": "mine", "header": {"channels": header or []}, "packets": packets}))
    return str(path)


def test_eawrc_channels_of_a_player(tmp_path: Path) -> None:
    """A name, then only what is needed, in an order of the player's own."""
    vectors = [f"vehicle_{n}_{x}" for n in ("velocity", "left_direction", "forward_direction") for x in "xyz"]
    path = structure(tmp_path, ["vehicle_gear_index", *vectors, "game_total_time"], ["packet_4cc"])
    whole = layouts.eawrc(LEVEL, T0)
    body = b"\1" + whole[61:73] + whole[85:97] + whole[97:109] + whole[8:12]
    options = Options(layout=path)
    np.testing.assert_allclose(row(decode("eawrc", b"SESU" + body, options=options)), row(decode("eawrc", whole)))
    assert decode("eawrc", b"SESP" + body, options=options) is NOTHING
    assert decode("eawrc", b"XXXX" + body, options=options) is None
    assert decode("eawrc", b"SESS" + bytes(8), options=options) is NOTHING
    assert decode("eawrc", b"SESU" + body + b"\0", options=options) is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is no structure"),
        ("[]", "is no structure"),
        ('{"header": {"channels": []}, "packets": []}', "is no structure"),
        ('{"header": {"channels": [4]}, "packets": [{"id": "session_update", "channels": []}]}', "is no structure"),
        (
            '{"header": {"channels": ["vehicle_sped"]}, "packets": [{"id": "session_update", "channels": []}]}',
            "did you",
        ),
        ('{"header": {"channels": []}, "packets": [{"id": "session_update", "channels": ["packet_uid"]}]}', "lacks"),
    ],
)
def test_eawrc_files_that_are_none(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=sentence):
        format_of("eawrc").decoder(Options(layout=str(path)))


def test_eawrc_without_its_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        format_of("eawrc").decoder(Options(layout=str(tmp_path / "none.json")))


def test_dcs_on_the_ground() -> None:
    data = layouts.dcs(ALL, 1.0)
    assert row(decode("dcs", data))[12] == 0.0 and row(decode("dcs", data + b";1"))[12] == 1.0
    for bad in (data + b";1;2", data.replace(b";", b","), data + b";x", b";" * 14, "１;".encode() * 15):
        assert decode("dcs", bad) is None


@pytest.mark.parametrize("name", BUILDERS)
def test_signs_may_be_turned(name: str) -> None:
    """A mirrored host, turned back: the row of the mirrored motion."""
    mirrored = Options(flip=("f_y", "omega_x", "omega_z", "alpha_x", "alpha_z", "roll", "yaw"))
    datagrams = [BUILDERS[name](ALL, T0 + k / 60) for k in range(4)]
    plain, turned = row(decode(name, *datagrams)), row(decode(name, *datagrams, options=mirrored))
    signs = np.array([1, -1, 1, -1, 1, -1, -1, 1, -1, -1, 1, -1, 1])
    np.testing.assert_allclose(turned, signs * plain, atol=1e-9)


def test_urls_name_signs_and_files() -> None:
    source = source_of("udp://127.0.0.1:4444?format=beamng&flip=f_y,pitch&lever=1,0,0.5")
    assert isinstance(source, Udp) and source.options.flip == ("f_y", "pitch")
    source = source_of("udp://127.0.0.1:20789?format=eawrc&layout=a%20b.json")
    assert isinstance(source, Udp) and source.options.layout == "a b.json"
    with pytest.raises(UsageError, match="'pitch'"):
        source_of("udp://127.0.0.1?format=beamng&flip=pich")
    with pytest.raises(UsageError, match="layout"):
        source_of("udp://127.0.0.1?format=beamng&layout=x.json")


XML = '<custom_udp><!-- mine --><fourcc channel="magic"/>{}</custom_udp>'


def test_custom_udp_of_a_player(tmp_path: Path) -> None:
    """Only what is needed, in another order, some of it scaled."""
    names = [
        *("local_velocity_x", "local_velocity_y", "local_velocity_z", "yaw", "pitch", "roll"),
        *("yaw_velocity", "pitch_velocity", "roll_velocity", "total_time"),
    ]
    path = tmp_path / "mine.xml"
    path.write_text(XML.format("".join(f'<float scale="100" channel="{name}"/>' for name in names)))
    wholes = [layouts.custom_udp(ALL, T0 + k / 60) for k in range(4)]
    mine = []
    for whole in wholes:
        values = struct.unpack("<65f", whole)
        at = {"total_time": 0, "yaw": 2, "pitch": 3, "roll": 4, "yaw_velocity": 5, "pitch_velocity": 6}
        at |= {"roll_velocity": 7, "local_velocity_x": 14, "local_velocity_y": 15, "local_velocity_z": 16}
        mine.append(b"DIRT" + struct.pack("<10f", *(100 * values[at[name]] for name in names)))
    found = row(decode("custom-udp", *mine, options=Options(layout=str(path))))
    np.testing.assert_allclose(found, row(decode("custom-udp", *wholes)), atol=0.02)  # float32 of 1000 s: 6e-5 s
    assert decode("custom-udp", mine[0] + b"\0" * 4, options=Options(layout=str(path))) is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is no description"),
        ("<a><float/></a>", "is no description"),
        ('<a><float channel="x" scale="0"/></a>', "is no description"),
        ('<a><double channel="x"/></a>', "is no description"),
        ("<a/>", "lacks total_time"),
    ],
)
def test_custom_udp_files_that_are_none(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "bad.xml"
    path.write_text(text)
    with pytest.raises(UsageError, match=sentence):
        format_of("custom-udp").decoder(Options(layout=str(path)))


def test_iracing_in_a_menu_tells_nothing() -> None:
    """All variables are zero there, the acceleration too, which would be free fall."""
    data = layouts.iracing(ALL, 1.0)
    assert decode("iracing", data[:-8] + bytes(8)) is NOTHING
