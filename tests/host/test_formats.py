"""The table of formats."""

from importlib import import_module

import pytest

from motionbase.errors import UsageError
from motionbase.host.formats import FORMATS, HOMES, format_of


@pytest.mark.parametrize("home", HOMES)
def test_the_table_names_what_each_module_has(home: str) -> None:
    module = import_module(f"motionbase.host.{home}")
    assert tuple(form.name for form in module.FORMATS) == HOMES[home]


def test_names_are_found_or_guessed() -> None:
    assert len(set(FORMATS)) == len(FORMATS) and all(FORMATS[name].name == name for name in FORMATS)
    with pytest.raises(UsageError, match="did you mean 'xplane'"):
        format_of("xplan")
