"""The paper's Table 1, with its threshold rows replaced by our own times at the same n and K.

Minutes for 100 epochs. Columns marked (published) are the paper's, from its GPU and CPUs; p2_p3
(sort and group), p4_p5 (losses and candidates, which our solvers do without) and thresholds are
medians of calls on this machine, each on new scores; `share of epoch` is their part of the total.
`over DP` is the total time over the total with the paper's DP, with an evaluation pass for line P1;
`over DP without P1` is with the scores of the training pass, in both totals. `floor` is what the
ratio would be if finding thresholds took no time: it follows from published rows alone, and no
method gets below it.
"""

from collections.abc import Iterator
from typing import Any

from experiments.published import project


def run(quick: bool) -> Iterator[dict[str, Any]]:
    yield from project(n_calls=1, share=0.01) if quick else project(n_calls=25)
