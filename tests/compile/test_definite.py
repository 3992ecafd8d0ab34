"""A program that could return old memory is refused when it is built."""

from collections.abc import Callable

import pytest

from motionbase.compile import Body, Kernel, OldProgram, Port
from motionbase.errors import KernelError

INC = Kernel("inc", (Port("u"),), (Port("w"),), lambda u: u + 1)
INPUTS = (Port("x", 4), Port("mode"))


def built(body: Callable[[Body], None]) -> None:
    OldProgram("p", INPUTS, (Port("y", 4),), body).routine  # noqa: B018


def every_other(b: Body) -> None:
    with b.loop(2) as i:
        b.copy(b["x"][2 * i], b["y"][2 * i])


def one_case(b: Body) -> None:
    with b.switch(b["mode"]) as s, s.case(1):
        b.copy(b["x"], b["y"])


def default_too_short(b: Body) -> None:
    with b.switch(b["mode"]) as s:
        with s.case(2):
            b.copy(b["x"], b["y"])
        with s.default():
            b.copy(b["x"][:3], b["y"][:3])


def local_first(b: Body) -> None:
    t = b.local("t")
    b.call(INC, u=t, w=b["y"][0])


def local_in_one_case(b: Body) -> None:
    t = b.local("t")
    with b.switch(b["mode"]) as s, s.case(0):
        b.call(INC, u=b["x"][0], w=t)
    b.copy(b["x"], b["y"])
    b.call(INC, u=t, w=b["y"][0])


def own_output_first(b: Body) -> None:
    b.call(INC, u=b["y"][1], w=b["y"][0])


def selector_first(b: Body) -> None:
    with b.switch(b.local("t")) as s, s.default():
        b.copy(b["x"], b["y"])


def next_round(b: Body) -> None:
    """Reads in the first round what only the round before would have written."""
    t = b.local("t", 5)
    with b.loop(4) as i:
        b.call(INC, u=t[i], w=t[i + 1])
    b.copy(b["x"], b["y"])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda b: None, "element 0 of output 'y' is not written on any path"),
        (every_other, "element 1 of output 'y' is not written on any path"),
        (one_case, "element 0 of output 'y' is not written in the default of the switch on 'mode'"),
        (default_too_short, "element 3 of output 'y' is not written in the default of the switch on 'mode'"),
        (local_first, "the call of 'inc' reads 't' before it is written"),
        (local_in_one_case, "reads 't' before it is written in the default of the switch on 'mode'"),
        (own_output_first, "the call of 'inc' reads 'y' before it is written"),
        (selector_first, "a switch reads 't' before it is written"),
        (next_round, "the call of 'inc' reads 't' before it is written"),
    ],
)
def test_refused(body: Callable[[Body], None], words: str) -> None:
    with pytest.raises(KernelError) as error:
        built(body)
    assert words in str(error.value)


def chain(b: Body) -> None:
    """Each round reads what the round before wrote."""
    t = b.local("t", 5)
    b.copy(b["x"][0], t[0])
    with b.loop(4) as i:
        b.call(INC, u=t[i], w=t[i + 1])
    b.copy(t[1:], b["y"])


def both_cases(b: Body) -> None:
    with b.switch(b["mode"]) as s:
        with s.case(0), b.loop(4) as i:
            b.copy(b["x"][i], b["y"][i])
        with s.default():
            b.copy(b["x"], b["y"])


@pytest.mark.parametrize("body", [chain, both_cases, lambda b: b.copy(b["x"], b["y"])])
def test_accepted(body: Callable[[Body], None]) -> None:
    built(body)


def test_the_digest_is_refused_too() -> None:
    """Otherwise an object from the cache would run what cannot be built."""
    with pytest.raises(KernelError, match="not written"):
        OldProgram("p", INPUTS, (Port("y", 4),), one_case).digest  # noqa: B018


def test_a_long_loop_is_checked_quickly() -> None:
    def body(b: Body) -> None:
        b.copy(b["x"], b["y"])
        with b.loop(1_000_000_000):
            b.call(INC, u=b["x"][0], w=b["y"][0])

    built(body)
