"""Numbers of records: without gaps, because readers find the words by them, and the same for law and ring."""

from enum import IntEnum

import pytest

from motionbase.record.faults import FAULTS, SENTENCES, SPHERE_WARNINGS, WARNINGS, Fault, SphereWarningBit, WarningBit
from motionbase.record.generators import COLUMNS, PLACE, SHAPES, SPACES, Shape, Space
from motionbase.record.requests import ACTIONS, ESTOP, KINDS, REPLAY_KINDS, SENTENCE, Kind, Reason
from motionbase.record.states import MODES, STATES, Mode, Request, State


@pytest.mark.parametrize(("numbers", "words"), [(State, STATES), (Mode, MODES), (Fault, FAULTS)])
def test_codes_count_from_zero(numbers: type[IntEnum], words: tuple[str, ...]) -> None:
    assert [n.value for n in numbers] == list(range(len(words)))


def test_bits_follow_each_other() -> None:
    bits = [b.value for b in (*WarningBit, *SphereWarningBit)]
    assert bits == [1 << k for k in range(len(WARNINGS) + len(SPHERE_WARNINGS))]
    assert WARNINGS[3] == "leg limit" and SPHERE_WARNINGS[0] == "sphere slips"


def test_every_fault_and_reason_has_its_sentence() -> None:
    assert SENTENCES.keys() == set(Fault) and SENTENCE.keys() == set(Reason)
    assert FAULTS[Fault.LEG_VELOCITY] == "leg velocity: a leg is faster than it may be"


def test_requests_have_the_same_number_as_commands() -> None:
    assert {Kind[r.name].value for r in Request if r} == {r.value for r in Request if r}
    assert {*ACTIONS} == {*KINDS, ESTOP} and not {*KINDS.values()} & {*REPLAY_KINDS.values()}


def test_shapes_and_spaces_have_numbers_in_rows() -> None:
    assert [s.code for s in Shape] == list(range(len(SHAPES))) and [s.code for s in Space] == list(range(len(SPACES)))
    assert COLUMNS[PLACE["shape"]].high == len(SHAPES) - 1 and COLUMNS[PLACE["space"]].high == len(SPACES) - 1
    assert (Space.LEG.code, Space.DOF.code) == (0, 1), "as the compiled generators have them"
