"""Tables of parameters: what they say of themselves, and what cannot be."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.errors import CommandError, RingError
from motionbase.record.parameters import LARGEST, Parameter, ParameterTable
from motionbase.record.quantity import LONGEST
from motionbase.record.requests import ARGUMENTS, Kind
from tests.tier import often

GAIN = Parameter("k_p", "1/s", "error to velocity", (15.0,), (3.0,), (20.0,))
LIMITS = Parameter("limits", "m", "of the axes", (1.0, 0.5, 0.8), (0.1, 0.1, 0.1), (1.0, 0.5, 0.8), at_rest=True)
FIXED = Parameter("l_low", "m", "shortest leg", (2.0,))
TABLE = ParameterTable("law of a test", (GAIN, LIMITS, FIXED))


finite = st.floats(-1e300, 1e300)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,20}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=("C", "Z")), max_size=20)


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
    rows = draw(st.lists(st.tuples(finite, finite, finite).map(sorted), min_size=1, max_size=6))
    least, designed, most = (tuple(column) for column in zip(*rows, strict=True))
    bounds = (least, most) if draw(st.booleans()) else ((), ())
    return Parameter(draw(names), draw(texts), draw(texts), designed, *bounds, draw(st.booleans()))


some = st.lists(parameters(), max_size=8, unique_by=lambda p: p.name).map(tuple)
tables = st.builds(ParameterTable, texts, some, texts)


@settings(max_examples=often(100), deadline=None)
@given(table=tables)
def test_tables_come_back_from_their_text(table: ParameterTable) -> None:
    assert ParameterTable.from_json(table.json) == table


@settings(max_examples=often(300), deadline=None)
@given(text=st.one_of(st.text(max_size=80), st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["law", "cueing", "parameters", "name", "unit", "description", "designed", "least", "most",
                         "at_rest"]),
        inner, max_size=9),
    max_leaves=20).map(json.dumps)))  # fmt: skip
def test_any_text_is_a_table_or_gets_a_sentence(text: str) -> None:
    try:
        ParameterTable.from_json(text)
    except RingError as error:
        assert str(error).isprintable()


@settings(max_examples=often(200), deadline=None)
@given(key=st.sampled_from(["name", "unit", "description", "designed", "least", "most", "at_rest"]), value=st.one_of(
    st.none(), st.booleans(), st.floats(), st.integers(-10**400, 10**400), st.text(max_size=9),
    st.lists(st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=3)), max_size=4)))  # fmt: skip
def test_any_value_in_a_table_is_checked(key: str, value: Any) -> None:
    data = json.loads(TABLE.json)
    data["parameters"][0][key] = value
    try:
        found = ParameterTable.from_json(json.dumps(data)).parameters[0]
    except RingError:
        return
    assert len(found.designed) in (1, 2, 3, 4) and all(map(math.isfinite, found.designed + found.least + found.most))
    ends = (found.least, found.designed, found.most)
    assert not found.tunable or all(a <= x <= b for a, x, b in zip(*ends, strict=True))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": "k p"}, "parameter 'k p': a name is up to 64 letters"),
        ({"unit": "m\x1b[2J"}, "its unit is"),
        ({"description": "x" * (LONGEST + 1)}, "its description is"),
        ({"designed": (math.nan,)}, "designed is"),
        ({"designed": (25.0,)}, "its designed value is not between its bounds"),
        ({"most": ()}, "has 1 numbers, 1 and 0 bounds; it must have one bound for each number, or none"),
        ({"designed": (), "least": (), "most": ()}, "has 0 numbers"),
        ({"at_rest": 1}, "at_rest is 1, it must be true or false"),
    ],
)
def test_parameters_that_cannot_be(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RingError, match=sentence):
        replace(GAIN, **changes)


def test_tables_that_cannot_be() -> None:
    with pytest.raises(RingError, match="two have the same name"):
        ParameterTable("x", (GAIN, GAIN))
    many = Parameter("many", "-", "", (0.0,) * LARGEST)
    with pytest.raises(RingError, match=f"{LARGEST + 1} numbers, a ring has room for {LARGEST}"):
        ParameterTable("x", (many, GAIN))
    assert ARGUMENTS[Kind.TUNE][0].high == LARGEST - 1


@pytest.mark.parametrize(
    ("item", "values", "wanted"),
    [
        ("k_p", (12.0,), {0: 12.0}),
        ("k_p[1]", (12.0,), {0: 12.0}),
        ("limits", (0.2,), {1: 0.2, 2: 0.2, 3: 0.2}),
        ("limits", (1.0, 0.5, 0.1), {1: 1.0, 2: 0.5, 3: 0.1}),
        ("limits[3]", (0.7,), {3: 0.7}),
    ],
)
def test_names_lead_to_places(item: str, values: tuple[float, ...], wanted: dict[int, float]) -> None:
    assert TABLE.wanted(item, values) == wanted


@pytest.mark.parametrize(
    ("item", "values", "sentence"),
    [
        ("k_q", (1.0,), "no parameter 'k_q'; parameters: k_p, limits, l_low"),
        ("k_p", (math.nan,), "k_p is nan 1/s, it must be 3 to 20"),
        ("k_p", (21.0,), "k_p is 21 1/s, it must be 3 to 20"),
        ("k_p", (1.0, 2.0), "k_p has 1 numbers, 2 were given"),
        ("k_p", (), "0 were given"),
        ("limits[4]", (0.2,), r"there is no limits\[4\]; limits has numbers 1 to 3"),
        ("limits[0]", (0.2,), "numbers 1 to 3"),
        ("limits", (1.0, 0.6, 0.1), r"limits\[2\] is 0.6 m, it must be 0.1 to 0.5"),
        ("l_low", (2.0,), "l_low cannot be changed while the law runs"),
        ("limits[x]", (0.2,), "no parameter"),
    ],
)
def test_wishes_that_cannot_be(item: str, values: tuple[float, ...], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        TABLE.wanted(item, values)
