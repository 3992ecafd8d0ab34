"""Ports: the named, sized, unit-carrying ends of kernels and programs."""

from __future__ import annotations

import keyword
import math
import re
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.errors import KernelError, PortError

_IDENTIFIER = re.compile(r"[A-Za-z]([A-Za-z0-9_]*[A-Za-z0-9])?\Z")  # a trailing underscore marks generated names
# words that C, C++ or CUDA would not accept as a parameter, macros of their headers, and what generated code calls
_RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof "
    "alignas alignof and and_eq bitand bitor bool catch char16_t char32_t class compl const_cast constexpr decltype "
    "delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or "
    "or_eq private protected public reinterpret_cast static_assert static_cast template this thread_local throw true "
    "try typeid typename using virtual wchar_t xor xor_eq main NULL NAN INFINITY errno linux unix "
    "threadIdx blockIdx blockDim gridDim warpSize sqrt fabs copysign floor ceil fmod memcpy uint64_t".split()
)
# functions that C compilers know without a declaration: another function of the name would not compile
_LIBRARY = frozenset(
    "abort abs acos acosh asin asinh atan atan2 atanh bcmp bzero calloc cbrt cos cosh div drem erf erfc exit exp exp10 "
    "exp2 expm1 fdim fma fmax fmin fpclassify free frexp gamma hypot ilogb index isfinite isgreater isinf isless isnan "
    "isnormal isunordered j0 j1 jn labs ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround malloc "
    "memchr memcmp memmove memset modf nan nearbyint nextafter nexttoward pow pow10 printf putchar puts realloc "
    "remainder remquo rindex rint round scalb scalbln scalbn signbit significand sin sincos sinh strcat strchr strcmp "
    "strcpy strlen tan tanh tgamma tolower toupper trunc y0 y1 yn".split()
)


def check_name(kind: str, name: str) -> None:
    """A name must serve in Python, C and the ring alike; one of a function must also not be the C library's."""
    word = name in _RESERVED or keyword.iskeyword(name) or (kind not in ("port", "buffer") and name in _LIBRARY)
    if not _IDENTIFIER.match(name) or word or name.startswith("mb_"):
        raise KernelError(
            f"{kind} {name!r}: a name is letters, digits and underscores, starts with a letter, does not end with an "
            "underscore or start with 'mb_', and is not a word of C or Python"
        )


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
        shape = (self.shape,) if isinstance(self.shape, int) else tuple(self.shape)
        object.__setattr__(self, "shape", shape)
        if len(shape) > 2 or any(n < 0 for n in shape):
            raise KernelError(f"port {self.name!r}: shape {shape} must be (), (n,) or (rows, columns)")
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


def check_distinct(owner: str, ports: tuple[Port, ...]) -> None:
    """No two ports of one kernel share a name."""
    names = [p.name for p in ports]
    for name in names:
        if names.count(name) > 1:
            raise KernelError(f"{owner}: two ports are named {name!r}")
