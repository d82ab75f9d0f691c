"""Small problems in whole numbers: ties are common, and sums are exact."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

import ordcut


@dataclass(frozen=True)
class Problem:
    scores: np.ndarray
    labels: np.ndarray
    n_classes: int
    weights: np.ndarray | None = field(default=None)

    @property
    def classes(self):
        return list(range(self.n_classes))

    @property
    def rows(self):
        """Rows of (number of the distinct score, class, weight), as the oracles read them."""
        weights = np.ones(len(self.scores)) if self.weights is None else self.weights
        kept = weights > 0
        number = np.unique(self.scores[kept], return_inverse=True)[1]
        return [
            (int(j), int(truth), int(weight))
            for j, truth, weight in zip(number, self.labels[kept], weights[kept], strict=True)
        ]

    @property
    def n_scores(self):
        return len({j for j, _, _ in self.rows})


@st.composite
def problems(draw, most_rows=9, most_scores=5, most_classes=4, weighted=True):
    n_classes = draw(st.integers(2, most_classes))
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(-2, most_scores - 3), st.integers(0, n_classes - 1), st.integers(0, 3)
            ),
            min_size=1,
            max_size=most_rows,
        )
    )
    scores, labels, weights = (np.array(column) for column in zip(*rows, strict=True))
    use_weights = weighted and weights.any() and draw(st.booleans())
    return Problem(scores.astype(float), labels, n_classes, weights if use_weights else None)


@st.composite
def cost_matrices(draw, n_classes, convex=False):
    """Whole-number costs; convex ones have second differences over the prediction that are >= 0."""
    entries = st.integers(0, 4)
    if not convex:
        return np.array(draw(_grid(entries, n_classes, n_classes)), dtype=float)
    first = np.array(draw(_grid(st.integers(-4, 4), 1, n_classes)))
    second = np.array(draw(_grid(entries, n_classes - 2, n_classes))).reshape(-1, n_classes)
    slopes = np.cumsum(np.vstack([first, second]), axis=0)
    cost = np.vstack([np.zeros(n_classes), np.cumsum(slopes, axis=0)])
    return cost - cost.min()


def _grid(entries, n_rows, n_columns):
    row = st.lists(entries, min_size=n_columns, max_size=n_columns)
    return st.lists(row, min_size=n_rows, max_size=n_rows)


def enough_classes(problem):
    """Return whether at least two classes occur, without which a kappa has no value."""
    return len({truth for _, truth, _ in problem.rows}) > 1


def find(scores, labels, n_classes, objective="absolute", **options):
    """Find the optimal thresholds for labels among 0..n_classes-1."""
    return ordcut.optimal_thresholds(
        scores, labels, objective=objective, classes=range(n_classes), **options
    )
