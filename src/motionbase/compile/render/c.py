"""C99: one source and one header per unit, no allocation, no globals, no library but exact <math.h> functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from motionbase.compile.port import Port
from motionbase.compile.programs import Unit
from motionbase.compile.render.c_family import CDialect, CWriter
from motionbase.compile.routine import Role

DIALECT = CDialect("c", "static", "static const", "restrict", strided=False)

_PROLOGUE = """\
#include "{name}.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* The same bits on every processor need plain IEEE 754 doubles: no contraction into fused operations, no fast maths,
   no extended registers. GCC contracts unless told otherwise by -std=c99 or -ffp-contract=off. Compile without
   {forbidden}.
   What the compiler tells of these is refused below; clang tells only of -ffast-math and -ffinite-math-only. */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "doubles are evaluated in another precision here: compile for SSE2 or another plain double unit"
#endif
#if defined(__FAST_MATH__)
#error "compile without -ffast-math and -Ofast"
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "compile without -ffinite-math-only"
#elif defined(__ASSOCIATIVE_MATH__)
#error "compile without -fassociative-math and -funsafe-math-optimizations"
#elif defined(__RECIPROCAL_MATH__)
#error "compile without -freciprocal-math and -funsafe-math-optimizations"
#elif defined(__NO_SIGNED_ZEROS__)
#error "compile without -fno-signed-zeros"
#elif defined(__GCC_IEC_559) && __GCC_IEC_559 == 0
#error "this compiler says that a flag changes IEEE 754 arithmetic: see the list above"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && !defined(__STRICT_ANSI__) && defined(__FP_FAST_FMA)
#pragma GCC optimize("fp-contract=off")
#endif
{helpers}
"""

FORBIDDEN_FLAGS = (
    "-ffast-math, -Ofast, -funsafe-math-optimizations, -fassociative-math, -freciprocal-math,",
    "-ffinite-math-only, -fno-signed-zeros, -fsingle-precision-constant, -ffp-contract=fast",
)

_HELPERS = {
    "mb_bits": """
static uint64_t mb_bits(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}
""",
    "mb_from_bits": """
static double mb_from_bits(uint64_t word)
{
    double x;
    memcpy(&x, &word, sizeof x);
    return x;
}
""",
}


@final
@dataclass(frozen=True)
class CSource:
    """A header and a source file with the same stem."""

    name: str
    header: str
    source: str


def render(unit: Unit) -> CSource:
    """The unit as C99."""
    writer = CWriter(unit.routine, DIALECT, unit.name)
    body = writer.text()
    helpers = "".join(text for name, text in _HELPERS.items() if f"{name}(" in body)
    source = _PROLOGUE.format(name=unit.name, helpers=helpers, forbidden="\n   ".join(FORBIDDEN_FLAGS)) + body
    return CSource(unit.name, _header(unit, writer), source)


def _header(unit: Unit, writer: CWriter) -> str:
    guard = f"MOTIONBASE_{unit.name}_H"  # case-sensitive: q and Q are two names
    description = getattr(unit, "description", "") or unit.name
    rows = []
    for port, argument in zip(unit.ports, unit.routine.arguments, strict=True):
        way = {Role.INPUT: "in", Role.OUTPUT: "out", Role.MEMORY: "in/out"}[argument.role]
        shape = "x".join(map(str, port.dims)) or "1"
        stored = f", {port.size} stored row by row" if port.sparsity is not None else ""
        rows.append(f"   {way:<6} {port.name:<16} {shape:>7}  [{port.unit}] {port.description}{stored}".rstrip())
    # no name has two underscores in a row, so port b_c of unit a and port c of unit a_b do not collide
    sizes = [f"#define {unit.name}__{p.name}_SIZE {p.size}" for p in unit.ports]
    comment = "\n".join([f"/* {_commented(description)}", "", *map(_commented, rows)])
    return f"""\
{comment}

   Arrays of doubles, matrices row by row; outputs must not overlap inputs. Made by motionbase.
   The same bits everywhere need -ffp-contract=off and none of
   {chr(10).join(FORBIDDEN_FLAGS).replace(chr(10), chr(10) + "   ")}. */
#ifndef {guard}
#define {guard}

#ifdef __cplusplus
#define MB_RESTRICT
extern "C" {{
#else
#define MB_RESTRICT restrict
#endif

{chr(10).join(sizes)}
{"".join(map(_offsets, [unit.name] * len(unit.ports), unit.ports))}
{writer.signature(unit.routine, "MB_RESTRICT")};

#undef MB_RESTRICT
#ifdef __cplusplus
}}
#endif

#endif
"""


def _offsets(unit: str, port: Port) -> str:
    """An enum of the offsets of a struct's quantities; no name contains three underscores in a row."""
    rows = (
        [(f"___ROWS = {port.rows}", ""), (f"___STRIDE = {port.dims[1]}", "from one to the next")] if port.rows else []
    )
    for x in port.quantities():
        name, shape = "".join(f"__{part}" for part in x.name), "x".join(map(str, x.port.dims))
        what = " ".join(filter(None, (shape, f"[{x.port.unit}]", x.port.description)))
        if x.port.struct is not None:
            what = f"{x.port.rows} {x.port.struct.__name__} {x.port.description}".rstrip()
        rows.append((f"{name} = {x.offset}", what + ("" if not x.turns else f"; row by row at {x.place}")))
        if x.port.struct is not None:
            stride = x.port.dims[1]
            rows += [(f"{name}___ROWS = {x.port.rows}", ""), (f"{name}___STRIDE = {stride}", "from one to the next")]
    if not rows:
        return ""
    lines = []
    for k, (value, what) in enumerate(rows):
        comma = "," if k < len(rows) - 1 else ""
        lines.append(f"    {unit}__{port.name}{value}{comma}" + (f" /* {_commented(what)} */" if what else ""))
    return f"\nenum {{ /* places in {port.name} */\n{chr(10).join(lines)}\n}};\n"


def _commented(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *")
