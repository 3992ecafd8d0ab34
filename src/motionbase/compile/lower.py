"""Lowering: a CasADi instruction list becomes basic operations; long lists are split into several routines."""

import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import casadi as ca

from motionbase.compile.block import (
    Block,
    Builder,
    Instruction,
    Value,
    absolute,
    ceil,
    copysign,
    floor,
    fmod,
    select,
    sqrt,
)
from motionbase.compile.kernels import Kernel
from motionbase.compile.ops import Op, Type
from motionbase.compile.port import Port
from motionbase.compile.routine import Address, Argument, Buffer, Call, Role, Routine
from motionbase.errors import UnsupportedOp

K = TypeVar("K")
SPLIT_ABOVE = 5000  # instructions; compile time grows faster than linearly with the length of a block

OP_NAMES: dict[int, str] = {
    getattr(ca, name): name for name in dir(ca) if name.startswith("OP_") and isinstance(getattr(ca, name), int)
}


class Step(NamedTuple):
    """One CasADi instruction in single-assignment form; arguments are positions of earlier steps.

    `place` is (input or output number, nonzero) for inputs and outputs, `number` the value of a constant, `source` the
    number of the instruction in the outermost function (for instructions of a called function that of the call, and
    `called` is set).
    """

    op: int
    args: tuple[int, ...]
    place: tuple[int, int] = (0, 0)
    number: float = 0.0
    source: int = 0
    called: bool = False


# ---- CasADi's operations in terms of ours --------------------------------------------------------------------------


def _truth(x: Value) -> Value:
    """x != 0 as a truth value; the 0 or 1 of a comparison is replaced by the comparison itself."""
    op, args, _ = x.builder.instructions[x.index]
    if op is Op.SELECT:
        one, zero = (x.builder.instructions[a] for a in args[1:])
        if one == (Op.CONST, (), 1.0) and zero == (Op.CONST, (), 0.0):
            return Value(x.builder, args[0], Type.B)
    return x.differs(0.0)


def _number(condition: Value) -> Value:
    return select(condition, 1.0, 0.0)


def _fmin(a: Value, b: Value) -> Value:
    """The smaller; a number wins over a NaN; of two zeros the second."""
    return select((a < b) | b.differs(b), a, b)


def _fmax(a: Value, b: Value) -> Value:
    """The larger; a number wins over a NaN; of two zeros the second."""
    return select((b < a) | b.differs(b), a, b)


def _sign(x: Value) -> Value:
    """-1, 1, or x itself if it is a zero or a NaN."""
    return select(x < 0.0, -1.0, select(x > 0.0, 1.0, x))


def _copysign(magnitude: Value, sign: Value) -> Value:
    """The sign of a NaN is not specified, so a NaN counts as positive."""
    return copysign(magnitude, select(sign.differs(sign), 0.0, sign))


def _maths(name: str) -> Callable[..., Value]:
    return lambda *args: args[0].builder.call(name, *args)


_BASIC: dict[int, Callable[..., Value]] = {
    ca.OP_ASSIGN: lambda x: x,
    ca.OP_ADD: lambda x, y: x + y,
    ca.OP_SUB: lambda x, y: x - y,
    ca.OP_MUL: lambda x, y: x * y,
    ca.OP_DIV: lambda x, y: x / y,
    ca.OP_NEG: lambda x: -x,
    ca.OP_INV: lambda x: 1.0 / x,
    ca.OP_SQ: lambda x: x * x,
    ca.OP_TWICE: lambda x: x + x,
    ca.OP_SQRT: sqrt,
    ca.OP_FABS: absolute,
    ca.OP_FLOOR: floor,
    ca.OP_CEIL: ceil,
    ca.OP_FMOD: fmod,
    ca.OP_COPYSIGN: _copysign,
    ca.OP_SIGN: _sign,
    ca.OP_FMIN: _fmin,
    ca.OP_FMAX: _fmax,
    ca.OP_LT: lambda x, y: _number(x < y),
    ca.OP_LE: lambda x, y: _number(x <= y),
    ca.OP_EQ: lambda x, y: _number(x.equals(y)),
    ca.OP_NE: lambda x, y: _number(x.differs(y)),
    ca.OP_NOT: lambda x: _number(~_truth(x)),
    ca.OP_AND: lambda x, y: _number(_truth(x) & _truth(y)),
    ca.OP_OR: lambda x, y: _number(_truth(x) | _truth(y)),
    ca.OP_IF_ELSE_ZERO: lambda c, x: select(_truth(c), x, 0.0),
    ca.OP_LIFT: lambda x, guess: x,
    ca.OP_PRINTME: lambda x, label: x,  # compiled code does not print; use `kernel trace` to see a value
    ca.OP_CONSTPOW: _maths("pow"),
}
RULES: dict[int, Callable[..., Value]] = _BASIC | {
    getattr(ca, f"OP_{name.upper()}"): _maths(name)
    for name in (
        "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp expm1 log log1p pow erf erfinv "
        "hypot remainder"
    ).split()
}


CHOOSE = -1  # our own operation: (condition, x, y) -> x if the condition holds, else y
STEP_RULES = RULES | {CHOOSE: lambda c, x, y: select(_truth(c), x, y)}


# ---- from a CasADi function to steps -------------------------------------------------------------------------------


def steps_of(function: ca.Function, kernel: str) -> list[Step]:
    """The instruction list in single-assignment form, with calls of other functions expanded."""
    steps: list[Step] = []
    _append(function, kernel, steps, None)
    return steps


def with_choices(steps: list[Step]) -> list[Step]:
    """CasADi writes `if_else(c, x, y)` as (c ? x : 0) + (!c ? y : 0); each such sum becomes one choice.

    The value is the same, except that a zero keeps its sign. The operands of the sums stay for other readers.
    """
    found = list(steps)
    for k, step in enumerate(steps):
        if step.op == ca.OP_ADD:
            for a, b in (step.args, step.args[::-1]):
                yes, no = steps[a], steps[b]
                if yes.op == no.op == ca.OP_IF_ELSE_ZERO and steps[no.args[0]].op == ca.OP_NOT:
                    if steps[no.args[0]].args[0] == yes.args[0]:
                        found[k] = step._replace(op=CHOOSE, args=(*yes.args, no.args[1]))
    return found


def _append(
    function: ca.Function, kernel: str, steps: list[Step], inputs: list[list[int]] | None, call: int = 0
) -> dict[tuple[int, int], int]:
    """Append a function's steps; if `inputs` are given (a call), its outputs are returned instead of stored.

    `call` is the number of the outermost function's instruction that makes this call.
    """
    work: dict[int, int] = {}
    outputs: dict[tuple[int, int], int] = {}
    nodes, called = None, inputs is not None
    id_of, output_of, input_of = function.instruction_id, function.instruction_output, function.instruction_input
    for k in range(function.n_instructions()):
        source = call if called else k
        op, o, i = id_of(k), output_of(k), input_of(k)
        if op == ca.OP_CALL:
            if nodes is None:
                nodes = function.instructions_sx()
            callee = _as_sx(nodes[k].which_function(), kernel)
            sizes = [callee.nnz_in(n) for n in range(callee.n_in())]
            flat = iter(i)
            passed = [[work[next(flat)] for _ in range(size)] for size in sizes]
            results = _append(callee, kernel, steps, passed, source)
            order = [(n, e) for n in range(callee.n_out()) for e in range(callee.nnz_out(n))]
            for slot, place in zip(o, order, strict=True):
                if slot >= 0:
                    work[slot] = results[place]
        elif op == ca.OP_INPUT and inputs is not None:
            work[o[0]] = inputs[i[0]][i[1]]
        elif op == ca.OP_OUTPUT:
            if inputs is None:
                steps.append(Step(op, (work[i[0]],), (o[0], o[1]), source=source))
            else:
                outputs[o[0], o[1]] = work[i[0]]
        else:
            if op == ca.OP_INPUT:
                step = Step(op, (), (i[0], i[1]), 0.0, source)
            elif op == ca.OP_CONST:
                step = Step(op, (), (0, 0), function.instruction_constant(k), source, called)
            elif op in RULES:
                step = Step(op, tuple([work[a] for a in i]), (0, 0), 0.0, source, called)
            else:
                raise UnsupportedOp(OP_NAMES.get(op, str(op)), kernel, "")
            work[o[0]] = len(steps)
            steps.append(step)
    return outputs


def _as_sx(callee: ca.Function, kernel: str) -> ca.Function:
    """A called function over SX; MX is copied first, because a function marked never-inline expands to its call."""
    if callee.is_a("SXFunction"):
        return callee
    if not callee.is_a("MXFunction"):  # a solver or an external library has no expression
        raise UnsupportedOp(f"OP_CALL of {callee.name()!r} ({callee.class_name()})", kernel, "")
    return callee.slice(callee.name(), list(range(callee.n_in())), list(range(callee.n_out()))).expand()


def storage(ports: tuple[Port, ...], sparsities: list[ca.Sparsity]) -> list[list[int]]:
    """For each port and CasADi nonzero (column by column), the offset in our storage (row by row)."""
    offsets = []
    for port, sparsity in zip(ports, sparsities, strict=True):
        place = {p: k for k, p in enumerate(port.places())}
        rows, columns = sparsity.get_triplet()
        offsets.append([place[ij] for ij in zip(rows, columns, strict=True)])
    return offsets


# ---- from steps to routines ----------------------------------------------------------------------------------------


def lower_kernel(kernel: Kernel, split_above: int = SPLIT_ABOVE) -> Routine:
    """A leaf kernel as a routine: one block, or a sequence of calls if it is long."""
    function = kernel.function
    steps = with_choices(steps_of(function, kernel.name))
    offsets_in = storage(kernel.inputs, [function.sparsity_in(k) for k in range(function.n_in())])
    offsets_out = storage(kernel.outputs, [function.sparsity_out(k) for k in range(function.n_out())])
    arguments = tuple(Argument(p.name, p.size, Role.INPUT) for p in kernel.inputs) + tuple(
        Argument(p.name, p.size, Role.OUTPUT) for p in kernel.outputs
    )
    places = [
        (s.place[0], offsets_in[s.place[0]][s.place[1]])
        if s.op == ca.OP_INPUT
        else (len(kernel.inputs) + s.place[0], offsets_out[s.place[0]][s.place[1]])
        if s.op == ca.OP_OUTPUT
        else (0, 0)
        for s in steps
    ]
    if len(steps) <= split_above:
        block = _block(steps, places, range(len(steps)), {}, len(arguments))
        return Routine(kernel.name, arguments, (block,), origin=kernel)
    return _split(kernel, arguments, steps, places, split_above)


def _split(
    kernel: Kernel, arguments: tuple[Argument, ...], steps: list[Step], places: list[tuple[int, int]], limit: int
) -> Routine:
    """Consecutive pieces of about equal length; values that cross a boundary go through scratch memory."""
    pieces = -(-len(steps) // limit)
    borders = [len(steps) * k // pieces for k in range(pieces + 1)]
    piece_of = [0] * len(steps)
    for k in range(pieces):
        piece_of[borders[k] : borders[k + 1]] = [k] * (borders[k + 1] - borders[k])
    last_use: dict[int, int] = {}
    for position, step in enumerate(steps):
        for a in step.args:
            if steps[a].op not in (ca.OP_CONST, ca.OP_INPUT) and piece_of[a] != piece_of[position]:
                last_use[a] = piece_of[position]
    slots = free_slots(sorted(last_use), piece_of.__getitem__, last_use)
    scratch = Argument("scratch_", 1 + max(slots.values(), default=0), Role.MEMORY)
    addresses = tuple(Address(k) for k in range(len(arguments) + 1))
    calls = []
    for k in range(pieces):
        block = _block(steps, places, range(borders[k], borders[k + 1]), slots, len(arguments))
        calls.append(Call(Routine(f"{kernel.name}_part{k + 1}", (*arguments, scratch), (block,)), addresses))
    return Routine(kernel.name, arguments, tuple(calls), (Buffer("scratch_", scratch.size),), origin=kernel)


def free_slots(crossing: Sequence[K], made_at: Callable[[K], Any], last_use: Mapping[K, Any]) -> dict[K, int]:
    """Scratch slots for values, in the order of their computation; a slot is reused after the last use of its value."""
    slots: dict[K, int] = {}
    free: list[int] = []
    busy: list[tuple[Any, int, int]] = []  # a heap of (last use, order of computation, slot)
    size = 0
    for order, value in enumerate(crossing):
        now, over = made_at(value), []
        while busy and busy[0][0] < now:
            over.append(heapq.heappop(busy)[1:])
        free += [slot for _, slot in sorted(over)]
        if free:
            slot = free.pop()
        else:
            slot, size = size, size + 1
        slots[value] = slot
        heapq.heappush(busy, (last_use[value], order, slot))
    return slots


def outlined(name: str, block: Block, sizes: Sequence[int]) -> Call:
    """A block over buffers of these sizes, as a call of a separate routine."""
    touched: dict[int, Role] = {}
    for op, _, imm in block.instructions:
        if op in (Op.LOAD, Op.STORE):
            assert isinstance(imm, tuple)
            role = Role.INPUT if op is Op.LOAD else Role.MEMORY
            touched[imm[0]] = Role.MEMORY if touched.get(imm[0], role) is not role else role
    place = {buffer: k for k, buffer in enumerate(touched)}
    moved = tuple(
        Instruction(op, args, (place[imm[0]], imm[1])) if op in (Op.LOAD, Op.STORE) and isinstance(imm, tuple)
        else Instruction(op, args, imm)
        for op, args, imm in block.instructions
    )  # fmt: skip
    arguments = tuple(Argument(f"b{buffer}", sizes[buffer], role) for buffer, role in touched.items())
    return Call(Routine(name, arguments, (Block(moved),)), tuple(Address(buffer) for buffer in touched))


def _block(
    steps: list[Step], places: list[tuple[int, int]], piece: range, slots: dict[int, int], scratch: int
) -> Block:
    """The basic operations of a range of steps."""
    builder = Builder()
    values: dict[int, Value] = {}

    def value_of(position: int) -> Value:
        if position not in values:
            step = steps[position]
            if step.op == ca.OP_CONST:
                values[position] = builder.constant(step.number)
            elif step.op == ca.OP_INPUT:
                values[position] = builder.load(*places[position])
            else:  # computed in an earlier piece
                values[position] = builder.load(scratch, slots[position])
        return values[position]

    for position in piece:
        step = steps[position]
        if step.op == ca.OP_OUTPUT:
            builder.store(*places[position], value_of(step.args[0]))
        elif step.op not in (ca.OP_CONST, ca.OP_INPUT):
            values[position] = STEP_RULES[step.op](*(value_of(a) for a in step.args))
            if position in slots:
                builder.store(scratch, slots[position], values[position])
    return builder.block()
