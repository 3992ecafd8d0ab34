"""Types of NumPy arrays, for annotations: one name for each element type."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Singles: TypeAlias = NDArray[np.float32]
Complex: TypeAlias = NDArray[np.complex128]
Ints: TypeAlias = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.intp]
Unsigned: TypeAlias = NDArray[np.uint64]
Bytes: TypeAlias = NDArray[np.uint8]
Flags: TypeAlias = NDArray[np.bool_]
Structured: TypeAlias = NDArray[np.void]
AnyArray: TypeAlias = NDArray[Any]
