"""LLVM IR text for routines, on one double or on SIMD lanes of 2, 4 or 8.

On lanes, every element of a port is `lanes` adjacent doubles, one per scenario; only the types in the code differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from motionbase.compile.block import Block
from motionbase.compile.maths import MATHS
from motionbase.compile.mode import Mode
from motionbase.compile.ops import Op
from motionbase.compile.render.llvm_block import (
    Dialect,
    Spread,
    Used,
    Writer,
    blend,
    constant,
    copy_spread,
    literal,
    maths_symbol,
    render_block,
)
from motionbase.compile.reuse import with_shared_buffers
from motionbase.compile.routine import (
    INLINE_ROUTINE_BELOW,
    Address,
    Call,
    Copy,
    Loop,
    Role,
    Routine,
    Statement,
    Switch,
    instructions,
    unique_names,
    written_buffers,
)
from motionbase.compile.stack import check_stack

INLINE_MATHS_BELOW = 64  # calls of maths functions in a routine; above this they are called, not inlined
_INTRINSICS = {"sqrt": 1, "fabs": 1, "floor": 1, "ceil": 1, "copysign": 2}
LANES_FROM = 40  # operations of an iteration from which its loop runs on lanes
LONG = 2000  # operations of an iteration from which a version of it for the last iterations alone is too much code


@final
@dataclass(frozen=True)
class Version:
    """A routine for a number of lanes, with the memory layout of its arguments' lanes."""

    routine: Routine
    lanes: int
    spreads: tuple[tuple[int, Spread], ...]


def lanes_for(loop: Loop) -> int:
    """How many iterations of a loop run side by side; 1 if more would not be faster."""
    if not loop.independent or loop.count < 3:
        return 1
    (call,) = loop.body
    assert isinstance(call, Call)
    if instructions(call.routine) < LANES_FROM:
        return 1
    return 4 if loop.count <= 4 else 8


def _repeatable(call: Call) -> bool:
    """Whether a second run gives the same: nothing that is read is written."""
    return all(argument.role is not Role.MEMORY for argument in call.routine.arguments)


def _with_callees(names: set[str]) -> list[str]:
    """Maths functions and their callees."""
    found, pending = set[str](), list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += [str(imm) for op, _, imm in MATHS[name].block.instructions if op is Op.CALL]
    return sorted(found)


@final
class Module:
    """The IR of an outermost routine and all it calls.

    Attributes:
        dialect: that of the outermost routine; loops with independent iterations may use lanes inside it
        each_on_lanes: whether they do
    """

    def __init__(self, routine: Routine, lanes: int = 1, mode: Mode = Mode.STRICT, each_on_lanes: bool = True) -> None:
        check_stack(routine, lanes)
        self.routine, self.dialect = routine, Dialect(lanes, mode)
        self.each_on_lanes = each_on_lanes and lanes == 1
        self.routines = routine.callees()
        self.names = unique_names(self.routines)
        self.used: dict[int, Used] = {}  # by lanes
        self._wanted: list[Version] = []
        self._symbols: dict[Version, str] = {}
        calls = max((sum(r.maths_calls().values()) for r in self.routines), default=0)
        self.inline_maths = calls < INLINE_MATHS_BELOW

    def text(self, *, exported: bool = True, more: Sequence[str] = ()) -> str:
        """The whole module: the routine and its map, or the routine as an inner function of the text in `more`."""
        self._symbol(self.routine, self.dialect, {})
        functions = []
        for version in self._wanted:  # rendering one may require others
            functions.append(self._function(version, exported and version.routine is self.routine))
        maths, declared = [], ["declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"]
        for lanes, used in self.used.items():
            d = Dialect(lanes, self.dialect.mode)
            F, B = d.type("double"), d.type("i1")
            maths += [self._maths(name, d) for name in _with_callees(used.maths)]
            declared += [f"declare {F} @llvm.{n}.{d.suffix}({', '.join([F] * k)})" for n, k in _INTRINSICS.items()]
            if "load" in used.masked:
                declared.append(f"declare {F} @llvm.masked.load.{d.suffix}.p0(ptr, i32, {B}, {F})")
            if "store" in used.masked:
                declared.append(f"declare void @llvm.masked.store.{d.suffix}.p0({F}, ptr, i32, {B})")
        outer = [self._packed(), self._map()] if exported else []
        return "\n".join([*declared, *maths, *functions, *outer, *more]) + "\n"

    def _maths(self, name: str, d: Dialect) -> str:
        function = MATHS[name]
        F = d.type("double")
        w = Writer(name, d, d.maths_flags(name), Used())
        values = render_block(w, function.block, name)
        assert function.block.result is not None
        arguments = ", ".join(f"{F} %a{k}" for k in range(function.arity))
        inline = "alwaysinline" if self.inline_maths else "noinline"
        symbol = maths_symbol(name, d)
        head = f"define internal {F} @{symbol}({arguments}) nounwind willreturn memory(none) {inline} {{"
        return "\n".join([head, "entry:", *w.lines, f"  ret {F} {values[function.block.result]}", "}"])

    @property
    def entry(self) -> str:
        """Symbol of the outermost routine."""
        return self.names[id(self.routine)]

    def _symbol(self, routine: Routine, dialect: Dialect, spreads: dict[int, Spread]) -> str:
        """The function of a routine for a number of lanes, with the memory layout of its arguments' lanes."""
        version = Version(routine, dialect.lanes, tuple(sorted(spreads.items())))
        if version not in self._symbols:
            name = self.names[id(routine)]
            if dialect.lanes != self.dialect.lanes:
                name = f"{name}.lanes{len(self._symbols)}"
            self._symbols[version] = name
            self._wanted.append(version)
        return self._symbols[version]

    def _function(self, version: Version, exported: bool) -> str:
        routine, d = with_shared_buffers(version.routine), Dialect(version.lanes, self.dialect.mode)
        name = self._symbols[version]
        w = Writer(name, d, d.flags, self.used.setdefault(d.lanes, Used()), dict(version.spreads))
        head = []
        for k, table in enumerate(routine.tables):
            head.append(constant(f"{name}.table{k}", table, 1))
        first = len(routine.arguments)
        for k, buffer in enumerate(routine.buffers, start=first):
            if buffer.data is None:
                w.put(f"%b{k} = alloca [{max(buffer.size, 1) * d.lanes} x double], align 64")
            else:
                head.append(constant(f"{name}.b{k}", buffer.data, d.lanes))
                w.put(f"%b{k} = getelementptr i8, ptr @{name}.b{k}, i64 0")
        self._body(w, routine, routine.body)
        arguments = ", ".join(
            f"ptr noalias{' readonly' if a.role is Role.INPUT else ''} captures(none) %b{k}"
            for k, a in enumerate(routine.arguments)
        )
        small = version.routine is self.routine or routine.instruction_count < INLINE_ROUTINE_BELOW
        inline = "" if small else " noinline"
        linkage = "" if exported else "internal "
        opening = f"define {linkage}void @{name}({arguments}) nounwind{inline} {{"
        return "\n".join([*head, opening, "entry:", *w.lines, "  ret void", "}"])

    def _body(self, w: Writer, routine: Routine, body: tuple[Statement, ...]) -> None:
        for statement in body:
            if isinstance(statement, Block):
                render_block(w, statement, routine.name)
            elif isinstance(statement, Call):
                self._call(w, statement)
            elif isinstance(statement, Copy):
                target, source = ((w.address(a), w.spread(a.buffer)) for a in (statement.target, statement.source))
                copy_spread(w, target, source, statement.size)
            elif isinstance(statement, Loop):
                if self.each_on_lanes and w.dialect.lanes == 1 and (lanes := lanes_for(statement)) > 1:
                    self._side_by_side(w, statement, lanes)
                else:
                    self._loop(w, routine, statement)
            else:
                self._switch(w, routine, statement)

    def _call(self, w: Writer, call: Call) -> None:
        spreads = {k: w.spread(a.buffer) for k, a in enumerate(call.addresses) if a.buffer in w.spreads}
        symbol = self._symbol(call.routine, w.dialect, spreads)
        w.put(f"call void @{symbol}({', '.join(f'ptr {w.address(a)}' for a in call.addresses)})")

    def _side_by_side(self, w: Writer, loop: Loop, lanes: int) -> None:
        """Iterations on the lanes of a register: full groups first, then the remainder.

        The remainder of a long routine is computed with the last iterations of the group before, once more: it needs no
        further version of the routine, and gives the same numbers again.
        """
        (call,) = loop.body
        assert isinstance(call, Call)
        groups, left = divmod(loop.count, lanes)
        if groups > 1:
            self._counted(w, loop.number, groups, lambda: self._group(w, loop, call, lanes, lanes, f"%i{loop.number}"))
        elif groups:
            self._group(w, loop, call, lanes, lanes, 0)
        if left and groups and instructions(call.routine) >= LONG and _repeatable(call):
            self._group(w, loop, call, lanes, lanes, loop.count - lanes)
        elif left:
            fewer = next(n for n in (2, 4, 8) if n >= left)
            self._group(w, loop, call, fewer, left, groups * lanes)

    def _group(self, w: Writer, loop: Loop, call: Call, lanes: int, active: int, first: int | str) -> None:
        """Some iterations, from the first on; or those of the group with this number, a value of the code."""
        spreads, pointers = {}, []
        for k, address in enumerate(call.addresses):
            stride = dict(address.strides).get(loop.number, 0)
            spreads[k] = Spread(1, stride, active if stride else lanes)
            pointer = w.offset(f"%b{address.buffer}", address.offset)
            if stride and isinstance(first, str):
                at = w.assign(f"mul i64 {first}, {stride * lanes}")
                pointer = w.assign(f"getelementptr inbounds double, ptr {pointer}, i64 {at}")
            elif stride and isinstance(first, int):
                pointer = w.offset(pointer, first * stride)
            pointers.append(f"ptr {pointer}")
        symbol = self._symbol(call.routine, Dialect(lanes, self.dialect.mode), spreads)
        w.put(f"call void @{symbol}({', '.join(pointers)})")

    def _loop(self, w: Writer, routine: Routine, loop: Loop) -> None:
        first = "0" if loop.after is None else w.assign(f"add i64 %i{loop.after}, 1")
        self._counted(w, loop.number, loop.count, lambda: self._body(w, routine, loop.body), first)

    def _counted(self, w: Writer, n: int, count: int, body: Callable[[], None], first: str = "0") -> None:
        before, start, end, after = (w.label(s) for s in ("before", "loop", "end", "after"))
        w.open_label(before)
        w.open_label(start)
        w.put(f"%i{n} = phi i64 [ {first}, %{before} ], [ %i{n}.next, %{end} ]")
        body()
        w.open_label(end)
        w.put(f"%i{n}.next = add i64 %i{n}, 1")
        more = w.assign(f"icmp ult i64 %i{n}.next, {count}")
        w.put(f"br i1 {more}, label %{start}, label %{after}")
        w.lines.append(f"{after}:")

    def _switch(self, w: Writer, routine: Routine, switch: Switch) -> None:
        """A chain of tests; on lanes a case runs if any lane needs it, and the other lanes are restored."""
        d = w.dialect
        F, B = w.fields["F"], w.fields["B"]
        selector = w.load(w.address(switch.selector), w.spread(switch.selector.buffer))
        masks = [w.assign(f"fcmp oeq {F} {selector}, {d.splat('double', literal(float(k)))}") for k, _ in switch.cases]
        taken = d.splat("i1", "false")
        for mask in masks:
            taken = w.assign(f"or {B} {taken}, {mask}")
        masks.append(w.assign(f"xor {B} {taken}, {w.fields['true']}"))
        for mask, case in zip(masks, switch.bodies, strict=True):
            if not case:
                continue
            run, done = w.label("case"), w.label("done")
            if d.lanes == 1:
                w.put(f"br i1 {mask}, label %{run}, label %{done}")
                w.lines.append(f"{run}:")
                self._body(w, routine, case)
            else:
                word = w.assign(f"bitcast {B} {mask} to i{d.lanes}")
                some = w.assign(f"icmp ne i{d.lanes} {word}, 0")
                w.put(f"br i1 {some}, label %{run}, label %{done}")
                w.lines.append(f"{run}:")
                self._masked(w, routine, switch, case, mask)
            w.open_label(done)

    def _masked(self, w: Writer, routine: Routine, switch: Switch, case: tuple[Statement, ...], mask: str) -> None:
        """Run a case for some lanes: save what it writes, run it for all, restore the other lanes."""
        sizes = [a.size for a in routine.arguments] + [b.size for b in routine.buffers]
        spans = switch.results
        if spans is None:
            spans = tuple((Address(buffer), sizes[buffer]) for buffer in sorted(written_buffers(case)))
        kept = []
        for address, size in spans:
            saved = w.fresh()
            w.lines.insert(0, f"  {saved} = alloca [{max(size, 1) * w.dialect.lanes} x double], align 64")
            target = w.address(address), w.spread(address.buffer)
            copy_spread(w, (saved, w.wide), target, size)
            kept.append((target, saved, size))
        self._body(w, routine, case)
        for target, saved, size in kept:
            blend(w, target, saved, size, mask)

    def _packed(self) -> str:
        """`NAME.packed(addresses)`: the routine with its arguments in one array of pointers."""
        w = Writer("packed", self.dialect, "", Used())
        pointers = []
        for k in range(len(self.routine.arguments)):
            at = w.assign(f"getelementptr ptr, ptr %addresses, i64 {k}")
            pointers.append(f"ptr {w.assign(f'load ptr, ptr {at}')}")
        w.put(f"call void @{self.entry}({', '.join(pointers)})")
        w.put("ret void")
        return "\n".join([f"define void @{self.entry}.packed(ptr %addresses) nounwind {{", "entry:", *w.lines, "}"])

    def _map(self) -> str:
        """`NAME.map(n, arrays...)`: the routine for n consecutive sets of arguments."""
        name, lanes = self.names[id(self.routine)], self.dialect.lanes
        arguments = self.routine.arguments
        w = Writer("map", self.dialect, "", Used())
        w.put("%any = icmp sgt i64 %n, 0")
        w.put("br i1 %any, label %loop, label %after")
        w.lines.append("loop:")
        w.put("%k = phi i64 [ 0, %entry ], [ %k.next, %loop ]")
        pointers = []
        for j, argument in enumerate(arguments):
            offset = w.assign(f"mul i64 %k, {argument.size * lanes}")
            pointers.append("ptr " + w.assign(f"getelementptr double, ptr %b{j}, i64 {offset}"))
        w.put(f"call void @{name}({', '.join(pointers)})")
        w.put("%k.next = add i64 %k, 1")
        w.put("%more = icmp slt i64 %k.next, %n")
        w.put("br i1 %more, label %loop, label %after")
        w.lines += ["after:", "  ret void"]
        parameters = ", ".join(["i64 %n"] + [f"ptr %b{j}" for j in range(len(arguments))])
        return "\n".join([f"define void @{name}.map({parameters}) nounwind {{", "entry:", *w.lines, "}"])
