"""From LLVM IR to callable machine code: optimise, emit an object, load it into the process."""

from __future__ import annotations

import ctypes
import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, final

import llvmlite.binding as llvm

from motionbase.native.cache import ObjectCache, source_digest

OPTIMISATION = 2
# Characters of a module from which code is generated with less effort. LLVM's passes over its text are the same; a
# rotor's 20 MB took half the time then, for code of the same size and speed.
LONG_TEXT = 5_000_000
LESS = 1  # effort for those
_LOADING = threading.Lock()  # readers start in any thread, and LLVM compiles in one thread at a time


@final
@dataclass(frozen=True)
class Cpu:
    """The processor that code is generated for."""

    triple: str
    name: str
    features: str


@cache
def host_cpu() -> Cpu:
    """The processor of this machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return Cpu(llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


def target_machine(cpu: Cpu, jit: bool = True, effort: int = OPTIMISATION) -> Any:
    """LLVM's code generator for a processor."""
    if cpu != host_cpu():
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(cpu.triple)
    return target.create_target_machine(
        cpu=cpu.name, features=cpu.features, opt=effort, jit=jit, reloc="default" if jit else "pic"
    )


def machine_for(text: str) -> Any:
    """The code generator of this machine, with the effort that a module of this length gets."""
    return target_machine(host_cpu(), effort=LESS if len(text) >= LONG_TEXT else OPTIMISATION)


def optimised(text: str, machine: Any, triple: str) -> Any:
    """The module after LLVM's optimisation passes."""
    module = llvm.parse_assembly(text)
    module.triple = triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=OPTIMISATION)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return module


@final
@dataclass(frozen=True)
class BuildTimes:
    """Time of each phase of a build [s], and whether the object came from the cache."""

    render: float = 0.0
    optimise: float = 0.0
    emit: float = 0.0
    load: float = 0.0
    cached: bool = False

    @property
    def total(self) -> float:
        """Sum of all phases [s]."""
        return self.render + self.optimise + self.emit + self.load


@final
class Library:
    """Machine code in this process; functions by name. It stays loaded as long as anything refers to it."""

    _lock = threading.Lock()  # LLVM's loader is not thread-safe

    def __init__(self, payload: bytes, machine: Any | None = None) -> None:
        with Library._lock:
            machine = machine or target_machine(host_cpu())
            self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
            self._object = llvm.ObjectFileRef.from_data(payload)
            self.code_bytes = sum(s.size() for s in self._object.sections() if s.is_text())
            self._engine.add_object_file(self._object)
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Address of a function."""
        address: int = self._engine.get_function_address(name)
        if not address:
            raise KeyError(name)
        return address

    def function(self, name: str, *argument_types: Any) -> Any:
        """A ctypes function that returns nothing and runs without holding Python's GIL."""
        function: Any = ctypes.CFUNCTYPE(None, *argument_types)(self.address(name))
        function.library = self  # keep the code alive as long as the function
        return function


@cache
def loader_digest() -> str:
    """Digest of everything that turns LLVM IR into an object: the source of this package and llvmlite's version."""
    return source_digest(Path(__file__).parent, "llvmlite")


def object_key(digest: str, options: str) -> str:
    """Cache key of an object: digest of its content, options, processor, and digest of the loader."""
    cpu = host_cpu()
    parts = (digest, options, cpu.triple, cpu.name, cpu.features, loader_digest(), str(OPTIMISATION))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def loaded(ir: str, name: str) -> Library:
    """Library of hand-written LLVM IR, compiled once for this machine, then loaded from the object cache."""
    key = object_key(hashlib.sha256(ir.encode()).hexdigest(), name)
    with _LOADING:
        return build(lambda: ir, key, ObjectCache())[0]


def build(render: Callable[[], str], key: str, store: ObjectCache | None) -> tuple[Library, BuildTimes]:
    """The library for a key: loaded from the cache, or rendered by `render() -> text`, compiled and stored."""
    start = time.perf_counter()
    payload = store.get(key) if store else None
    if payload is not None:
        try:
            return Library(payload), BuildTimes(load=time.perf_counter() - start, cached=True)
        except (RuntimeError, ValueError):
            pass  # intact but not loadable: build it again
    t0 = time.perf_counter()
    text = render()
    t1 = time.perf_counter()
    machine = machine_for(text)
    module = optimised(text, machine, host_cpu().triple)
    t2 = time.perf_counter()
    payload = machine.emit_object(module)
    t3 = time.perf_counter()
    if store:
        store.put(key, payload)
    library = Library(payload, machine)
    return library, BuildTimes(t1 - t0, t2 - t1, t3 - t2, time.perf_counter() - t3)
