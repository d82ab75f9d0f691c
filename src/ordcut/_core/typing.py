"""Names for the types of array that pass through the library."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Codes: TypeAlias = npt.NDArray[np.uint16]
Keys: TypeAlias = npt.NDArray[np.uint64]
#: int64 where every entry is a whole number, float64 elsewhere.
Numbers: TypeAlias = npt.NDArray[Any]
ArrayLike: TypeAlias = npt.ArrayLike
#: A scalar of the floating-point dtype to compute in.
Real: TypeAlias = "np.floating[Any]"
