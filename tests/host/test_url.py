"""URLs: what they say, and one clear sentence for what they cannot mean."""

import math
from ipaddress import ip_network
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.errors import UsageError
from motionbase.host.format import Kind
from motionbase.host.receiver import LOOPBACK
from motionbase.host.url import Played, Udp, source_of, target_of
from tests.tier import often


def udp(text: str) -> Udp:
    found = source_of(text)
    assert isinstance(found, Udp)
    return found


def played(text: str) -> Played:
    found = source_of(text)
    assert isinstance(found, Played)
    return found


def test_loopback_and_our_own_frame_unless_said_otherwise() -> None:
    for text in ("udp://", "udp://127.0.0.1", "udp://localhost:8730", "udp://:8730", "udp://127.0.0.1:8730/"):
        found = udp(text)
        assert (found.address, found.port, found.form.name) == ("127.0.0.1", 8730, "motionbase")
        assert found.allowed == LOOPBACK and not found.requests
    assert udp("udp://[::1]:7").address == "::1"
    assert udp("udp://?format=motionbase-vehicle").kind is Kind.VEHICLE


def test_other_addresses_need_hosts_that_may_send() -> None:
    found = udp("udp://192.168.1.2:9000?from=192.168.1.20,10.0.0.0/8&requests=yes")
    assert found.allowed == (ip_network("192.168.1.20/32"), ip_network("10.0.0.0/8")) and found.requests


def test_things_that_are_played() -> None:
    found = played("file://runs/a%20b.csv?rate=80&loop=yes&kind=pose&start=1&stop=2.5")
    assert found.path == Path("runs/a b.csv")
    assert (found.rate, found.loop, found.kind, found.start, found.stop) == (80.0, True, Kind.POSE, 1.0, 2.5)
    assert played("file:///tmp/a.mcap").path == Path("/tmp/a.mcap")
    found = played("ring://motionbase?channels=cmd")
    assert (found.scheme, found.name, found.channels) == ("ring", "motionbase", "cmd")
    found = played("manoeuvre://stall?amplitude=2&rate=80")
    assert (found.name, found.rate, found.settings) == ("stall", 80.0, (("amplitude", 2.0),))


def test_targets() -> None:
    assert target_of("udp://10.0.0.5:9?format=motionbase").address == "10.0.0.5"


WRONG = {
    "127.0.0.1:8730": "is no URL; give one such as udp://127.0.0.1:8730?format=motionbase or file://PATH",
    "": "is no URL",
    "upd://127.0.0.1:8730": "no scheme 'upd'; did you mean 'udp'? (schemes: udp, file, ring, manoeuvre)",
    "udp://127.0.0.1:8730?format=motionbse": "no format 'motionbse'; did you mean 'motionbase'?",
    "udp://127.0.0.1:8730?fromat=motionbase": "no option 'fromat'; did you mean 'format'?",
    "udp://127.0.0.1:8730?format": "'format' is no option; options are NAME=VALUE, with & between them",
    "udp://127.0.0.1:8730?format=": "'format=' is no option",
    "udp://127.0.0.1:8730?format=motionbase&format=motionbase": "format is given twice",
    "udp://127.0.0.1:8730?lever=0,0,0": "no option 'lever'",
    "udp://127.0.0.1:x": "'x' is no port; an address is ADDRESS:PORT, such as 127.0.0.1:8730",
    "udp://127.0.0.1:": "'' is no port",
    "udp://127.0.0.1:0": "the port is 0, it must be 1 to 65535",
    "udp://127.0.0.1:65536": "the port is 65536",
    "udp://127.0.0.1:²": "is no port",
    "udp://simulator:8730": "'simulator' is no address; give numbers such as 127.0.0.1, or localhost",
    "udp://[::1:8730": "an IPv6 address stands in brackets",
    "udp://::1:8730": "is no port",
    "udp://0.0.0.0:8730": "listens beyond this machine; say who may send, such as from=192.168.1.20 or from=192.168.1",
    "udp://0.0.0.0:8730?from=all": "from has 'all', it must be addresses such as 192.168.1.20 or networks",
    "udp://0.0.0.0:8730?from=192.168.1.20/24": "from has '192.168.1.20/24'",
    "udp://:8730?requests=maybe": "requests is 'maybe', it must be yes or no",
    "udp://:8731?answer=0": "answer is 0, it must be 1 to 65535",
    "udp://:8731?answer=x": "'x' is no port",
    "udp://:8731?format=text&flip=f_x": "flip: no quantity 'f_x'; quantities: surge, sway, heave, roll, pitch, yaw",
    "file://": "has no path after file://",
    "ring://?rate=60": "has no name after ring://",
    "file://a.csv?rate=0": "rate is '0', it must be 1 to 1000 Hz",
    "file://a.csv?rate=nan": "rate is 'nan', it must be 1 to 1000 Hz",
    "file://a.csv?start=2&stop=1": "start is 2 s, it must be before stop, 1 s",
    "file://a.csv?kind=legs": "kind is 'legs', it must be pose or vehicle",
    "ring://a?loop=yes": "no option 'loop'",
    "file://a.csv?channels=legs": "channels is 'legs', it must be host or cmd or pose_hat",
    "manoeuvre://stall?amplitude=much": "amplitude is no number",
    "udp://127.0.0.1\n": "is no URL: it must be printable",
    "u" * 1001: "it must be printable, of at most 1000 letters",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_urls_are_told_in_one_sentence(text: str) -> None:
    with pytest.raises(UsageError) as error:
        source_of(text)
    assert WRONG[text] in str(error.value)
    assert "\n" not in str(error.value) and len(str(error.value)) < 400


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("file://a.csv", "datagrams are sent to udp://ADDRESS:PORT"),
        ("udp://0.0.0.0:9", "0.0.0.0 is no address to send to"),
        ("udp://127.0.0.1:9?from=127.0.0.1", "no option 'from'"),
    ],
)
def test_wrong_targets(text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence.replace(".", r"\.")):
        target_of(text)


PIECES = [
    "udp://",
    "file://",
    "ring://",
    "127.0.0.1",
    ":",
    "8730",
    "?",
    "&",
    "=",
    "format",
    "from",
    "rate",
    "[",
    "/",
    "%",
]


@settings(max_examples=often(400))
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=12).map("".join)))
def test_any_text_is_a_url_or_an_error(text: str) -> None:
    try:
        found = source_of(text)
    except UsageError:
        return
    assert isinstance(found, Played) or (1 <= found.port <= 65535 and math.isfinite(sum(found.options.lever)))
