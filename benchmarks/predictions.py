"""Labelling scores: `Thresholds.predict` against `np.searchsorted(thresholds, scores)` alone.

`predict` also refuses NaN and returns classes instead of their positions.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.timing import FULL, QUICK, clock, side_by_side
from ordcut import Thresholds

#: At most so many times the search alone.
MUST = 1.5


def run(quick: bool) -> Iterator[dict[str, Any]]:
    n = 1_000 if quick else 10_000_000
    for n_classes in (2, 5, 10, 100):
        scores = data.normal(n, 10).scores
        thresholds = np.linspace(-2, 2, n_classes - 1)
        classes = {"integers": range(n_classes), "text": [f"class {k}" for k in range(n_classes)]}
        for dtype in ("float32", "float64"):
            given = scores.astype(dtype)
            search = partial(np.searchsorted, thresholds, given)
            rules = {name: Thresholds.from_values(thresholds, of) for name, of in classes.items()}
            assert (rules["integers"].predict(given) == np.digitize(given, thresholds)).all()
            clocks = {name: clock(partial(rule.predict, given)) for name, rule in rules.items()}
            seconds = side_by_side({"search": clock(search), **clocks}, QUICK if quick else FULL)
            for name in rules:
                ratio = seconds[name] / seconds["search"]
                yield {
                    "n": n,
                    "classes": n_classes,
                    "labels": name,
                    "dtype": dtype,
                    "seconds of the search": seconds["search"],
                    "predict over the search": ratio,
                    "must": MUST,
                    "must met": "yes" if ratio <= MUST else "no",
                }
