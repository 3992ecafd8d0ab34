"""CasADi's own generated C under `gcc -O3`, called from a native loop."""

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import casadi as ca
import numpy as np

from benchmarks.harness import Skip
from motionbase.compile.runtime.c import find_compiler

_LOOP = """
void evaluate_many(long n, long sets, const double** arg, const long* size_in, double* res, long size_out)
{
    const double* at[%(arg)d];
    double* to[%(res)d];
    long iw[%(iw)d];
    double w[%(w)d];
    for (long k = 0; k < n; ++k) {
        long set = k %% sets;
        for (int j = 0; j < %(n_in)d; ++j) at[j] = arg[j] + set * size_in[j];
        to[0] = res + set * size_out;
        %(name)s(at, to, (casadi_int*)iw, w, 0);
    }
}
"""


def native_loop(
    function: ca.Function, inputs: list[np.ndarray], output: np.ndarray, flags: tuple[str, ...]
) -> Callable[[int], object]:
    """`loop(n)` evaluates the function n times, over rows of the inputs, with CasADi's C compiled by gcc."""
    command = find_compiler()
    with tempfile.TemporaryDirectory() as folder:
        here = os.getcwd()
        os.chdir(folder)  # CasADi only writes into the current folder
        try:
            function.generate("peer.c", {"with_header": False})
        finally:
            os.chdir(here)
        source = Path(folder, "peer.c")
        work = {key: max(getattr(function, f"sz_{key}")(), 1) for key in ("arg", "res", "iw", "w")}
        sizes = {**work, "n_in": function.n_in()}
        text = source.read_text(encoding="utf-8") + _LOOP % {**sizes, "name": function.name()}
        source.write_text(text, encoding="utf-8")
        library = Path(folder, "peer.so")
        line = [*command, *flags, "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Skip(f"the C compiler refused CasADi's code: {done.stderr[:200]}")
        run = ctypes.CDLL(str(library)).evaluate_many
    pointers = (ctypes.c_void_p * len(inputs))(*(a.ctypes.data for a in inputs))
    per_set = (ctypes.c_long * len(inputs))(*(a[0].size for a in inputs))
    sets, size_out = len(inputs[0]), output[0].size

    def loop(n: int, _kept: object = inputs) -> None:  # the arrays must live as long as the pointers to them
        run(ctypes.c_long(n), ctypes.c_long(sets), pointers, per_set, ctypes.c_void_p(output.ctypes.data),
            ctypes.c_long(size_out))  # fmt: skip

    return loop
