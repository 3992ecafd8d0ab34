"""Dense LU factors with row exchanges as loops over arrays: code size does not depend on the number of equations.

Column by column, element (i, j) at n j + i, so that the innermost loops run through neighbours. Exchanges are recorded
as in LAPACK: row k changed places with row `exchanges[k]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import count

from motionbase.compile.block import Builder, Value, absolute, select
from motionbase.compile.linear.monitors import BROKEN
from motionbase.compile.ops import Op
from motionbase.compile.port import Port
from motionbase.compile.primitives import Primitive, whole
from motionbase.compile.routine import Address, Argument, Buffer, Call, Copy, Loop, Role, Routine, Statement

IN, OUT, BOTH = Role.INPUT, Role.OUTPUT, Role.MEMORY


def _small(name: str, arguments: Sequence[tuple[str, int, Role]], code: Callable[[Builder], None]) -> Routine:
    builder = Builder()
    code(builder)
    return Routine(name, tuple(Argument(*of) for of in arguments), (builder.block(),))


def _at(buffer: int, offset: int = 0, *strides: tuple[int, int]) -> Address:
    return Address(buffer, offset, strides)


def _distinct(body: Sequence[Statement], numbers: Mapping[int, int], free: Iterator[int]) -> tuple[Statement, ...]:
    """The same statements with a number of its own for every loop."""

    def moved(a: Address) -> Address:
        return replace(a, strides=tuple((numbers[number], stride) for number, stride in a.strides))

    found: list[Statement] = []
    for s in body:
        if isinstance(s, Loop):
            number = next(free)
            inner = _distinct(s.body, {**numbers, s.number: number}, free)
            found.append(Loop(number, s.count, inner, after=None if s.after is None else numbers[s.after]))
        elif isinstance(s, Call):
            found.append(Call(s.callee, tuple(map(moved, s.addresses))))
        else:
            assert isinstance(s, Copy)
            found.append(Copy(moved(s.source), moved(s.target), s.size))
    return tuple(found)


@lru_cache(maxsize=64)
def dense_lu(n: int, places: tuple[int, ...]) -> Primitive:
    """(nonzeros) -> (factors, exchanges, growth); nonzero k stands at places[k] = n j + i.

    Pivots are the largest of their column relative to the largest entry of their row in A (scaled partial pivoting).
    """
    nz, lu, exchanges, growth, where, index, nothing, scale, best, inverse = range(10)
    k, i, j = 0, 1, 2  # loops
    buffers = (
        Buffer("where_", len(places), tuple(float(p) for p in places)),
        Buffer("index_", n, tuple(float(p) for p in range(n))),
        Buffer("nothing_", n, (0.0,) * n),
        Buffer("scale_", n),
        Buffer("best_", 2),
        Buffer("inverse_", 1),
    )
    column = _at(lu, 0, (k, n + 1))  # of the pivot
    below = _at(lu, 0, (k, n), (i, 1))
    search = (
        Call(_FIRST, (column, _at(scale, 0, (k, 1)), _at(index, 0, (k, 1)), _at(best))),
        Loop(i, n, (Call(_BETTER, (below, _at(scale, 0, (i, 1)), _at(index, 0, (i, 1)), _at(best))),), after=k),
    )
    exchange = (
        Copy(_at(best, 1), _at(exchanges, 0, (k, 1)), 1),
        Call(_exchange(n), (_at(best, 1), _at(index, 0, (k, 1)), _at(scale))),
        Loop(j, n, (Call(_exchange(n), (_at(best, 1), _at(index, 0, (k, 1)), _at(lu, 0, (j, n)))),)),
    )
    update = (
        Call(_INVERSE, (column, _at(inverse))),
        Loop(i, n, (Call(_TIMES, (below, _at(inverse))),), after=k),
        Loop(
            j, n,
            (Loop(i, n, (Call(_MINUS, (_at(lu, 0, (j, n), (i, 1)), below, _at(lu, 0, (j, n), (k, 1)))),), after=k),),
            after=k,
        ),
    )  # fmt: skip
    body = (
        Loop(j, n, (Copy(_at(nothing), _at(lu, 0, (j, n)), n),)),
        Loop(k, len(places), (Call(_scatter(n), (_at(nz, 0, (k, 1)), _at(where, 0, (k, 1)), _at(lu))),)),
        Copy(_at(nothing), _at(scale), n),
        Loop(j, n, (Loop(i, n, (Call(_LARGEST, (_at(lu, 0, (j, n), (i, 1)), _at(scale, 0, (i, 1)))),)),)),
        Loop(i, n, (Call(_UNIT, (_at(scale, 0, (i, 1)),)),)),
        *((Loop(k, n - 1, (*search, *exchange, *update)),) if n > 1 else ()),
        Copy(_at(index, n - 1), _at(exchanges, n - 1), 1),
        Copy(_at(nothing), _at(growth), 1),
        Loop(k, n, (Call(_PIVOT, (column, _at(scale, 0, (k, 1)), _at(growth))),)),
        *((Loop(k, n - 1, (Loop(j, n, (Call(_GROWN, (_at(lu, 0, (j, n), (k, 1)), _at(scale, 0, (k, 1)), _at(growth))),),
                               after=k),)),) if n > 1 else ()),
        Call(_TOLD, (_at(growth),)),
    )  # fmt: skip
    ports = (
        Port("lu", n * n, "-", "factors"),
        Port("exchanges", n, "-", "of rows"),
        Port("growth", (), "-", "of pivots"),
    )
    return Primitive(
        f"dense_lu{n}", (Port("nz", len(places)),), ports, (), _distinct(body, {}, count()), buffers=buffers
    )


@lru_cache(maxsize=64)
def dense_solve(n: int) -> Primitive:
    """(factors, exchanges, right-hand side) -> unknowns."""
    lu, exchanges, right, x, index = range(5)
    k, i = 0, 1
    last = n * n - 1
    exchange = Call(_exchange(n), (_at(exchanges, 0, (k, 1)), _at(index, 0, (k, 1)), _at(x)))
    forward = Call(_MINUS, (_at(x, 0, (i, 1)), _at(lu, 0, (k, n), (i, 1)), _at(x, 0, (k, 1))))
    divide = Call(_OVER, (_at(x, n - 1, (k, -1)), _at(lu, last, (k, -n - 1))))
    # column n - 1 - k, rows n - 1 - i
    back = Call(_MINUS, (_at(x, n - 1, (i, -1)), _at(lu, last, (k, -n), (i, -1)), _at(x, n - 1, (k, -1))))
    body = (
        Copy(_at(right), _at(x), n),
        *((Loop(k, n - 1, (exchange,)), Loop(k, n - 1, (Loop(i, n, (forward,), after=k),)),
           Loop(k, n - 1, (divide, Loop(i, n, (back,), after=k)))) if n > 1 else ()),
        Call(_OVER, (_at(x), _at(lu))),
    )  # fmt: skip
    inputs = Port("lu", n * n), Port("exchanges", n), Port("right", n)
    buffers = (Buffer("index_", n, tuple(float(p) for p in range(n))),)
    return Primitive(f"dense_solve{n}", inputs, (Port("x", n),), (), _distinct(body, {}, count()), buffers=buffers)


# ---- what the loops do ---------------------------------------------------------------------------------------------


def _first(b: Builder) -> None:
    b.store(3, 0, absolute(b.load(0, 0)) * b.load(1, 0))
    b.store(3, 1, b.load(2, 0))


def _better(b: Builder) -> None:
    size, best = absolute(b.load(0, 0)) * b.load(1, 0), b.load(3, 0)
    larger = best < size
    at = select(larger, b.load(2, 0), b.load(3, 1))
    b.store(3, 0, select(larger, size, best))
    b.store(3, 1, at)


def _minus(b: Builder) -> None:
    b.store(0, 0, b.load(0, 0) - b.load(1, 0) * b.load(2, 0))


def _largest(b: Builder) -> None:
    size, before = absolute(b.load(0, 0)), b.load(1, 0)
    b.store(1, 0, select(before < size, size, before))


def _unit(b: Builder) -> None:
    size = b.load(0, 0)
    b.store(0, 0, select(size > 0.0, 1.0 / size, 1.0))


def _grown(b: Builder, size: Value) -> None:
    """The larger; once a NaN, always a NaN."""
    before = b.load(2, 0)
    b.store(2, 0, select((size <= before) | before.differs(before), before, size))


def _pivot(b: Builder) -> None:
    value = b.load(0, 0)
    _grown(b, select(value.equals(0.0), BROKEN, absolute(value) * b.load(1, 0)))


def _told(b: Builder) -> None:
    """At least 1, at most BROKEN."""
    growth = b.load(0, 0)
    b.store(0, 0, select(growth < BROKEN, select(growth < 1.0, 1.0, growth), BROKEN))


_FIRST = _small("dense_first", (("a", 1, IN), ("scale", 1, IN), ("row", 1, IN), ("best", 2, OUT)), _first)
_BETTER = _small("dense_better", (("a", 1, IN), ("scale", 1, IN), ("row", 1, IN), ("best", 2, BOTH)), _better)
_MINUS = _small("dense_minus", (("a", 1, BOTH), ("l", 1, IN), ("u", 1, IN)), _minus)
_INVERSE = _small("dense_inverse", (("a", 1, IN), ("inverse", 1, OUT)), lambda b: b.store(1, 0, 1.0 / b.load(0, 0)))
_TIMES = _small("dense_times", (("a", 1, BOTH), ("by", 1, IN)), lambda b: b.store(0, 0, b.load(0, 0) * b.load(1, 0)))
_OVER = _small("dense_over", (("a", 1, BOTH), ("by", 1, IN)), lambda b: b.store(0, 0, b.load(0, 0) / b.load(1, 0)))
_LARGEST = _small("dense_largest", (("a", 1, IN), ("size", 1, BOTH)), _largest)
_UNIT = _small("dense_unit", (("size", 1, BOTH),), _unit)
_PIVOT = _small("dense_pivot", (("a", 1, IN), ("scale", 1, IN), ("growth", 1, BOTH)), _pivot)
_GROWN = _small("dense_grown", (("a", 1, IN), ("scale", 1, IN), ("growth", 1, BOTH)),
                lambda b: _grown(b, absolute(b.load(0, 0)) * b.load(1, 0)))  # fmt: skip
_TOLD = _small("dense_told", (("growth", 1, BOTH),), _told)


@lru_cache(maxsize=64)
def _exchange(n: int) -> Routine:
    """Two numbers of a column change places."""

    def code(b: Builder) -> None:
        one, other = whole(b.load(0, 0), n - 1), whole(b.load(1, 0), n - 1)
        a, c = (b.emit(Op.LOAD_AT, at, imm=2) for at in (one, other))
        b.emit(Op.STORE_AT, one, c, imm=2)
        b.emit(Op.STORE_AT, other, a, imm=2)

    return _small("dense_exchange", (("one", 1, IN), ("other", 1, IN), ("column", n, BOTH)), code)


@lru_cache(maxsize=64)
def _scatter(n: int) -> Routine:
    def code(b: Builder) -> None:
        b.emit(Op.STORE_AT, whole(b.load(1, 0), n * n - 1), b.load(0, 0), imm=2)

    return _small("dense_scatter", (("value", 1, IN), ("place", 1, IN), ("lu", n * n, BOTH)), code)
