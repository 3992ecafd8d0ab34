"""LLVM IR text for routines, on one double or on SIMD lanes of 2, 4 or 8.

On lanes every element of a port is `lanes` neighbouring doubles, one a scenario; the code is the same but for the type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from motionbase.compile.block import Block
from motionbase.compile.maths import MATHS
from motionbase.compile.mode import Mode
from motionbase.compile.render.llvm_block import Dialect, Writer, blend, constant, copy, literal, render_block
from motionbase.compile.routine import Call, Copy, Loop, Role, Routine, Statement, Switch, unique_names, written_buffers
from motionbase.compile.stack import check_stack

INLINE_MATHS_BELOW = 64  # calls of maths functions in a routine; above, they are called, not copied
INLINE_ROUTINE_BELOW = 150  # instructions
_INTRINSICS = {"sqrt": 1, "fabs": 1, "floor": 1, "ceil": 1, "copysign": 2}


@final
class Module:
    """The IR of an outermost routine and all it calls."""

    def __init__(self, routine: Routine, lanes: int = 1, mode: Mode = Mode.STRICT) -> None:
        check_stack(routine, lanes)
        self.routine, self.dialect = routine, Dialect(lanes, mode)
        self.routines = routine.callees()
        self.names = unique_names(self.routines)
        self.maths_used: set[str] = set()
        calls = max((sum(r.maths_calls().values()) for r in self.routines), default=0)
        self.inline_maths = calls < INLINE_MATHS_BELOW

    def text(self, *, exported: bool = True, more: Sequence[str] = ()) -> str:
        """The whole module: the routine and its map, or the routine as an inner function of what `more` adds."""
        functions = [self._function(r, exported and r is self.routine) for r in self.routines]
        maths = [self._maths(name) for name in sorted(self.maths_used)]
        F, x = self.dialect.type("double"), self.dialect.fields("")["x"]
        declared = [f"declare {F} @llvm.{name}.{x}({', '.join([F] * n)})" for name, n in _INTRINSICS.items()]
        declared.append("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        outer = [self._packed(), self._map()] if exported else []
        return "\n".join([*declared, *maths, *functions, *outer, *more]) + "\n"

    def _maths(self, name: str) -> str:
        function = MATHS[name]
        d = self.dialect
        F = d.type("double")
        w = Writer(name, d, d.maths_flags(name), self.maths_used)
        values = render_block(w, function.block, name)
        assert function.block.result is not None
        arguments = ", ".join(f"{F} %a{k}" for k in range(function.arity))
        inline = "alwaysinline" if self.inline_maths else "noinline"
        head = f"define internal {F} @mb_{name}({arguments}) nounwind willreturn memory(none) {inline} {{"
        return "\n".join([head, "entry:", *w.lines, f"  ret {F} {values[function.block.result]}", "}"])

    @property
    def entry(self) -> str:
        """Symbol of the outermost routine."""
        return self.names[id(self.routine)]

    def _function(self, routine: Routine, exported: bool) -> str:
        d = self.dialect
        name = self.names[id(routine)]
        w = Writer(name, d, d.flags, self.maths_used)
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
        small = routine is self.routine or routine.instruction_count < INLINE_ROUTINE_BELOW
        inline = "" if small else " noinline"
        linkage = "" if exported else "internal "
        opening = f"define {linkage}void @{name}({arguments}) nounwind{inline} {{"
        return "\n".join([*head, opening, "entry:", *w.lines, "  ret void", "}"])

    def _body(self, w: Writer, routine: Routine, body: tuple[Statement, ...]) -> None:
        for statement in body:
            if isinstance(statement, Block):
                render_block(w, statement, routine.name)
            elif isinstance(statement, Call):
                pointers = ", ".join(f"ptr {w.address(a)}" for a in statement.addresses)
                w.put(f"call void @{self.names[id(statement.routine)]}({pointers})")
            elif isinstance(statement, Copy):
                copy(w, w.address(statement.target), w.address(statement.source), statement.size)
            elif isinstance(statement, Loop):
                self._loop(w, routine, statement)
            else:
                self._switch(w, routine, statement)

    def _loop(self, w: Writer, routine: Routine, loop: Loop) -> None:
        n = loop.number
        before, start, end, after = (w.label(s) for s in ("before", "loop", "end", "after"))
        w.open_label(before)
        w.open_label(start)
        w.put(f"%i{n} = phi i64 [ 0, %{before} ], [ %i{n}.next, %{end} ]")
        self._body(w, routine, loop.body)
        w.open_label(end)
        w.put(f"%i{n}.next = add i64 %i{n}, 1")
        more = w.assign(f"icmp ult i64 %i{n}.next, {loop.count}")
        w.put(f"br i1 {more}, label %{start}, label %{after}")
        w.lines.append(f"{after}:")

    def _switch(self, w: Writer, routine: Routine, switch: Switch) -> None:
        """A chain of tests; on lanes a case runs if any lane wants it, and the other lanes get their values back."""
        d = w.dialect
        F, B = w.fields["F"], w.fields["B"]
        selector = w.assign(f"load {F}, ptr {w.address(switch.selector)}, align 8")
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
                self._masked(w, routine, case, mask)
            w.open_label(done)

    def _masked(self, w: Writer, routine: Routine, case: tuple[Statement, ...], mask: str) -> None:
        """Run a case for some lanes: keep what it writes, run it for all, give the other lanes their values back."""
        d = w.dialect
        sizes = [a.size for a in routine.arguments] + [b.size for b in routine.buffers]
        kept = []
        for buffer in sorted(written_buffers(case)):
            saved = w.fresh()
            w.lines.insert(0, f"  {saved} = alloca [{max(sizes[buffer], 1) * d.lanes} x double], align 64")
            copy(w, saved, f"%b{buffer}", sizes[buffer])
            kept.append((buffer, saved))
        self._body(w, routine, case)
        for buffer, saved in kept:
            blend(w, f"%b{buffer}", saved, sizes[buffer], mask)

    def _packed(self) -> str:
        """`NAME.packed(addresses)`: the routine with its arguments in one array of pointers."""
        w = Writer("packed", self.dialect, "", self.maths_used)
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
        w = Writer("map", self.dialect, "", self.maths_used)
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
