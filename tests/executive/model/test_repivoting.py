"""Pivots of a model's step chosen anew while the executive runs it in real time."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from motionbase.executive.executive import Executive, Mode
from motionbase.executive.model.run import ModelRun
from motionbase.multibody.network import real_time
from motionbase.multibody.network.real_time import step_code
from motionbase.ring.reader import Reader
from motionbase.ring.writer import Writer
from tests.executive.model.rig import DT, robot
from tests.ring.ring_processes import until

AFTER = 1000  # ticks with the new code
LIMIT = 10.0  # of growth


@pytest.mark.long("compiles a robot twice")
def test_new_code_takes_over_while_ticks_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Growth of the robot's pivots, 35, is beyond the limit; dense factors, the last resort, keep below it."""
    monkeypatch.setattr(real_time, "TRIED", 0)  # at once
    network = replace(robot().network, growth_limit=LIMIT)
    code = replace(robot(), network=network, step=step_code(network))
    said: list[str] = []
    schema, parameters = code.plant.schema, code.plant.parameters.json
    with Writer(schema, name="anew", dt=DT, capacity=60_000, parameters=parameters) as writer:
        run = ModelRun(code, writer, said.append)
        executive = Executive(run.schedule, writer, Mode.REAL_TIME, channels=run.shown, clock=run.clock)
        with Reader("anew", start="oldest", batch=60_000) as reader:
            with run.repivoting() as watch:
                loop = threading.Thread(target=executive.run)
                loop.start()
                until(lambda: watch.chosen > 0 or watch.failed != "", "new code")
                swapped = run.clock.tick[0]
                until(lambda: run.clock.tick[0] > swapped + AFTER, "ticks with the new code")
                executive.stop()
                loop.join()
            rows = np.array(reader.read().rows)
    channel = {name: rows[:, schema.place(name)] for name in ("tick", "growth", "repivots", "unsolved", "fault")}
    old = int(np.argmax(channel["growth"] < LIMIT))  # ticks before the new code
    assert watch.failed == "" and run.step.replaced == 1 and watch.network.dense
    np.testing.assert_array_equal(channel["tick"], np.arange(len(rows)))  # none is lost
    assert old > 10 and len(rows) - old > AFTER  # ticks went on while the code was made
    assert channel["growth"][:old].min() > LIMIT > channel["growth"][old:].max()
    assert channel["repivots"][old - 1] == 0 and channel["repivots"][-1] == 1
    assert channel["unsolved"].max() == 0 and channel["fault"].max() == 0  # every residual was judged
    assert "pivots of the step were chosen anew" in "".join(said)
