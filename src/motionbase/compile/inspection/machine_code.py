"""Size of the machine code and its stack, from the object file and the assembly text.

Stack is estimated by following the stack pointer through the text of each function: pushes, subtractions, stores with a
moving pointer, and the red zone that a leaf function may use without moving it. A return or a jump ends a path, and the
depth at which the next block starts is unknown; there the whole frame is assumed. Callees are the functions whose names
appear in a function, and a caller's frame counts even if the last call is a jump: the figures are upper bounds, usually
exact. The stack of library functions (memcpy, fmod) is not included.
"""

from __future__ import annotations

import re
import struct
import time
from dataclasses import dataclass
from typing import Literal, final

from llvmlite.binding import ObjectFileRef

from motionbase.compile.mode import Mode
from motionbase.compile.programs import Unit
from motionbase.compile.render.llvm import Module
from motionbase.native import jit

_X86 = (
    (re.compile(r"pushq?\s"), 8),
    (re.compile(r"popq?\s"), -8),
    (re.compile(r"subq\s+\$(-?\d+), %rsp"), 1),
    (re.compile(r"addq\s+\$(-?\d+), %rsp"), -1),
    (re.compile(r"andq\s+\$-(\d+), %rsp"), 1),  # alignment: at most this much
)
_ARM = (
    (re.compile(r"sub\s+sp, sp, #(\d+), lsl #12"), 4096),
    (re.compile(r"add\s+sp, sp, #(\d+), lsl #12"), -4096),
    (re.compile(r"sub\s+sp, sp, #(\d+)$"), 1),
    (re.compile(r"add\s+sp, sp, #(\d+)$"), -1),
    (re.compile(r"st[rp]\s.*\[sp, #-(\d+)\]!"), 1),
    (re.compile(r"ld[rp]\s.*\[sp\], #(\d+)"), -1),
)
_BELOW = re.compile(r"-(\d+)\(%rsp\)")
_END = re.compile(r"(ret|retq|jmpq\s+\*.*|jmp\s.*|b\s.*|br\s.*)$")
_WORD = re.compile(r"[A-Za-z_][\w.]*")


@final
@dataclass(frozen=True)
class Function:
    """One function of the machine code.

    Attributes:
        bytes: size of its code, None if the object format does not contain it
        stack: bytes of its own stack frame, return address included
        deepest: bytes of stack along its deepest chain of calls, itself included
    """

    name: str
    bytes: int | None
    stack: int
    deepest: int


@final
@dataclass(frozen=True)
class Built:
    """A compilation with its texts: the IR after LLVM's passes, and the assembly."""

    ir: str
    assembly: str
    code_bytes: int
    functions: tuple[Function, ...]
    times: jit.BuildTimes


def build(unit: Unit, lanes: int, mode: Literal["strict", "fast"]) -> Built:
    """Compile for this processor, without the cache."""
    t0 = time.perf_counter()
    text = Module(unit.routine, lanes, Mode(mode)).text()
    t1 = time.perf_counter()
    machine = jit.machine_for(text)
    module = jit.optimised(text, machine, jit.host_cpu().triple)
    t2 = time.perf_counter()
    ir, names = str(module), [f.name for f in module.functions if not f.is_declaration]
    assembly = machine.emit_assembly(module.clone())  # a clone, because emitting changes the module
    t3 = time.perf_counter()
    payload = machine.emit_object(module)
    times = jit.BuildTimes(t1 - t0, t2 - t1, time.perf_counter() - t3)
    code_bytes = sum(s.size() for s in ObjectFileRef.from_data(payload).sections() if s.is_text())
    return Built(ir, assembly, code_bytes, functions(names, assembly, payload), times)


def functions(names: list[str], assembly: str, payload: bytes) -> tuple[Function, ...]:
    """The functions of a module, largest stack first."""
    bodies = split_functions(names, assembly)
    is_x86 = "%rsp" in assembly or "%rax" in assembly or "retq" in assembly
    own = {name: stack_bytes(body, is_x86) for name, body in bodies.items()}
    mentions = {
        name: {word for line in body for word in _called(line)} & own.keys() - {name} for name, body in bodies.items()
    }

    def deepest(name: str) -> int:
        return own[name] + max((deepest(callee) for callee in mentions[name]), default=0)

    sizes = symbol_sizes(payload)
    found = [Function(name, sizes.get(name), own[name], deepest(name)) for name in bodies]
    return tuple(sorted(found, key=lambda f: (-f.deepest, f.name)))


def split_functions(names: list[str], assembly: str) -> dict[str, list[str]]:
    """Lines of each function by name; on macOS names have a leading underscore."""
    labels = {f"{prefix}{quote}{n}{quote}:": n for n in names for prefix in ("", "_") for quote in ("", '"')}
    bodies: dict[str, list[str]] = {}
    current: list[str] | None = None
    for raw in assembly.splitlines():
        line = raw.split("#", 1)[0].rstrip() if "%r" in raw else raw.split("//", 1)[0].rstrip()
        if (name := labels.get(line.split("\t")[0].split(" ")[0])) is not None and name not in bodies:
            current = bodies.setdefault(name, [])
        elif line.lstrip().startswith((".section", ".data", ".size")):
            current = None  # constants and tables follow
        elif current is not None:
            current.append(line.strip())
    return bodies


def stack_bytes(body: list[str], is_x86: bool) -> int:
    """The deepest point of a function's own stack."""
    depth = largest = 8 if is_x86 else 0  # the return address is pushed, or is in a register
    frame = None
    for line in body:
        change = _change(line, _X86 if is_x86 else _ARM)
        if change < 0 and frame is None:
            frame = depth
        depth += change
        below = _BELOW.search(line) if is_x86 else None
        largest = max(largest, depth + (int(below[1]) if below else 0))
        if frame is not None and _END.match(line):
            depth = frame
    return largest


def _change(line: str, rules: tuple[tuple[re.Pattern[str], int], ...]) -> int:
    """By how much a line lowers the stack pointer."""
    for pattern, factor in rules:
        if match := pattern.search(line):
            return factor * (int(match[1]) if match.groups() else 1)
    return 0


def _called(line: str) -> list[str]:
    """Names in a call, a jump or an address load."""
    if not line.startswith(("call", "jmp", "movabs", "lea", "mov", "bl", "b\t", "b ", "adrp", "add", "ldr")):
        return []
    words = _WORD.findall(line)[1:]
    return words + [w[1:] for w in words if w.startswith("_")]


def symbol_sizes(payload: bytes) -> dict[str, int]:
    """Sizes of the functions in an ELF object; empty for other formats."""
    if payload[:5] != b"\x7fELF\x02" or payload[5:6] != b"\x01":  # 64 bits, little endian
        return {}
    (table,) = struct.unpack_from("<Q", payload, 0x28)
    entry, count = struct.unpack_from("<HH", payload, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", payload, table + k * entry) for k in range(count)]
    sizes = {}
    for _, kind, _, _, offset, size, link, _, _, width in sections:
        if kind != 2:  # SHT_SYMTAB
            continue
        strings = sections[link][4]
        for at in range(offset, offset + size, width):
            name, info, _, _, _, length = struct.unpack_from("<IBBHQQ", payload, at)
            if info & 0xF == 2:  # STT_FUNC
                end = payload.index(b"\0", strings + name)
                sizes[payload[strings + name : end].decode()] = length
    return sizes
