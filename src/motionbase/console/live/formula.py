"""Channels by formula: parses a text into a tree of known operations over columns.

The text is never executed: it is parsed by Python's grammar, and every node that is not in the tables here is refused
with its position.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, final

import numpy as np

from motionbase.arrays import Array
from motionbase.console.live.units import NONE, NUMBER, UNKNOWN, Quantity, unit
from motionbase.errors import MotionBaseError

Columns: TypeAlias = Array  # (used channels, n), time first
Node: TypeAlias = Callable[[Columns], Array]
LONGEST, DEEPEST, MOST_NODES = 500, 40, 400
CONSTANTS = {"pi": math.pi}
BINARY: dict[type[ast.operator], np.ufunc] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Pow: np.float_power,
}  # fmt: skip
COMPARED: dict[type[ast.cmpop], np.ufunc] = {
    ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal, ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}  # fmt: skip
FUNCTIONS: dict[str, tuple[np.ufunc, int]] = {
    "abs": (np.abs, 1), "sqrt": (np.sqrt, 1), "exp": (np.exp, 1), "log": (np.log, 1), "sin": (np.sin, 1),
    "cos": (np.cos, 1), "tan": (np.tan, 1), "atan2": (np.arctan2, 2), "min": (np.minimum, 2), "max": (np.maximum, 2),
    "deg": (np.degrees, 1), "rad": (np.radians, 1),
}  # fmt: skip
ANGLE, DEGREES, SECOND = unit("rad"), unit("deg"), unit("s")
ANGLES, RATIOS = ("sin", "cos", "tan"), ("exp", "log")  # functions of angles, and of numbers without unit
OPERATORS = "+ - * / ** < <= > >= == !="


@final
class FormulaError(MotionBaseError):
    """A formula is invalid; the message says where."""


@final
@dataclass(frozen=True)
class Formula:
    """A formula over the channels of a ring.

    Attributes:
        places: of the channels that it uses, time first; `columns` holds exactly these
        quantity: of the result
    """

    text: str
    places: tuple[int, ...]
    quantity: Quantity
    _node: Node

    def __call__(self, columns: Columns, has_before: bool) -> Array:
        """Values for the records of `columns`; with `has_before`, the first record is only the predecessor."""
        with np.errstate(all="ignore"):
            values = np.asarray(self._node(columns), np.float64)
        whole = np.broadcast_to(values, columns.shape[1:])
        return np.array(whole[1:] if has_before else whole)

    def unit(self, given: str = "") -> str:
        """Unit of the result: as given, else as derived; refuses one that does not fit."""
        found = self.quantity
        if not given:
            return found.text or "-"
        if found.is_free or found.key == unit(given).key:
            return given
        raise FormulaError(
            f"the formula gives {found.words}, not {given!r:.40}; leave the unit empty, or multiply by a "
            "conversion factor"
        )


def parse(text: str, names: Sequence[str], units: Sequence[str] = ()) -> Formula:
    """The formula in a text, with names and units of the columns in order. Without units, any may be combined."""
    if len(text) > LONGEST:
        raise FormulaError(f"the formula has {len(text)} characters, {LONGEST} are the most")
    if not text.isascii() or not text.isprintable():
        at = next(k for k, letter in enumerate(text) if not (letter.isascii() and letter.isprintable()))
        raise FormulaError(f"formula, character {at + 1}: {text[at]!r} has no meaning here")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise FormulaError(f"formula, character {_place(error, text)}: it cannot be read, {_said(error)}") from None
    if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        raise FormulaError(f"the formula has more than {MOST_NODES} parts; divide it")
    lead = len(text) - len(text.lstrip())
    builder = _Builder(names, units, lead)
    node, quantity = builder.node(tree.body, 0)
    return Formula(text.strip(), tuple(builder.used), quantity, node)


class _Part(NamedTuple):
    """A part of a formula: its function and quantity."""

    node: Node
    quantity: Quantity


@final
class _Builder:
    def __init__(self, names: Sequence[str], units: Sequence[str], lead: int) -> None:
        self._places = {name: k for k, name in enumerate(names)}
        self._units = [unit(text) for text in units] or [UNKNOWN] * len(names)
        self._lead = lead
        self.used = [0]

    def node(self, tree: ast.expr, depth: int) -> _Part:
        if depth > DEEPEST:
            raise self._error(tree, f"more than {DEEPEST} parts in each other; divide it")
        match tree:
            case ast.Constant(value=bool() | str() | bytes() | complex() | None):
                raise self._error(tree, f"{tree.value!r:.40} is no number")
            case ast.Constant(value=int() | float() as number):
                return _Part(_constant(self._number(tree, number)), NUMBER)
            case ast.Name(id=name):
                return self._name(tree, name)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                part = self.node(inner, depth + 1)
                return _Part(_applied(np.negative, part.node), part.quantity)
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self.node(inner, depth + 1)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                a, b = self.node(left, depth + 1), self.node(right, depth + 1)
                return _Part(_applied(BINARY[type(op)], a.node, b.node), self._combined(tree, op, a, b, right))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARED:
                a, b = self.node(left, depth + 1), self.node(right, depth + 1)
                self._joined(tree, "compared", a, b)
                return _Part(_compared(COMPARED[type(op)], a.node, b.node), NONE)
            case ast.Compare(ops=[_, _, *_]):
                raise self._error(tree, "one comparison at a time; multiply two of them for 'and'")
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self._call(tree, name, args, depth)
        raise self._error(
            tree, f"{type(tree).__name__} is not possible; there are names, numbers, {OPERATORS} and {_functions()}"
        )

    def _number(self, tree: ast.expr, number: int | float) -> float:
        try:
            return float(number)
        except OverflowError:
            raise self._error(tree, "the number is too large") from None

    def _combined(self, tree: ast.expr, op: ast.operator, a: _Part, b: _Part, right: ast.expr) -> Quantity:
        match op:
            case ast.Mult():
                return a.quantity.times(b.quantity)
            case ast.Div():
                return a.quantity.times(b.quantity, -1)
            case ast.Pow():
                return self._powered(a, b, right)
        return self._joined(tree, "added", a, b)

    def _powered(self, a: _Part, b: _Part, right: ast.expr) -> Quantity:
        match right:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as inner):
                return NONE.times(self._powered(a, b, inner), -1)
            case ast.Constant(value=int() | float() as power) if abs(power) < 1e3:
                return a.quantity.to_the(power)
        return a.quantity if a.quantity.key == NONE.key else UNKNOWN

    def _joined(self, tree: ast.expr, how: str, a: _Part, b: _Part) -> Quantity:
        found = a.quantity.joined(b.quantity)
        if found is None:
            one, other = a.quantity.words, b.quantity.words
            hint = "multiply one of them by a number that turns it into the other, as in x + 0.5 * y"
            raise self._error(tree, f"{one} and {other} cannot be {how}; {hint}")
        return found

    def _name(self, tree: ast.expr, name: str) -> _Part:
        if name in CONSTANTS:
            return _Part(_constant(CONSTANTS[name]), NUMBER)
        if name not in self._places:
            near = [n for n in self._places if name in n][:6] or list(self._places)[:6]
            hint = f"there is no channel {name!r:.70}; channels: {', '.join(near)}, ..."
            raise self._error(tree, f"{name} is a function; give it arguments" if _is_function(name) else hint)
        place = self._places[name]
        if place not in self.used:
            self.used.append(place)
        at = self.used.index(place)
        return _Part(lambda columns: np.asarray(columns[at]), self._units[place])

    def _call(self, tree: ast.expr, name: str, args: list[ast.expr], depth: int) -> _Part:
        if not _is_function(name):
            raise self._error(tree, f"there is no function {name!r:.70}; functions: {_functions()}")
        wanted = 1 if name == "rate" else FUNCTIONS[name][1]
        if len(args) != wanted:
            raise self._error(tree, f"{name} has {len(args)} arguments, it takes {wanted}")
        inner = [self.node(arg, depth + 1) for arg in args]
        quantity = self._result(tree, name, inner)
        nodes = [part.node for part in inner]
        return _Part(_rate(nodes[0]) if name == "rate" else _applied(FUNCTIONS[name][0], *nodes), quantity)

    def _result(self, tree: ast.expr, name: str, inner: list[_Part]) -> Quantity:
        given = inner[0].quantity
        if len(inner) == 2:
            both = self._joined(tree, "compared", *inner)
            return ANGLE if name == "atan2" else both
        if name in ANGLES:
            self._wanted(tree, name, given, ANGLE)
            return NONE
        if name in RATIOS:
            self._wanted(tree, name, given, NONE)
            return NONE
        if name in ("deg", "rad"):
            one, other = (ANGLE, DEGREES) if name == "deg" else (DEGREES, ANGLE)
            self._wanted(tree, name, given, one)
            return Quantity(other.powers, given.is_scaled)
        return {"sqrt": given.to_the(0.5), "rate": given.times(SECOND, -1)}.get(name, given)

    def _wanted(self, tree: ast.expr, name: str, given: Quantity, wanted: Quantity) -> None:
        if given.is_free or given.key in (wanted.key, NONE.key):
            return
        raise self._error(tree, f"{name} of {given.words}: it takes {wanted.words}; multiply by a conversion factor")

    def _error(self, tree: ast.expr, why: str) -> FormulaError:
        return FormulaError(f"formula, character {tree.col_offset + 1 + self._lead}: {why}")


def _is_function(name: str) -> bool:
    return name in FUNCTIONS or name == "rate"


def _functions() -> str:
    return ", ".join([*FUNCTIONS, "rate"])


def _constant(number: float) -> Node:
    value = np.float64(number)
    return lambda columns: np.asarray(value)


def _applied(function: np.ufunc, *inner: Node) -> Node:
    return lambda columns: np.asarray(function(*(node(columns) for node in inner)), np.float64)


def _compared(function: np.ufunc, left: Node, right: Node) -> Node:
    """0 or 1; NaN if either side is NaN."""

    def compared(columns: Columns) -> Array:
        a, b = left(columns), right(columns)
        return np.where(np.isnan(a) | np.isnan(b), np.nan, function(a, b))

    return compared


def _rate(inner: Node) -> Node:
    """Change per second since the record before; NaN for the first record, and if time did not advance."""

    def rate(columns: Columns) -> Array:
        t = columns[0]
        x = np.broadcast_to(inner(columns), t.shape)
        made = np.full(t.shape, np.nan)
        dt = np.diff(t)
        np.divide(np.diff(x), dt, out=made[1:], where=dt > 0)
        return made

    return rate


def _place(error: BaseException, text: str) -> int:
    """Position where Python stopped parsing; the end if unknown."""
    at = error.offset if isinstance(error, SyntaxError) else None
    return at + len(text) - len(text.lstrip()) if at else len(text) + 1


def _said(error: BaseException) -> str:
    """Python's message without its hints for programs."""
    said = error.msg if isinstance(error, SyntaxError) and error.msg else "it is too deep"
    return said.split(". Perhaps")[0].split(". Maybe")[0][:120]
