"""Words of shared memory, and machine code that needs no compiler."""

import ctypes
import subprocess
import sys
import threading
import time

from motionbase.native.atomics import atomics
from motionbase.native.clock import NOW, SLEEP_UNTIL
from motionbase.native.jit import loaded

IR = f"""{NOW}{SLEEP_UNTIL}
define void @nap(i64 %ns, i64 %out) {{
  %start = call i64 @now()
  %wake = add i64 %start, %ns
  call void @sleep_until(i64 %wake)
  %end = call i64 @now()
  %at = inttoptr i64 %out to ptr
  store i64 %end, ptr %at
  ret void
}}
"""


def test_words_are_stored_loaded_and_added() -> None:
    word, copy = ctypes.c_uint64(), ctypes.c_uint64()
    atomics().store_release(ctypes.addressof(word), 2**64 - 1)
    atomics().add(ctypes.addressof(word), 3)
    atomics().load_acquire(ctypes.addressof(word), ctypes.addressof(copy))
    assert (word.value, copy.value) == (2, 2)


def test_no_addition_is_lost() -> None:
    word, each = ctypes.c_uint64(), 20_000
    add, at = atomics().add, ctypes.addressof(word)

    def work() -> None:
        for _ in range(each):
            add(at, 1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert word.value == 4 * each


def test_the_clock_is_that_of_python() -> None:
    end, ns = ctypes.c_int64(), 2_000_000
    before = time.monotonic_ns()
    loaded(IR, "nap").function("nap", ctypes.c_int64, ctypes.c_uint64)(ns, ctypes.addressof(end))
    assert before + ns <= end.value <= time.monotonic_ns()


def test_readers_and_machine_code_come_without_the_compiler() -> None:
    code = "import sys, motionbase.ring.reader, motionbase.ring.writer, motionbase.ring.blocks.commands\n"
    code += "print({'casadi', 'motionbase.compile', 'motionbase.control'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "set()\n", done.stderr
