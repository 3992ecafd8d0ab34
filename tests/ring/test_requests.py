"""Requests are reported from the ring itself, with their senders and answers."""

import numpy as np
import pytest

from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import Generator
from motionbase.record.parameters import Parameter, ParameterTable
from motionbase.record.requests import Command, Kind, Reason, Result
from motionbase.ring.backend import Emulation
from motionbase.ring.blocks.commands import SLOTS, CommandReceiver, CommandSender
from motionbase.ring.blocks.generators import GeneratorClient
from motionbase.ring.blocks.parameters import ParameterPublisher
from motionbase.ring.blocks.requests import Asked, RequestWatch, watched
from motionbase.ring.command_words import SENDER_BYTES, person_of, signed
from motionbase.ring.writer import Writer
from tests.ring.rings import small_writer

ANNA = signed("console", "Anna")


def watch_of(ring: Writer) -> RequestWatch:
    return RequestWatch(ring.segment, ring.header.layout)


def told(watch: RequestWatch) -> list[tuple[str, str, str, bool]]:
    return [(a.kind, a.text, a.person, a.is_bad) for a in watch.news()]


def test_a_request_is_told_with_its_answer_and_the_name() -> None:
    with small_writer() as ring:
        receiver, watch = CommandReceiver(ring.segment, ring.header.layout), watch_of(ring)
        assert watch.news() == []
        sender = CommandSender(sender=ANNA)
        for kind in (Kind.DRIVE, Kind.RESET_FAULT):
            sender.send(Command(kind))
        assert watch.news() == [], "nobody has answered"
        for result, reason in ((Result.ACCEPTED, Reason.NONE), (Result.REFUSED, Reason.WRONG_STATE)):
            order = receiver.poll()
            assert order is not None
            receiver.answer(order, result, reason)
        found = watch.news()
        assert found == [
            Asked("request", "drive asked for by Anna (console): accepted", "Anna", False, 1),
            Asked(
                "request",
                "reset asked for by Anna (console): refused, it cannot be done from the present state",
                "Anna",
                True,
                2,
            ),
        ]
        assert watch.news() == []


def test_more_than_there_is_room_for_are_counted() -> None:
    with small_writer() as ring:
        receiver, watch = CommandReceiver(ring.segment, ring.header.layout), watch_of(ring)
        sender = CommandSender(sender="a program")
        for _ in range(SLOTS + 5):
            sender.send(Command(Kind.STANDBY))
            order = receiver.poll()
            assert order is not None
            receiver.answer(order, Result.ACCEPTED)
        found = [text for _, text, _, _ in told(watch)]
        assert found == ["standby asked for by a program: accepted"] * SLOTS + [
            "5 requests came too quickly to be reported one by one"
        ]


def test_a_request_whose_place_is_taken_by_another_is_counted_and_not_called_refused() -> None:
    with small_writer() as ring:
        receiver, watch = CommandReceiver(ring.segment, ring.header.layout), watch_of(ring)
        sender = CommandSender(sender=ANNA)
        for _ in range(SLOTS):
            sender.send(Command(Kind.STANDBY))
            order = receiver.poll()
            assert order is not None
            receiver.answer(order, Result.ACCEPTED)
        sender.send(Command(Kind.DRIVE))  # not answered yet, and it has the place of the first
        found = told(watch)
        assert found[:-1] == [("request", "standby asked for by Anna (console): accepted", "Anna", False)] * (SLOTS - 1)
        assert found[-1][1] == "1 request came too quickly to be reported one by one"


def test_a_replay_that_is_moved_is_no_request_to_a_base() -> None:
    with small_writer() as ring:
        receiver, watch = CommandReceiver(ring.segment, ring.header.layout), watch_of(ring)
        CommandSender(sender=ANNA).send(Command(Kind.SEEK, (2.0,)))
        order = receiver.poll()
        assert order is not None
        receiver.answer(order, Result.ACCEPTED)
        assert watch.news() == []


def test_a_stop_is_told_once_until_it_is_released() -> None:
    with small_writer() as ring:
        receiver, watch = CommandReceiver(ring.segment, ring.header.layout), watch_of(ring)
        sender = CommandSender(sender=ANNA)
        for _ in range(3):
            sender.estop()
        assert told(watch) == [("estop", "emergency stop asked for by Anna (console)", "Anna", True)]
        sender.estop()
        assert watch.news() == []
        receiver.poll()
        receiver.release_estop()
        assert watch.news() == []
        sender.estop()
        assert len(watch.news()) == 1


def test_generators_are_told_by_name_also_those_that_are_in_force_at_the_start() -> None:
    with small_writer() as ring:
        one = Generator(enabled=True, axes=(1,), amplitude=0.01, frequency=1.0)
        client = GeneratorClient(author="motionbase run")
        client.write(GeneratorSet((one,), "gentle"))
        watch = watch_of(ring)
        assert told(watch) == [
            ("generators", "generators 'gentle' is armed, written by motionbase run, version 1, on: 1", "", False)
        ]
        GeneratorClient(author=ANNA).write(GeneratorSet((one, one), "tour (edited)"))
        assert told(watch) == [
            ("generators", "generators 'tour (edited)' armed by Anna (console), version 2, on: 1, 2", "Anna", False)
        ]


def test_tuning_says_from_what_to_what() -> None:
    table = ParameterTable("law", (Parameter("k_p", "1/s", "error to velocity", (15.0,), (3.0,), (20.0,)),))
    with small_writer(parameters=table.json) as ring:
        receiver, tuned = CommandReceiver(ring.segment, ring.header.layout), np.array([12.0])
        ParameterPublisher(ring.segment, ring.header.layout, table.size).publish(tuned, tuned)
        watch = watch_of(ring)
        assert told(watch) == [("tuning", "k_p is 12 1/s, designed 15", "", False)], "what runs is told at the start"
        sender = CommandSender(sender=ANNA)
        for value, result in ((10.0, Result.ACCEPTED), (90.0, Result.REFUSED), (11.0, Result.ACCEPTED)):
            sender.send(Command(Kind.TUNE, (0.0, value)))
            order = receiver.poll()
            assert order is not None
            receiver.answer(order, result, Reason.NONE if result is Result.ACCEPTED else Reason.OUT_OF_RANGE)
        assert told(watch) == [
            ("tuning", "k_p from 12 to 10 1/s by Anna (console): accepted", "Anna", False),
            ("tuning", "k_p from 10 to 90 1/s by Anna (console): refused, a value is out of range", "Anna", True),
            ("tuning", "k_p from 10 to 11 1/s by Anna (console): accepted", "Anna", False),
        ]


def test_a_watch_is_of_one_run_alone() -> None:
    with small_writer() as ring:
        backend, epoch = ring.segment.backend, ring.header.epoch
        assert watched("motionbase", backend, epoch) is not None
        assert watched("motionbase", backend, epoch + 1) is None
    assert watched("nobody", Emulation("nobody"), 1) is None


@pytest.mark.parametrize("name", ["Anna", "Åsa Öberg " * 9, "a: b"])
def test_a_name_fits_the_block(name: str) -> None:
    sender = signed("console", name)
    assert len(sender.encode()) <= SENDER_BYTES
    assert name.startswith(person_of(sender).rstrip()) and person_of(sender)
    assert person_of("a program") == "" and person_of(signed("motionbase tune"))
