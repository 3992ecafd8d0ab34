"""Ports: the named, sized, unit-carrying ends of kernels and programs."""

from __future__ import annotations

import keyword
import math
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.errors import KernelError, PortError

# words that C, C++ or CUDA would not accept as a parameter, macros of their headers, and what generated code calls
_RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof "
    "alignas alignof and and_eq bitand bitor bool catch char16_t char32_t class compl const_cast constexpr decltype "
    "delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or "
    "or_eq private protected public reinterpret_cast static_assert static_cast template this thread_local throw true "
    "try typeid typename using virtual wchar_t xor xor_eq main NULL NAN INFINITY MAXFLOAT DECIMAL_DIG errno "
    "math_errhandling linux unix assert threadIdx blockIdx blockDim gridDim warpSize sqrt fabs copysign floor ceil fmod "
    "memcpy uint64_t".split()
)
# macros of <float.h>, <math.h> and <stdint.h>, also those that a later standard adds
_MACRO = re.compile(
    r"(DBL|FLT|LDBL|FP|HUGE|MATH|U?INT|U?INT\d+|U?INTMAX|U?INTPTR|PTRDIFF|SIZE|SIG_ATOMIC|WCHAR|WINT)_[A-Z0-9_]+"
    r"|M_[A-Z0-9_]+\w*|SNAN[A-Z0-9]*|\w+_ENDIAN|BYTE_ORDER"
)
# functions that the headers declare, or that C compilers know without them: another of the name would not compile;
# of those of <math.h> there are others with a letter for the type (sinf, sinl, sinf64x)
_MATHS = (
    "acos acosh asin asinh atan atan2 atanh canonicalize cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 expm1 "
    "fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan j0 j1 jn ldexp lgamma llogb llrint "
    "llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow pow10 "
    "remainder remquo rint round roundeven scalb scalbln scalbn significand sin sincos sinh sqrt tan tanh tgamma "
    "totalorder trunc y0 y1 yn"
)
_LIBRARY = re.compile(
    f"({_MATHS.replace(' ', '|')})(f|l|f\\d+x?)?|("
    "abort abs bcmp bcopy bzero calloc div exit fadd fdiv ffma ffs ffsl ffsll fmul fpclassify free fsqrt fsub index "
    "isfinite isgreater isgreaterequal isless islessequal islessgreater isnormal isunordered labs lgamma_r malloc "
    "memccpy memchr memcmp memmem memmove mempcpy memrchr memset printf putchar puts rawmemchr realloc rindex signbit "
    "stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcmp strcoll strcpy strcspn strdup strerror strlen "
    "strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtok "
    "strtok_r strverscmp strxfrm tolower toupper float_t double_t size_t".replace(" ", "|") + ")"
)
# arguments of `compiled(...)`, `run(...)` and their relatives on the GPU, beside which ports are given by name
_ARGUMENTS = frozenset({"out", "every", "steps", "scenarios", "self"})


def check_name(kind: str, name: str) -> None:
    """A name must serve in Python, C and the ring alike; one of a function must also not be the C library's."""
    if broken := _broken_rule(kind, name):
        raise KernelError(f"{kind} {name!r}: a name {broken}")


def _broken_rule(kind: str, name: str) -> str:
    """What is wrong with a name, or nothing."""
    if not isinstance(name, str):
        return f"is a text, not {type(name).__name__}"
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        return "is letters, digits and underscores, and starts with a letter"
    if name.endswith("_") or "__" in name:  # generated names and the compilers' own have these
        return "does not end with an underscore, nor has two in a row"
    if name.startswith("mb_"):
        return "does not start with 'mb_', which is for generated code"
    if name in _RESERVED or keyword.iskeyword(name):
        return "is not a word of C or Python"
    if _MACRO.fullmatch(name):
        return "is not a macro of C"
    if kind == "port" and name in _ARGUMENTS:
        return "of a port is not an argument of the calls that take ports by name (out, every, steps, scenarios, self)"
    if kind not in ("port", "buffer") and _LIBRARY.fullmatch(name):
        return "of a function is not one of the C library's"
    return ""


@final
@dataclass(frozen=True)
class Sparsity:
    """Where a matrix port's stored values stand, row by row; everything else is zero."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def __post_init__(self) -> None:
        places = list(zip(self.rows, self.columns, strict=True))
        if places != sorted(set(places)):
            raise KernelError("a sparsity lists its places row by row, each once")

    def __len__(self) -> int:
        return len(self.rows)


@final
@dataclass(frozen=True)
class Port:
    """A named array of doubles; matrices are stored row by row.

    Attributes:
        name: one name across Python, C and the ring
        shape: (), (n,) or (rows, columns); an integer n means (n,)
        unit: SI unit, "-" for a pure number
        description: what it is, and in which frame
        sparsity: for a matrix, the stored places; the data are then one value a place
    """

    name: str
    shape: tuple[int, ...] | int = ()
    unit: str = "-"
    description: str = ""
    sparsity: Sparsity | None = None

    def __post_init__(self) -> None:
        check_name("port", self.name)
        if isinstance(self.shape, str) or not isinstance(self.unit, str):
            raise KernelError(
                f"port {self.name!r}: shape {self.shape!r} and unit {self.unit!r}; the order is name, shape, unit"
            )
        try:
            given = self.shape if isinstance(self.shape, Iterable) else (self.shape,)
            shape = tuple(operator.index(n) for n in given)
        except TypeError:
            shape = (-1,)
        if len(shape) > 2 or any(n < 0 for n in shape):
            raise KernelError(f"port {self.name!r}: shape {self.shape} must be (), n, (n,) or (rows, columns)")
        object.__setattr__(self, "shape", shape)
        if self.sparsity is not None:
            if len(shape) != 2:
                raise KernelError(f"port {self.name!r}: a sparsity needs a matrix, not shape {shape}")
            if len(self.sparsity) and (max(self.sparsity.rows) >= shape[0] or max(self.sparsity.columns) >= shape[1]):
                raise KernelError(f"port {self.name!r}: the sparsity reaches outside shape {shape}")

    @property
    def dims(self) -> tuple[int, ...]:
        """The shape as a tuple."""
        assert isinstance(self.shape, tuple)
        return self.shape

    @property
    def size(self) -> int:
        """Number of stored doubles."""
        return math.prod(self.dims) if self.sparsity is None else len(self.sparsity)

    @property
    def array_shape(self) -> tuple[int, ...]:
        """Shape of the NumPy array that holds the port's data."""
        return self.dims if self.sparsity is None else (len(self.sparsity),)

    def symbol(self) -> ca.SX:
        """A symbol of this shape (a column for a vector); a sparse port's symbol has its sparsity."""
        rows, columns = self.matrix_shape
        if self.sparsity is None:
            return ca.SX.sym(self.name, rows, columns)
        return ca.SX.sym(self.name, ca.Sparsity.triplet(rows, columns, self.sparsity.rows, self.sparsity.columns))

    @property
    def matrix_shape(self) -> tuple[int, int]:
        """(rows, columns) as CasADi sees the port."""
        rows, columns = (*self.dims, 1, 1)[:2]
        return rows, columns

    def places(self) -> list[tuple[int, int]]:
        """(row, column) of every stored value, in storage order."""
        if self.sparsity is not None:
            return list(zip(self.sparsity.rows, self.sparsity.columns, strict=True))
        rows, columns = self.matrix_shape
        return [(i, j) for i in range(rows) for j in range(columns)]

    def dense(self, values: ArrayLike) -> NDArray[np.float64]:
        """The full array from stored values."""
        data = np.asarray(values, dtype=np.float64)
        if data.size != self.size:
            raise PortError(f"port {self.name!r}: {data.size} values came, {self.size} are stored")
        if self.sparsity is None:
            return data.reshape(self.dims)
        full = np.zeros(self.dims)
        full[list(self.sparsity.rows), list(self.sparsity.columns)] = data.ravel()
        return full

    def __str__(self) -> str:
        shape = "scalar" if self.dims == () else "x".join(map(str, self.dims))
        return f"{self.name} ({shape}{'' if self.sparsity is None else f', {self.size} stored'}) [{self.unit}]"


def find_port(ports: tuple[Port, ...], name: str, owner: str) -> int:
    """Position of the port with this name, or an error that lists the names there are."""
    for k, port in enumerate(ports):
        if port.name == name:
            return k
    raise PortError(f"{owner}: no port {name!r}; ports: {', '.join(p.name for p in ports) or 'none'}")


def as_ports(owner: str, given: object) -> tuple[Port, ...]:
    """A sequence of ports as a tuple, or one sentence about what came instead."""
    if isinstance(given, Port):
        raise KernelError(f"{owner} is a single Port; with a comma it is a sequence of one: (Port({given.name!r}),)")
    ports = tuple(given) if isinstance(given, Iterable) else (given,)
    for port in ports:
        if not isinstance(port, Port):
            raise KernelError(f"{owner} has {port!r}, which is {type(port).__name__} and not a Port")
    return ports


def check_distinct(owner: str, ports: tuple[Port, ...]) -> None:
    """No two ports of one kernel share a name."""
    names = [p.name for p in ports]
    for name in names:
        if names.count(name) > 1:
            raise KernelError(f"{owner}: two ports are named {name!r}")
