"""What of a recording is used, and one sentence where nothing can be."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.errors import RecordingError
from motionbase.identify.recorded import recorded
from motionbase.identify.signals import Signals, signals_from
from motionbase.identify.study import identify
from motionbase.record.states import State
from tests.identify.synthetic import EMOTION, SIMONA, heavier, named, whole

T = np.arange(0.0, 40.0, 0.01)
Columns = dict[str, Array]


def used(change: Callable[[Columns], object] = lambda columns: None, t: Array = T, **options: Any) -> Signals:
    """What is used of a recording of a simona with a heavier load, after a change."""
    columns = whole(heavier(SIMONA), T, **options)
    change(columns)
    return signals_from(t, columns, SIMONA, "recording 'a.csv'")


def test_all_of_an_undisturbed_drive_is_used() -> None:
    found = used()
    assert len(found.stretches) == 1 and found.seconds == pytest.approx(40.0) and found.notes == ()
    assert not found.every_tick and found.has("p_cap", "p_rod") and not found.has("valve_meas")


def test_other_states_faults_gaps_and_missing_numbers_are_left_out() -> None:
    def disturbed(columns: Columns) -> None:
        columns["state"][:500] = State.RISING
        columns["fault"][1500:1510] = 7.0
        columns["f_meas"][2000:2003, 4] = np.nan
        columns["l_meas"][3000, 0] = np.inf

    found = used(disturbed)
    starts = [float(stretch.t[0]) for stretch in found.stretches]
    np.testing.assert_allclose(starts, [5.0, 15.1, 20.03, 30.01])
    assert found.seconds == pytest.approx(40.0 - 5.0 - 0.1 - 0.03 - 0.01)
    assert found.notes == (
        "10 records with a fault or a stop are left out",
        "4 records with a value that is no number are left out",
    )


def test_values_are_found_all_the_same() -> None:
    def disturbed(columns: Columns) -> None:
        for k in range(300, 4000, 400):
            columns["p_cap"][k] = np.nan

    t = T.copy()
    t[2200:] += 3.7  # the recorder lost records
    found = identify(used(disturbed, t), SIMONA, ("friction", "mass"))
    true = heavier(SIMONA).payload
    assert found.estimates["payload.mass"].value == pytest.approx(true.mass, rel=1e-3)
    np.testing.assert_allclose([found.estimates[f"payload.com.{axis}"].value for axis in "xyz"], true.com, atol=2e-3)
    assert found.estimates["actuator.friction.coulomb"].value == pytest.approx(300.0, rel=0.02)


def test_uneven_times_are_made_even() -> None:
    jitter = 0.0015 * np.random.default_rng(5).uniform(-1, 1, len(T))
    columns = whole(heavier(SIMONA), T + jitter)
    found = signals_from(T + jitter, columns, SIMONA, "recording 'a.csv'")
    assert found.seconds == pytest.approx(40.0, abs=0.05)
    assert np.ptp(np.diff(found.stretches[0].t)) < 1e-9
    mass = identify(found, SIMONA, ("mass",)).estimates["payload.mass"]
    assert mass.value == pytest.approx(heavier(SIMONA).payload.mass, rel=2e-3)


def test_a_channel_that_never_changes_was_not_measured() -> None:
    found = used(
        lambda columns: columns.update(valve_meas=np.zeros((len(T), 6)), l_dot_meas=np.full((len(T), 6), np.nan))
    )
    assert not found.has("valve_meas") and not found.has("l_dot_meas")
    hidden = identify(found, SIMONA, ("flow", "oil")).hidden
    assert hidden["actuator.rated_flow"].why == "the recording has no pressures of the chambers or no spool positions"


def test_without_states_all_is_used() -> None:
    found = used(lambda columns: columns.pop("state"))
    assert found.seconds == pytest.approx(40.0) and found.notes == ("the recording has no states: all of it is used",)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda columns: columns["l_meas"].__setitem__(..., columns["l_meas"][:1]),
            "recording 'a.csv': the legs hardly move in drive, 0.0 mm root mean square; drive at least 2 mm, such as "
            "that of --generators identify",
        ),
        (
            lambda columns: columns["state"].__setitem__(..., State.STANDBY),
            "recording 'a.csv' is never in drive, only in standby; record a motion",
        ),
        (
            lambda columns: columns["fault"].__setitem__(slice(500, None), 3.0),
            "recording 'a.csv' has 5.0 s of undisturbed drive, at least 12 s are needed; record longer",
        ),
        (
            lambda columns: columns["l_meas"].__setitem__(..., np.nan),
            "recording 'a.csv' has no usable records in drive",
        ),
        (
            lambda columns: columns["l_meas"].__iadd__(5.0),
            "recording 'a.csv': no record in drive has all legs within the stroke of platform 'simona', clear of its "
            "cushions; is it the platform of this recording?",
        ),
    ],
)  # fmt: skip
def test_where_nothing_can_be_identified_a_sentence_says_so(change: Callable[[Columns], object], sentence: str) -> None:
    with pytest.raises(RecordingError) as caught:
        used(change)
    assert str(caught.value) == sentence


def test_slow_motion_hides_what_it_does_not_show() -> None:
    """Twenty times slower than usual: no speeds, no accelerations."""
    columns = whole(heavier(SIMONA), T / 20.0)
    found = identify(signals_from(T, columns, SIMONA, "recording 'a.csv'"), SIMONA, ("friction", "mass"))
    assert "payload.mass" in found.estimates, "by weight"
    hidden = found.hidden
    assert {"payload.inertia.xx", "payload.inertia.yy", "payload.inertia.zz"} <= set(hidden)
    assert hidden["payload.inertia.xx"].why.startswith("not identifiable from this motion (")
    assert hidden["payload.inertia.xx"].why.endswith("turn more: move all axes at once, with accelerations")


def test_intervals_have_the_truth() -> None:
    """Mass, centre, inertia and friction of 8 recordings with noise: 95 % of 88, less three deviations of 2."""
    true = heavier(SIMONA)
    exact = {"payload.mass": true.payload.mass, "actuator.friction.coulomb": true.actuator.friction.coulomb}
    exact |= {f"payload.com.{axis}": x for axis, x in zip("xyz", true.payload.com, strict=True)}
    exact |= {
        f"payload.inertia.{p}": x
        for p, x in zip(("xx", "yy", "zz", "xy", "xz", "yz"), true.payload.inertia, strict=True)
    }
    hits = []
    for seed in range(8):
        given = signals_from(T[:2500], whole(true, T[:2500], seed=seed), SIMONA, "recording 'a.csv'")
        found = identify(given, SIMONA, ("friction", "mass")).estimates
        hits += [abs(found[key].value - x) <= found[key].half for key, x in exact.items()]
    assert sum(hits) >= 0.95 * len(hits) - 6.0


def test_a_file_is_read_with_the_platform_in_it_or_one_that_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    columns = {"t": T, **named(whole(heavier(SIMONA), T))}
    text = ",".join(columns) + "\n"
    path.write_text(text + "\n".join(",".join(f"{x:.9g}" for x in row) for row in zip(*columns.values(), strict=True)))
    given = recorded(path, "simona", start=10.0)
    assert given.platform == SIMONA and given.signals.seconds == pytest.approx(30.0, abs=0.02)
    assert given.text.startswith('name = "simona"') and given.source == "recording 'a.csv'"
    with pytest.raises(
        RecordingError, match="no record in drive has all legs within the stroke of platform 'emotion-1500'"
    ):
        recorded(path, EMOTION.name)
    path.write_text(text.replace("leg3_l_meas", "leg3_length") + "\n")
    with pytest.raises(
        RecordingError, match="has no channel 'leg3_l_meas'; identification needs the lengths of all legs"
    ):
        recorded(path, "simona")


def test_what_a_rig_makes_of_lengths_was_not_measured(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    base = whole(heavier(SIMONA), T)
    columns = {"t": T, **named({**base, "l_dot_meas": np.gradient(base["l_meas"], T, axis=0)})}
    for rigged in (False, True):
        if rigged:
            columns["rig_age"] = np.full(len(T), 0.003)
        rows = zip(*columns.values(), strict=True)
        path.write_text(",".join(columns) + "\n" + "\n".join(",".join(f"{x:.9g}" for x in row) for row in rows))
        (stretch,) = recorded(path, "simona").signals.stretches
        assert {"l_meas", "f_meas"} <= stretch.columns.keys()
        assert ("l_dot_meas" in stretch.columns) is not rigged
