"""A user's table of bounds, and the pictures with it."""

from pathlib import Path

import numpy as np
import pytest

from motionbase.cueing.omct.bounds import COLUMNS, Bound, Bounds, load_bounds, template, verdict
from motionbase.cueing.omct.measure import Curve, Measured
from motionbase.cueing.omct.motions import FREQUENCIES, TESTS
from motionbase.cueing.omct.plot import PAIRS, all_figure, pair_figure
from motionbase.errors import UsageError

HEAD = ",".join(COLUMNS)


def curve(number: int, *tones: tuple[float, complex]) -> Curve:
    w, response = np.array([omega for omega, _ in tones]), np.array([one for _, one in tones])
    return Curve(TESTS[number - 1], w, np.ones(len(w)) + 0j, response, np.zeros(len(w)), np.zeros(len(w)))


@pytest.mark.parametrize("ending", [".csv", ".toml"])
def test_the_template_is_a_table_without_limits(tmp_path: Path, ending: str) -> None:
    """As it is, it can be read and judges nothing; a line that a person fills in counts."""
    path = tmp_path / f"bounds{ending}"
    path.write_text(template(ending))
    found = load_bounds(path)
    assert len(found.rows) == len(TESTS) * len(FREQUENCIES) and all(row.empty for row in found.rows)
    assert found.of(1, 0.1) is None
    filled = {
        ".csv": ("3,1,,,,", "3,1,0.4,,-20,15.5"),
        ".toml": (
            "test = 3    # roll to roll\nomega = 1\n# gain_min =\n# gain_max =\n# phase_min =\n# phase_max =",
            "test = 3\nomega = 1\ngain_min = 0.4\nphase_min = -20\nphase_max = 15.5",
        ),
    }[ending]
    assert path.read_text().count(filled[0]) == 1
    path.write_text(path.read_text().replace(*filled))
    assert load_bounds(path).of(3, 1.0) == Bound(3, 1.0, (0.4, np.inf), (-20.0, 15.5))


def test_the_source_of_the_numbers_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(f"# a comment\n# source: our own\n{HEAD}\n1,0.1,0.5,1,,\n")
    assert load_bounds(path).source == "our own" and load_bounds(path).name == "mine.csv"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.csv", "test,omega\n", r"a.csv: the first line must be test,omega,gain_min"),
        ("a.csv", "", r"a.csv: the first line must be"),
        ("a.csv", f"{HEAD}\n1,0.1,0.5\n", r"a.csv, line 2: 3 cells, there must be 6"),
        ("a.csv", f"{HEAD}\n11,0.1,,,,\n", r"line 2: test is 11, it must be 1 to 10"),
        ("a.csv", f"{HEAD}\n,0.1,,,,\n", r"line 2: test is missing"),
        ("a.csv", f"{HEAD}\n1,nan,,,,\n", r"line 2: omega is 'nan', a finite number is wanted"),
        ("a.csv", f"{HEAD}\n1,-1,,,,\n", r"line 2: omega is -1 rad/s, the test has tones at 0.1, 0.158, "),
        ("a.csv", f"{HEAD}\n1,0.11,0.9,1.1,,\n", r"line 2: omega is 0.11 rad/s, the test has tones at 0.1, 0.158, "),
        ("a.csv", f"{HEAD}\n1,1,0.9,0.5,,\n", r"line 2: gain_min 0.9 is above gain_max 0.5"),
        ("a.csv", f"{HEAD}\n1,1,-0.1,,,\n", r"line 2: gain_min is -0.1, a gain is not negative"),
        ("a.csv", f"{HEAD}\n1,1,,,-300,300\n", r"line 2: phases -300 to 300 deg are more than a turn"),
        ("a.csv", f"{HEAD}\n# more\n1,1,,1,,\n1,1.001,,1,,\n", r"line 4: test 1 has two bounds at 1.001 rad/s"),
        ("a.csv", f'{HEAD}\n"1,1,,,,\n', r"a.csv: not a table of comma-separated values"),
        ("a.toml", "[[bound]]\ntest = 1\nomega = 1\ngain = 2\n", r"a.toml, line 1: a bound has no 'gain'; it has"),
        ("a.toml", "bounds = 1\n", r"a.toml, line 1: the file has no key 'bounds'; keys: source, bound"),
        ("a.toml", "[bound]\ntest = 1\n", r"a.toml, line 1: bounds are tables, \[\[bound\]\]"),
        ("a.toml", "source = 1\n", r"a.toml, line 1: source must be a text"),
        ("a.toml", "[[bound]]\ntest = true\nomega = 1\n", r"line 1: test is 'True', a finite number"),
        ("a.toml", "[[bound]\n", r"a.toml: not TOML"),
        ("a.json", "{}", r"a.json': a table of bounds ends in .csv or .toml"),
    ],
)
def test_a_wrong_table_is_refused_with_one_sentence(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UsageError, match=sentence) as e:
        load_bounds(path)
    assert "\n" not in str(e.value)
    with pytest.raises(UsageError, match="cannot be read"):
        load_bounds(tmp_path / "none.csv")


def test_tones_are_judged_where_there_is_a_bound() -> None:
    """A phase of 350 degrees is one of -10; frequencies agree to a hundredth."""
    bounds = Bounds("mine", "", (Bound(6, 0.1, (0.5, 1.5)), Bound(6, 1.0, phase=(-20.0, 20.0)), Bound(6, 10.0)))
    found = bounds.broken(curve(6, (0.1, 2.0), (1.005, np.exp(1j * np.radians(350))), (2.0, 9.0), (10.0, 9.0)))
    assert found == [("gain",), (), None, None]
    assert list(map(verdict, found)) == ["outside: gain", "within", "", ""]
    assert bounds.broken(curve(8, (0.1, 2.0))) == [None]
    assert verdict(Bound(1, 1.0, (0, 1), (0, 10)).broken(2.0, 200.0)) == "outside: gain, phase"
    assert Bound(1, 1.0, phase=(-400.0, -390.0)).broken(1.0, -35.0) == ()
    assert Bound(1, 1.0, phase=(-10.0, np.inf)).near(355.0) == -5.0


def test_pictures_show_every_test_with_its_bounds() -> None:
    tones = [(omega, 0.5 + 0j) for omega in FREQUENCIES]
    curves = tuple(curve(test.number, *tones) for test in TESTS)
    bounds = Bounds("mine", "", (Bound(2, 1.0, (0.6, 1.0)), Bound(1, 1.0, (0.1, 1), (-9, 9)), Bound(1, 10, (0.1, 1))))
    figure = all_figure([Measured("whole system", curves), Measured("algorithm", curves)], "a title", bounds)
    titles = [axes.get_title(loc="left") for axes in figure.axes if axes.get_title(loc="left")]
    assert titles == [f"{test.number}  {test.name}" for test in TESTS]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "whole system", "algorithm", "within the bounds", "outside the bounds",
    ]  # fmt: skip
    assert sorted(number for pair in PAIRS for number in pair) == list(range(1, 11))
    pair = pair_figure([Measured("algorithm", curves)], (1, 7))
    assert len(pair.axes) == 4
    nothing = pair_figure([Measured("algorithm", (curve(7, (0.1, 0j)),))], (7,))
    assert [text.get_text() for text in nothing.axes[0].texts] == ["gain below 0.001"]
