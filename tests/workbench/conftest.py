import pytest

from motionbase.platform.load import load_platform
from motionbase.workbench.clearance import Clearance
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.requirements import SweptExtremes, swept_extremes


@pytest.fixture(scope="session")
def simona() -> Clearance:
    """Of the parts of SIMONA."""
    return Clearance(geometry_of(load_platform("simona")))


@pytest.fixture(scope="session")
def extremes(simona: Clearance) -> SweptExtremes:
    """Of SIMONA."""
    return swept_extremes(load_platform("simona"), simona)
