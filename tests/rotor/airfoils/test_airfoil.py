"""Airfoil tables: interpolation, compiled lookup, C81 files and what is no C81 file."""

from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.compile import compile
from motionbase.errors import ModelError, UsageError
from motionbase.rotor.airfoils.airfoil import Airfoil, Coefficient
from motionbase.rotor.airfoils.c81 import c81_text, parse_c81, read_c81, write_c81
from motionbase.rotor.airfoils.own import AIRFOILS, airfoil, naca0012, thin
from tests.tier import often

ALPHA, MACH = np.meshgrid(np.linspace(-np.pi, np.pi, 97), np.linspace(0.0, 1.2, 13), indexing="ij")


@pytest.mark.parametrize("target", ["python", "llvm"])
@pytest.mark.parametrize("name", AIRFOILS)
def test_the_compiled_lookup_has_the_tables_values(name: str, target: Literal["python", "llvm"]) -> None:
    """To rounding: the table of all grids' points has the values of each grid, since all are linear between them."""
    shape, count = airfoil(name), 40 if target == "python" else ALPHA.size
    lookup = compile(shape.lookup, target=target)
    for a, m in list(zip(ALPHA.ravel(), MACH.ravel(), strict=True))[:: ALPHA.size // count]:
        c, slopes = lookup(alpha=a, mach=m)
        np.testing.assert_allclose(c, shape.at(a, m), atol=1e-12)
        ahead = shape.at(min(a + 1e-4, np.pi), m)
        np.testing.assert_allclose(slopes, (ahead - c) / 1e-4, atol=1e-7)  # rounding over 1e-4


def test_the_thin_one_has_its_closed_form_at_its_points() -> None:
    angles = np.deg2rad(np.arange(-180, 181, 2))
    np.testing.assert_allclose(thin().at(angles, 0.5)[:, 0], 2 * np.pi * np.sin(angles), atol=1e-14)
    assert not thin().at(angles, 0.5)[:, 1:].any()


def test_naca0012_is_symmetric_and_plausible() -> None:
    """A symmetric section: lift and moment are odd, drag is even; known orders of magnitude of a NACA 0012."""
    shape = naca0012()
    c, mirrored = shape.at(ALPHA, MACH), shape.at(-ALPHA, MACH)
    np.testing.assert_allclose(c * [1, -1, 1], -mirrored, atol=1e-12)
    slope = float(shape.at(np.deg2rad(4.0), 0.0)[0]) / np.deg2rad(4.0)
    assert abs(slope / 5.73 - 1) < 0.02  # separation has begun by 0.2 % there
    low = shape.at(np.deg2rad(np.arange(0, 31)), 0.3)
    assert 1.0 < low[:, 0].max() < 1.6 and 11 <= low[:, 0].argmax() <= 16
    assert shape.at(np.pi / 2, 0.3)[1] > 1.5 and shape.at(0.0, 0.3)[1] < 0.011
    assert (c[..., 1] > 0).all()
    assert shape.at(0.0, 0.85)[1] > 1.5 * shape.at(0.0, 0.6)[1], "drag rises"
    assert shape.at(0.05, 0.6)[0] > 1.15 * shape.at(0.05, 0.0)[0], "lift grows with Mach"


def test_a_file_comes_back(tmp_path: Path) -> None:
    """Four decimals are what a field of a small number holds."""
    write_c81(naca0012(), tmp_path / "a.c81")
    found = read_c81(tmp_path / "a.c81")
    assert found.name == "NACA 0012 (illustrative)"
    np.testing.assert_allclose(found.at(ALPHA, MACH), naca0012().at(ALPHA, MACH), atol=0.51e-4)
    assert c81_text(found) == (tmp_path / "a.c81").read_text()


def test_a_file_of_others_is_read() -> None:
    """Numbers that touch each other, more Mach numbers than a line holds, grids of different sizes."""
    machs = "       " + "".join(f"{m:7.2f}" for m in range(9)) + "\n       " + "".join(f"{m:7.2f}" for m in (9, 10))
    rows = "\n".join(
        f"{a:7.1f}" + "".join(f"{-100 - k + a / 100:7.2f}" for k in range(9)) + "\n       " + "   1.50   2.50"
        for a in (-180, 0, 180)
    )
    small = "         0.00\n-180.00  0.50\n 180.00  0.50"
    text = f"{'OTHER':<30}11 3 1 2 1 2\n{machs}\n{rows}\n{small}\n{small}\n"
    found = parse_c81(text, "other.c81")
    assert found.name == "OTHER" and found.cl.values.shape == (3, 11) and found.cd.values.shape == (2, 1)
    assert found.at(0.0, 1.0)[0] == -101.0 and found.at(0.0, 10.0)[0] == 2.5 and found.at(1.0, 0.3)[1] == 0.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("NACA 0012\n", "six counts"),
        (f"{'A':<30} 1 2 1 2 1 2\n", "ends after line 1"),
        (f"{'A':<30} 1 2 1 2 1 2\n         0.00\n-180.00  x.50\n", "line 3: '  x.50' is no number"),
        (f"{'A':<30} 1 2 1 2 1 2\n         0.00\n-180.00   nan\n", "is no number"),
        (f"{'A':<30} 1 2 1 2 1 2\n         0.00\n -30.00  0.50\n  30.00  0.50\n", "lift: .* -30 to 30 degrees"),
    ],
)
def test_what_is_no_table_gets_one_sentence(text: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        parse_c81(text, "bad.c81")


def test_what_cannot_be_read_or_does_not_fit() -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        read_c81("/nowhere/a.c81")
    with pytest.raises(UsageError, match="no airfoil 'naca0013'; did you mean 'naca0012'"):
        airfoil("naca0013")
    machs = np.linspace(0, 1, 100)
    wide = Coefficient(np.array([-np.pi, np.pi]), machs, np.zeros((2, 100)))
    with pytest.raises(ModelError, match="C81 has 99 at most"):
        c81_text(Airfoil("wide", wide, wide, wide))


@settings(max_examples=often(150), deadline=None)
@given(at=st.integers(0, 3000), byte=st.characters(max_codepoint=126), cut=st.integers(0, 4000))
def test_damaged_files_give_a_table_or_a_sentence(at: int, byte: str, cut: int) -> None:
    text = c81_text(naca0012())
    damaged = (text[:at] + byte + text[at + 1 :])[: max(cut, at + 1)]
    try:
        found = parse_c81(damaged, "damaged.c81")
    except ModelError as e:
        assert "damaged.c81" in str(e)
    else:
        assert np.isfinite(found.at(ALPHA, MACH)).all()
