"""Scales: round numbers that hold the values, whatever the values are."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.recording.strip.chart import SPEEDS
from motionbase.recording.strip.scale import Scale, fixed_scale, number, round_scale, time_step

VALUES = st.floats(-1e30, 1e30)


@given(a=VALUES, b=VALUES, span=st.sampled_from([0.0, 0.1, 2.0]))
def test_a_round_scale_holds_its_values_in_four_to_six_round_divisions(a: float, b: float, span: float) -> None:
    least, most = sorted((a, b))
    scale = round_scale(least, most, span)
    slack = 1e-8 * max(abs(scale.low), abs(scale.high))
    assert scale.low - slack <= least and most <= scale.high + slack
    assert 4 <= scale.divisions <= 6 or max(abs(a), abs(b)) < 1e-9
    lead = scale.step / 10 ** math.floor(math.log10(scale.step) + 1e-9)
    assert any(math.isclose(lead, r, rel_tol=1e-6) for r in (1, 2, 2.5, 5, 10))
    assert scale.high - scale.low >= 0.9 * span


@pytest.mark.parametrize(
    ("least", "most", "span", "wanted"),
    [
        (0.0, 0.0, 0.0, Scale(-1, 1, 4)),
        (-1e-17, 1e-17, 2.0, Scale(-1, 1, 4)),  # rounding is no signal
        (1e-4, 1e-4, 2.0, Scale(-1, 1, 4)),
        (0.0, 1.2, 0.0, Scale(0, 1.5, 6)),  # never below zero
        (-0.1, 0.1, 0.0, Scale(-0.15, 0.15, 6)),
        (math.nan, math.nan, 0.0, Scale(-1, 1, 4)),
    ],
)
def test_scales_that_people_expect(least: float, most: float, span: float, wanted: Scale) -> None:
    found = round_scale(least, most, span)
    assert found == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("ends", "divisions"), [((-1, 1), 4), ((0, 5), 5), ((-20, 20), 4), ((1.5, 2.3), 8), ((0, 7.3), 4)]
)
def test_a_given_range_gets_the_divisions_that_are_round(ends: tuple[float, float], divisions: int) -> None:
    assert fixed_scale(*ends) == Scale(*ends, divisions)
    assert fixed_scale(*ends, 7) == Scale(*ends, 7)


@given(st.floats(*SPEEDS))
def test_lines_of_time_are_apart_as_on_paper(speed: float) -> None:
    seconds, parts = time_step(speed)
    assert 7.999 <= seconds * speed <= 20.01  # [mm]; neighbours among the round times are 2.5 apart at most
    assert seconds * speed / parts >= 1.3


@pytest.mark.parametrize(
    ("value", "step", "text"),
    [
        (0.25, 0.25, "0.25"),
        (2.0, 0.5, "2.0"),
        (-0.0, 1.0, "0"),
        (30.0, 10.0, "30"),
        (1.5, 2.5, "1.5"),
        (3e-7, 1e-7, "3e-07"),
    ],
)
def test_numbers_have_the_digits_of_their_step(value: float, step: float, text: str) -> None:
    assert number(value, step) == text
