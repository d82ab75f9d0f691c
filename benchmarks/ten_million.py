"""Ten million scores of many distributions: `"auto"` and the best method, relative to a sort.

Whole calls in one thread over the fastest code path of `np.sort(scores)` for the same scores; five
classes, without weights. Fewer rows are measured by `python -m benchmarks distributions`.
"""

from collections.abc import Iterator
from typing import Any

from benchmarks import distributions


def run(quick: bool) -> Iterator[dict[str, Any]]:
    yield from distributions.rows_of(10_000_000, 5, False, quick)
