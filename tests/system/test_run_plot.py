"""Pictures of runs: thinning keeps peaks, panels for what moves, bands and marks where they belong."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from motionbase.errors import UsageError
from motionbase.plant.fault_plan import FaultEvent, FaultKind, FaultPlan
from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault
from motionbase.record.states import State
from motionbase.record.words import told
from motionbase.system.run_plot import BUCKETS, RunPicture, Traces
from motionbase.system.runs import Run
from motionbase.system.summary import Summary

Array = NDArray[np.float64]
DT = 5e-4


def traces(ticks: int, pieces: int, **changed: Array) -> Traces:
    made, t = Traces(ticks), DT * np.arange(1, ticks + 1, dtype=np.float64)
    rows = {"state": np.full(ticks, float(State.DRIVE)), "cmd": np.zeros((ticks, 6, 3)), "l": np.full((ticks, 6), 2.7)}
    rows |= {"f": np.zeros((ticks, 6)), "valve_cmd": np.zeros((ticks, 6)), "dof": np.zeros((ticks, 6)), **changed}
    for part in np.array_split(np.arange(ticks), pieces):
        run = Run(t[part], {}, {name: x[part] for name, x in rows.items()}, {})
        made.add(run, rows["dof"][part], np.zeros((len(part), 6)))
    return made


def test_peaks_survive_and_memory_is_bounded() -> None:
    ticks = 100_003
    f = np.zeros((ticks, 6))
    f[77_777, 2], f[100_002, 3], f[0, 4] = 5e4, -1e3, 7.0
    made = traces(ticks, 37, f=f)
    t, columns = made.columns()
    assert len(t) <= 2 * BUCKETS + made.span and t[0] == DT and t[-1] == pytest.approx(ticks * DT)
    assert np.all(np.diff(t) >= 0)
    assert columns["f"][:, 2].max() == 5e4 and columns["f"][:, 3].min() == -1e3 and columns["f"][0:2, 4].max() == 7.0
    assert t[columns["f"][:, 2].argmax()] == pytest.approx(77_778 * DT, abs=made.span * DT)


def test_a_short_run_is_shown_tick_by_tick() -> None:
    cmd = np.random.default_rng(0).standard_normal((900, 6, 3))
    t, columns = traces(900, 4, cmd=cmd).columns()
    np.testing.assert_array_equal(columns["demand"], cmd[:, :, 0])
    np.testing.assert_array_equal(t, DT * np.arange(1, 901))


def test_demand_of_closed_valves_is_not_shown() -> None:
    state = np.where(np.arange(900) < 300, float(State.DOWN), float(State.RISING))
    _, columns = traces(900, 2, state=state).columns()
    assert np.isnan(columns["demand"][:300]).all() and np.isfinite(columns["demand"][300:]).all()


def picture(dof: Array, drive_s: float = 0.3) -> RunPicture:
    states = ((DT, State.STANDBY), (0.1, State.DRIVE), (0.4, State.HELD))
    faults = ((0.4, Fault.VALVE),)
    zero = np.zeros(6)
    summary = Summary(states, faults, drive_s, zero, zero, zero, zero, zero, zero, zero, zero)
    plan = FaultPlan((FaultEvent(FaultKind.VALVE_STUCK, 0.35, 3), FaultEvent(FaultKind.SUPPLY_LOST, 9.0)))
    return RunPicture(load_platform("simona"), traces(1000, 2, dof=dof), summary, plan)


def labels(figure: object) -> list[str]:
    return [axes.get_ylabel() for axes in figure.axes]  # type: ignore[attr-defined]


def test_panels_are_those_of_what_moves() -> None:
    dof = np.zeros((1000, 6))
    still = labels(picture(dof).figure())
    assert still == ["state", "leg length [m]", "leg force [kN]", "valve command [-]"]
    dof[:, 2] = np.linspace(0, 0.1, 1000)
    figure = picture(dof).figure()
    assert labels(figure)[1:3] == ["position [m]", "error in drive\n[mm, mrad]"]
    legend = figure.axes[1].get_legend()
    assert legend is not None and [x.get_text() for x in legend.get_texts()] == ["heave", "demand"]
    alone = picture(dof)
    alone = replace(alone, summary=replace(alone.summary, rms=None, largest=None))  # legs moved one by one
    assert labels(alone.figure())[1:3] == ["position [m]", "leg length [m]"]
    dof[:, 5] = dof[:, 2]
    assert labels(picture(dof, drive_s=0.0).figure())[1:3] == ["position [m]", "attitude [rad]"]


def test_bands_marks_and_ends() -> None:
    figure = picture(np.zeros((1000, 6))).figure()
    band, lengths = figure.axes[:2]
    texts = [x.get_text() for x in band.texts]
    assert texts == ["standby", "drive", "held", "valve_stuck leg 3", "found: valve"]  # no fault after the end
    stroke = load_platform("simona").stroke
    flat = [y[0] for y in (np.asarray(line.get_ydata()) for line in lengths.lines) if len(y) == 2 and y[0] == y[1]]
    assert set(flat) == {stroke.l_min, stroke.l_max, stroke.hard_min, stroke.hard_max}
    assert told(Fault.VALVE.sentence, electric=False) in str(figure.get_supxlabel())


def test_files(tmp_path: Path) -> None:
    picture(np.zeros((1000, 6))).write(tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    for name, said in (("run.gif", "must end in .png, .pdf or .svg"), ("no/run.png", "No such file")):
        with pytest.raises(UsageError, match=said):
            picture(np.zeros((1000, 6))).write(tmp_path / name)
