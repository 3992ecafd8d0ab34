"""What a host tells of the future on its way to the planner: frames, shared memory, forecast, plans; no real time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.cueing.predictive.forecast import AT_REST, EARLY, STALE, Ahead, Driver, Forecast, Newest
from motionbase.cueing.predictive.horizon import NODES, PERIOD
from motionbase.cueing.run import cue
from motionbase.executive.exchange import HOST, PREVIEW, Exchange, exchange_path
from motionbase.executive.host.feed import LoopRow
from motionbase.executive.host.rows import TOLD, blocks_of
from motionbase.executive.predictive.process import LASTING, Heard, Source, expected
from motionbase.executive.preview import BLOCKS, ROWS, Previews, previews
from motionbase.host.format import Format, Frame, Kind
from motionbase.host.formats import FORMATS
from motionbase.host.manoeuvres.library import manoeuvre_of
from motionbase.host.motions import Series
from motionbase.host.pacing import Paced
from motionbase.host.preview import TIMES
from motionbase.host.protocol.own import encoded
from motionbase.host.receiver import Receiver
from motionbase.ring import names
from motionbase.ring.backend import find
from tests.cueing.predictive.rig import planner
from tests.cueing.predictive.test_following import cueing

ASKED = PERIOD + np.array([0.0, *NODES])  # as the planner asks
OWN: Format = FORMATS["motionbase-vehicle"]
HZ = 60.0


class Wire(NamedTuple):
    """The host's process by hand, at both of its ends."""

    exchange: Exchange
    written: Previews
    read: Previews

    def at(self, t: float) -> None:
        """The loop's time."""
        self.exchange.states.row[:] = [t / 5e-4, t, *(0.0,) * TOLD]
        self.exchange.states.sending()()


@contextmanager
def wire() -> Iterator[Wire]:
    backend = find("rig")
    with (
        Exchange.made(backend, BLOCKS, names.PREVIEW),
        Exchange.made(backend, blocks_of(Kind.VEHICLE), names.HOST) as exchange,
        previews(backend, only_reads=False) as written,
        previews(backend, only_reads=True) as read,
    ):
        yield Wire(exchange, written, read)


def ramp(t: float) -> Frame:
    """A vehicle whose acceleration grows by 2 m/s^3, with the preview of it."""
    rows = tuple((ahead, 2 * (t + ahead), 0.0, 9.8, 0.0, 0.1, 0.0) for ahead in (0.5, 1.0, 3.0))
    return Frame((2 * t, 0.0, 9.8, 0.0, 0.1, *(0.0,) * 8), preview=rows)


def test_a_preview_comes_with_the_time_of_its_frame(ring_folder: Path) -> None:
    with wire() as by:
        told, forecast = LoopRow(by.exchange, by.written), Newest(by.read.newest, Driver())
        told.frame(ramp(0.0), [0] * 6)
        assert by.read.newest() is None  # the loop has not told the time yet
        by.at(3.0)
        told.frame(ramp(1.0)._replace(preview=()), [0] * 6)
        assert by.read.newest() is None
        told.frame(ramp(1.0), [0] * 6)
        by.at(3.1)  # it remains that of its frame
        found = by.read.newest()
        assert found is not None and found.t == 3.0 and found.times.tolist() == [0.0, 0.5, 1.0, 3.0]
        present = np.array([2.2, 0.0, 9.8, 0.0, 0.1, 0.0])
        rows = forecast.ahead(present, 3.1, ASKED)
        np.testing.assert_allclose(rows[:, 0], 2 * (1.1 + ASKED), atol=1e-12)
        assert forecast.is_told and (rows[:, 4] == 0.1).all()
        np.testing.assert_allclose(forecast.ahead(present, 3.1, np.array([0.0, 9.0]))[:, 0], [2.2, 8.0])


def test_what_is_no_preview_is_not_used(ring_folder: Path) -> None:
    with wire() as by, Exchange.made(find("other"), BLOCKS, names.PREVIEW) as file:
        by.at(1.0)
        by.written.tell(ramp(1.0), 1.0, 1.0)
        kept = Exchange.attached(find("rig"), names.PREVIEW, (PREVIEW,), only_reads=True)
        assert kept is not None
        good = kept.answers.get()
        assert good is not None
        reader = Previews(file)
        file.answers.put(good)
        assert reader.newest() is not None
        for place, value in [(1, np.nan), (2, 0.0), (2, 1.0), (2, ROWS + 1.0), (2, 2.5), (2, np.nan), (3, 0.1)] + [
            (place, value) for place in (4, 10, 11) for value in (np.nan, np.inf, 1e5)
        ]:
            bad = good.copy()
            bad[place] = value
            file.answers.put(bad)
            assert reader.newest() is None, (place, value)
        file.answers.put(good)
        assert reader.newest() is not None
        file.path.write_bytes(file.path.read_bytes())  # as it is
        content = np.frombuffer(file.path.read_bytes(), np.uint8).copy()
        content.view(np.uint64)[(64 + 64 + 16 + 63) // 64 * 8] |= 1  # its writer died while it wrote
        with file.path.open("r+b") as torn:
            torn.write(content.tobytes())
        assert reader.newest() is None
        file.answers.put(good)  # the next one repairs that
        assert reader.newest() is not None
        kept.close()


def test_a_file_of_somebody_else_costs_only_the_previews(ring_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = exchange_path(find("rig"), names.PREVIEW)
    for content in (b"", b"MBVX\1\0\1\0\0\0" + bytes(1000), b"MBHX\1\0\30\0\20\0" + bytes(1000)):
        path.write_bytes(content)
        with previews(find("rig"), only_reads=True) as read:
            assert read.newest() is None and not read.are_wanted
        assert "there is no preview: " in capsys.readouterr().err
    path.unlink()
    with previews(find("rig"), only_reads=False) as written:
        written.tell(ramp(0.0), 1.0, 1.0)
        assert not written.are_wanted
    with Exchange.made(find("rig"), blocks_of(Kind.VEHICLE), names.PREVIEW) as other:
        assert other.blocks.magic == HOST
        with previews(find("rig"), only_reads=True) as read:
            assert not read.are_wanted


def test_without_fresh_previews_it_is_the_forecast_of_a_driver(capsys: pytest.CaptureFixture[str]) -> None:
    """To the bit, as it has learnt all the while; and it is said once when that lasts."""
    source, other = Source(), Driver()
    made = expected("preview", source)
    assert isinstance(made, Newest)
    ahead: Ahead | None = None
    told = Newest(lambda: ahead, Driver())
    heard, said = Heard(told), list[tuple[int, str]]()
    for k in range(400):
        t, demand = k * PERIOD, AT_REST + np.sin(0.05 * k)
        if 100 <= k < 200:
            ahead = Ahead(t, np.array([0.0, 2.0]), np.tile(demand, (2, 1)))
        expected_rows, found = other.ahead(demand, t, ASKED), told.ahead(demand, t, ASKED)
        fresh = ahead is not None and t - ahead.t <= STALE
        assert told.is_told == fresh and (found == expected_rows).all() == (not fresh)
        heard.take(t)
        if text := capsys.readouterr().out:
            said.append((k, text[12:].strip()))
    (begun, first), (over, last) = said
    assert begun == 100 + LASTING - 1 and over == pytest.approx(199 + STALE / PERIOD + LASTING, abs=1)
    assert first == "the host tells what comes" and last == "the host tells no longer what comes; forecast: driver"
    ahead = Ahead(4.0 + 2 * EARLY, np.array([0.0, 2.0]), np.zeros((2, 6)))  # of a loop that is not this one
    told.ahead(AT_REST, 4.0, ASKED)
    assert not told.is_told


class FromHost:
    """A forecast that lets a host send what is due before it looks, over the wire and through shared memory."""

    def __init__(self, by: Wire, series: Series, until: float = np.inf) -> None:
        self._by, self._until, self._now = by, until, 0.0
        self._paced = Paced(series, HZ, run=7, clock=lambda: self._now, ahead=True)
        self._paced.due_in()
        self._receiver, self._told = Receiver(OWN), LoopRow(by.exchange, by.written)
        self.newest = Newest(by.read.newest, Driver())
        self.told = 0

    def ahead(self, demand: Array, t: float, times: Array) -> Array:
        while (due := self._paced.due_in()) + self._now <= t and not self._paced.is_over:
            self._now += due
            self._by.at(self._now)
            if (sent := self._paced.frame()) is None:
                break
            sent = sent if self._now < self._until else sent._replace(preview=())
            heard = self._receiver.take(encoded(sent, Kind.VEHICLE), ("127.0.0.1", 1), self._now)
            assert heard is not None
            self._told.frame(heard, self._receiver.counts)
        rows = self.newest.ahead(demand, t, times)
        self.told += self.newest.is_told
        return rows

    def reset(self) -> None:
        self.newest.reset()


def error(forecast: Forecast, t: Array, rows: Array) -> float:
    """Root mean square of what is felt and should not be, in thresholds."""
    return float(np.sqrt(np.mean(cue(cueing(), t, rows, planner=planner(forecast=forecast))["cue_error"] ** 2)))


@pytest.mark.long("seconds of plans; the planner alone is in every run")
def test_knowing_what_comes_is_felt(ring_folder: Path) -> None:
    """The same plans as a planner makes that knows all samples, but for what 23 rows miss between them."""
    made = manoeuvre_of("double_lane_change", HZ)
    t, rows = made.t[:480], made.rows[:480]
    with wire() as by:
        host = FromHost(by, Series(Kind.VEHICLE, t, rows))
        preview, driver = error(host, t, rows), error(Driver(), t, rows)
        assert host.told == round(t[-1] / PERIOD) + 1 and len(TIMES) == ROWS - 1
    with wire() as by:
        host = FromHost(by, Series(Kind.VEHICLE, t, rows), until=4.0)
        half = error(host, t, rows)
        assert host.told < 0.6 * len(t) / HZ / PERIOD
    assert preview < 0.6 * driver and preview < half < driver  # 1.5, 3.1 and 3.7 thresholds
