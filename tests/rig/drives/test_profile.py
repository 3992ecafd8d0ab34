"""The profile's figure as a table, checked against the words and arrows of CiA 402."""

import itertools

import pytest

from motionbase.record.rig import RigFault
from motionbase.rig.drives import profile
from motionbase.rig.drives.profile import TRANSITIONS, Command, Event, State

ORDINARY = [s for s in State if s not in (State.NOT_READY_TO_SWITCH_ON, State.FAULT_REACTION_ACTIVE, State.FAULT)]


def test_all_sixteen_arrows_of_the_figure_are_there() -> None:
    assert {t.number for t in TRANSITIONS} == set(range(1, 17))


def test_no_state_has_two_arrows_for_one_cause() -> None:
    causes = [(t.source, t.cause) for t in TRANSITIONS]
    assert len(set(causes)) == len(causes)


@pytest.mark.parametrize("word", range(1 << 7))
def test_a_statusword_shows_at_most_one_state(word: int) -> None:
    assert sum(word & mask == bits for mask, bits in (s.value for s in State)) <= 1


@pytest.mark.parametrize(
    "word,state",
    [
        (0x0000, State.NOT_READY_TO_SWITCH_ON), (0x0250, State.SWITCH_ON_DISABLED),
        (0x0231, State.READY_TO_SWITCH_ON), (0x0233, State.SWITCHED_ON), (0x1637, State.OPERATION_ENABLED),
        (0x0217, State.QUICK_STOP_ACTIVE), (0x021F, State.FAULT_REACTION_ACTIVE), (0x0218, State.FAULT),
        (0x0002, None),
    ],
)  # fmt: skip
def test_statuswords_as_drives_send_them(word: int, state: State | None) -> None:
    """With voltage, remote and bits of the mode, as manuals show them."""
    assert profile.state_of(word) is state


@pytest.mark.parametrize(
    "word,command",
    [
        (0x06, Command.SHUTDOWN), (0x0E, Command.SHUTDOWN), (0x07, Command.SWITCH_ON),
        (0x0F, Command.ENABLE_OPERATION), (0x1F, Command.ENABLE_OPERATION), (0x00, Command.DISABLE_VOLTAGE),
        (0x0D, Command.DISABLE_VOLTAGE), (0x02, Command.QUICK_STOP), (0x0B, Command.QUICK_STOP),
        (0x80, Command.FAULT_RESET),
    ],
)  # fmt: skip
def test_controlwords(word: int, command: Command) -> None:
    """The don't-care bits of the profile's table of commands do not matter."""
    assert profile.command_of(word, 0) is command


def test_a_fault_is_reset_by_a_rising_edge() -> None:
    assert profile.command_of(0x80, 0x00) is Command.FAULT_RESET
    assert profile.command_of(0x80, 0x80) is None


@pytest.mark.parametrize("source,goal", [*itertools.product(ORDINARY, ORDINARY)])
def test_commands_lead_from_every_state_to_every_other(source: State, goal: State) -> None:
    """A quick stop can only be begun from operation, and left only by switching off."""
    state, seen = source, [source]
    while state is not goal:
        command = profile.towards(state, goal)
        assert command is not None and len(seen) < 6
        change = profile.transition(state, command)
        assert change is not None and change.number not in (15, 16)
        state = change.target
        seen.append(state)


@pytest.mark.parametrize("goal", ORDINARY)
def test_a_fault_is_left_only_if_a_person_asks(goal: State) -> None:
    assert profile.towards(State.FAULT, goal) is None


def test_every_state_but_those_of_faults_can_fault() -> None:
    for state in State:
        faults = profile.transition(state, Event.FAULT_DETECTED)
        assert (faults is None) == (state in (State.FAULT, State.FAULT_REACTION_ACTIVE))


@pytest.mark.parametrize(
    "code,fault",
    [
        (0x2310, RigFault.OVERLOAD), (0x3210, RigFault.SUPPLY), (0x4310, RigFault.TEMPERATURE),
        (0x7305, RigFault.SENSOR), (0x8130, RigFault.SILENT_LAW), (0x8611, RigFault.FOLLOWING_ERROR),
        (0x8612, RigFault.LIMIT_SWITCH), (0x5530, RigFault.DEVICE), (0x0000, RigFault.DEVICE),
        (0xFF01, RigFault.DEVICE), (0x0200, RigFault.DEVICE),
    ],
)  # fmt: skip
def test_error_codes(code: int, fault: RigFault) -> None:
    assert profile.fault_of(code) is fault
