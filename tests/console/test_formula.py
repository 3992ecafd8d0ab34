from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.console.api.sentences import NotThere
from motionbase.console.live.derived import MOST, DerivedChannels
from motionbase.console.live.formula import Formula, FormulaError, parse
from motionbase.console.live.history import History
from motionbase.errors import MotionBaseError
from tests.console.live_rig import rows, schema

NAMES = ["t", "x", "y"]
T = np.array([0.0, 0.1, 0.2, 0.4])
X = np.array([1.0, 4.0, 9.0, 16.0])
Y = np.array([-1.0, 2.0, np.nan, 3.0])


def value(text: str) -> np.ndarray:
    formula = parse(text, NAMES)
    return formula(np.stack([(T, X, Y)[place] for place in formula.places]), False)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x", X),
        ("2 * x + 1", 2 * X + 1),
        ("-x ** 2", -(X**2)),
        ("(x - y) / 2", (X - Y) / 2),
        ("sqrt(x) + abs(-1)", np.sqrt(X) + 1),
        ("deg(pi) + rad(180)", np.full(4, 180 + math.pi)),
        ("atan2(y, x)", np.arctan2(Y, X)),
        ("min(x, 5)", np.minimum(X, 5)),
        ("max(y, 0)", np.maximum(Y, 0)),
        ("x > 4", [0, 0, 1, 1]),
        ("y >= 2", [0, 1, np.nan, 1]),
        ("(x > 1) * (x < 16)", [0, 1, 1, 0]),
        ("rate(x)", [np.nan, 30, 50, 35]),
        ("rate(2 * x) / 2", [np.nan, 30, 50, 35]),
        ("log(exp(x))", X),
        ("x / 0", np.full(4, np.inf)),
        ("(0 - x) ** 0.5", np.full(4, np.nan)),
        ("1e3", np.full(4, 1000.0)),
        ("  x  ", X),
    ],
)
def test_values(text: str, wanted: Any) -> None:
    np.testing.assert_allclose(value(text), wanted, rtol=1e-12)


def test_the_record_before_gives_the_first_rate() -> None:
    formula = parse("rate(x)", NAMES)
    np.testing.assert_allclose(formula(np.stack((T, X)), True), [30, 50, 35], rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("__import__('os').system('true')", "character 1: Call is not possible"),
        ("x.__class__", "Attribute is not possible"),
        ("x[0]", "Subscript is not possible"),
        ("lambda: 1", "Lambda is not possible"),
        ("[x for x in y]", "ListComp is not possible"),
        ("open(x)", "character 1: there is no function 'open'"),
        ("x if y else t", "IfExp is not possible"),
        ("x and y", "BoolOp is not possible"),
        ("x // 2", "BinOp is not possible"),
        ("'text'", "is no number"),
        ("True", "is no number"),
        ("1j", "is no number"),
        ("x < y < 3", "one comparison at a time"),
        ("x + velocity", "character 5: there is no channel 'velocity'; channels: t, x, y"),
        ("sqrt + 1", "sqrt is a function"),
        ("sqrt(x, y)", "sqrt has 2 arguments, it takes 1"),
        ("sqrt(*x)", "Starred is not possible"),
        ("min(x, y, key=t)", "Call is not possible"),
        ("x +", "character 4: it cannot be read, invalid syntax"),
        ("(x", "cannot be read"),
        ("x; y", "cannot be read"),
        ("x := 3", "cannot be read"),
        ("x\ny", "has no meaning here"),
        ("x × 2", "character 3: '×' has no meaning here"),
        ("(" * 245 + "x" + ")" * 245, "cannot be read"),
        ("-" * 100 + "x", "more than 40 parts in each other"),
        ("+".join(["x"] * 250), "more than 400 parts"),
        ("9" * 450, "the number is too large"),
        ("x" * 501, "501 characters"),
        ("", "cannot be read"),
    ],
)
def test_what_is_no_formula_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(FormulaError, match="^(the )?formula") as refused:
        parse(text, NAMES)
    assert said in str(refused.value) and "\n" not in str(refused.value) and len(str(refused.value)) < 400


@given(st.text(max_size=60) | st.text("xyt0123456789+-*/()., <>=eE", max_size=60))
def test_any_text_is_a_formula_or_one_sentence(text: str) -> None:
    try:
        formula = parse(text, NAMES)
    except MotionBaseError as error:
        assert "\n" not in str(error)
    else:
        columns = np.stack([(T, X, Y)[place] for place in formula.places])
        assert formula(columns, False).shape == (4,)


def test_derived_channels_keep_their_places_and_are_filled_backwards() -> None:
    derived, history = DerivedChannels(schema()), History(len(schema().channels), spare=MOST, records=1024)
    base = len(schema().channels)
    history.append(rows(0, 500))
    a = derived.add("twice", "2 * x", "m")
    b = derived.add("speed", "rate(x)", "m/s")
    for made in (a, b):
        derived.backfill(made, history)
    assert (a.place, b.place, derived.width, history.width) == (base, base + 1, base + 2, base + 2)
    history.append(derived.extended(rows(500, 10), history))
    found = history.rows(0, 510, np.array([base, base + 1]))
    np.testing.assert_array_equal(found[0], 2.0 * np.arange(510))
    assert np.isnan(found[1, 0])
    np.testing.assert_allclose(found[1, 1:], 1000.0, rtol=1e-9)
    derived.remove("twice")
    assert [d.place for d in derived] == [base + 1]
    assert derived.add("three", "3", "-").place == base
    assert derived.add("speed", "rate(y)", "m/s").place == base + 1, "a new formula keeps the place"


def test_derived_channels_have_limits() -> None:
    derived = DerivedChannels(schema())
    with pytest.raises(MotionBaseError, match="the ring itself has a channel 'x'"):
        derived.add("x", "y", "-")
    for k in range(MOST):
        derived.add(f"d{k}", "x", "m", f"page {k % 4}")
    with pytest.raises(MotionBaseError, match="32 derived channels"):
        derived.add("one_more", "x", "m", "page 5")
    with pytest.raises(NotThere, match="no derived channel 'other'"):
        derived.remove("other")


# ---- units ----

UNITS = {
    "t": "s",
    "heave": "m",
    "roll": "rad",
    "v": "m/s",
    "p": "Pa",
    "area": "m^2",
    "f": "N",
    "valve": "-",
    "rpm": "rpm",
}


def with_units(text: str) -> Formula:
    return parse(text, list(UNITS), list(UNITS.values()))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("heave - 0.1", "m"),
        ("rate(heave) - v", "m/s"),
        ("rate(rate(roll))", "rad/s^2"),
        ("heave * heave", "m^2"),
        ("sqrt(area)", "m"),
        ("area ** 0.5 + heave", "m"),
        ("v ** -1", "s/m"),
        ("1 / t", "1/s"),
        ("heave / heave", "-"),
        ("heave > 0.1", "-"),
        ("p * area", "Pa m^2"),
        ("p * area - f", "N"),
        ("rate(roll) * heave + v", "m/s"),
        ("sin(roll) * heave", "m"),
        ("deg(roll)", "deg"),
        ("rad(deg(roll))", "rad"),
        ("atan2(v, v)", "rad"),
        ("max(heave, 0)", "m"),
        ("f + 5e3 * heave", "N"),
        ("2 * heave + 1", "m"),
        ("heave * (valve > 0.5)", "m"),
        ("rpm - 3", "rpm"),
        ("log(p / 1e5)", "-"),
        ("valve ** heave", "-"),
    ],
)
def test_units_that_come_out(text: str, wanted: str) -> None:
    assert with_units(text).unit() == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("heave + roll", "character 1: m and rad cannot be added"),
        ("1 + (heave - v)", "character 6: m and m/s cannot be added"),
        ("heave > roll", "m and rad cannot be compared"),
        ("max(heave, roll)", "m and rad cannot be compared"),
        ("heave + valve", "m and a number without a unit cannot be added"),
        ("rpm + valve", "rpm and a number"),
        ("sin(heave)", "sin of m: it takes rad"),
        ("sin(deg(roll))", "sin of deg: it takes rad"),
        ("log(p)", "log of Pa: it takes a number without a unit"),
        ("deg(roll) + roll", "deg and rad cannot be added"),
    ],
)
def test_what_does_not_go_together_is_named(text: str, said: str) -> None:
    with pytest.raises(FormulaError, match=re.escape(said)):
        with_units(text)


def test_a_unit_that_is_given_must_be_the_formula_s_unless_a_number_may_have_brought_it() -> None:
    assert with_units("p * area").unit("N") == "N"
    assert with_units("1000 * heave").unit("mm") == "mm"
    assert with_units("5e3 * heave").unit("N") == "N"
    with pytest.raises(FormulaError, match="the formula gives m, not 'N'; leave the unit empty"):
        with_units("heave").unit("N")
    with pytest.raises(FormulaError, match="gives m, not 'mm'"):
        with_units("heave").unit("mm")
