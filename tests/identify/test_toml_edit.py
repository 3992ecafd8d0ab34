"""New values in TOML: what is replaced, and that nothing else changes."""

import tomllib

import pytest

from motionbase.identify.toml_edit import Change, dumped, edited
from motionbase.platform.load import FOLDER

TEXT = """# a machine
title = "one"  # kept
list = [
    1, 2,
    3,
]

[part]    # a table
mass = 3.0  # goes
"odd key" = 1

[part.inner]
k = [1.0, 2.0]
"""


def test_values_are_replaced_with_their_comments_and_the_rest_stays() -> None:
    changes = {
        ("part", "mass"): Change(4.25, "weighed"), ("part", "inner", "k"): Change([3.0, 4.0]),
        ("list",): Change(["a", 'b "c"']), ("part", "odd key"): Change(2),
    }  # fmt: skip
    assert (
        edited(TEXT, changes)
        == """# a machine
title = "one"  # kept
list = ["a", "b \\"c\\""]

[part]    # a table
mass = 4.25    # weighed
"odd key" = 2

[part.inner]
k = [3.0, 4.0]
"""
    )


def test_what_is_not_there_is_added() -> None:
    made = edited(
        TEXT, {("name",): Change("x"), ("part", "size"): Change(1.5), ("sensors", "force", "delay"): Change(2e-3)}
    )
    assert made.startswith('name = "x"\n# a machine')
    data = tomllib.loads(made)
    assert data["part"] == {"size": 1.5, "mass": 3.0, "odd key": 1, "inner": {"k": [1.0, 2.0]}}
    assert data["sensors"] == {"force": {"delay": 0.002}} and "# kept" in made


@pytest.mark.parametrize(
    "text",
    ["part = { mass = 3.0, name = 'a' }\n[[many]]\nx = 1\n[[many]]\nx = 2\n", "part.mass = 3.0\npart.name = 'a'\n"],
)
def test_a_file_of_another_form_has_the_values_too(text: str) -> None:
    wanted = tomllib.loads(text)
    wanted["part"]["mass"] = 5.0
    assert tomllib.loads(edited(text, {("part", "mass"): Change(5.0, "new")})) == wanted


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_every_preset_survives_being_written_anew(path: object) -> None:
    data = tomllib.loads(path.read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    assert tomllib.loads(dumped(data)) == data
