"""Names for the kinds of array that pass through the library."""

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
#: int64 where every number is whole, float64 elsewhere.
Numbers: TypeAlias = npt.NDArray[Any]
ArrayLike: TypeAlias = npt.ArrayLike
#: One number, of the kind of float to reckon in.
Real: TypeAlias = "np.floating[Any]"
