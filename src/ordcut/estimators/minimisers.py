"""Two minimisers of smooth functions: Newton's method, and L-BFGS where a Hessian is too large."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from scipy import optimize

from ordcut._core.typing import Floats

#: A Newton step longer than this where the gradient already vanishes means there is no minimum.
LONGEST_LAST_STEP = 0.1

#: The number of steps of that length after which the search stops.
MOST_LONG_STEPS = 8

#: A parameter has a part in a direction if its share of that is above this.
LEAST_PART = 1e-5


class Point(Protocol):
    """A function at an iterate; a value of inf means that the iterate is not allowed."""

    value: float

    def gradient(self) -> Floats:
        """Return the first derivatives."""
        ...


class CurvedPoint(Point, Protocol):
    """A function at an iterate, with second derivatives."""

    def hessian(self) -> Floats:
        """Return the second derivatives."""
        ...


PointT = TypeVar("PointT", bound=Point, covariant=True)


class SmoothFunction(Protocol[PointT]):
    """A function to minimise, and the iterate to start from."""

    start: Floats

    def at(self, iterate: Floats) -> PointT:
        """Return the function at an iterate."""
        ...


@dataclass(frozen=True)
class Minimum(Generic[PointT]):
    """The last iterate of a search, and why it did not converge: an empty text if it did."""

    iterate: Floats
    point: PointT
    n_iter: int
    failure: str = ""

    def warn(self, advice: str) -> None:
        """Warn if the search did not converge."""
        if self.failure:
            from sklearn.exceptions import ConvergenceWarning

            warnings.warn(f"{self.failure} {advice}", ConvergenceWarning, stacklevel=4)


def newton(
    problem: SmoothFunction[CurvedPoint], *, gtol: float, max_iter: int
) -> Minimum[CurvedPoint]:
    """Minimise by Newton steps, halved until the function decreases enough.

    Directions that the function does not depend on, as with collinear features, are left
    as they are; directions of negative curvature are followed downwards. Ends where no derivative
    is above ``gtol``.
    """
    iterate = problem.start.copy()
    point = problem.at(iterate)
    n_long = 0
    for n_iter in range(1, max_iter + 1):
        gradient = point.gradient()
        step = newton_step(gradient, point.hessian())
        is_flat = np.abs(gradient).max(initial=0.0) <= gtol
        if is_flat and np.abs(step).max(initial=0.0) < LONGEST_LAST_STEP:
            return Minimum(iterate, point, n_iter)
        n_long = n_long + 1 if is_flat else 0
        if n_long > MOST_LONG_STEPS:
            return Minimum(
                iterate, point, n_iter,
                "the coefficients diverge, as they do where features separate classes perfectly.",
            )  # fmt: skip
        further = _step_down(problem, iterate, point, step, float(gradient @ step))
        if further is None:
            return Minimum(iterate, point, n_iter, "the search stalled before it converged.")
        iterate, point = further
    return Minimum(iterate, point, max_iter, f"the search did not converge in {max_iter} steps.")


def newton_step(gradient: Floats, hessian: Floats) -> Floats:
    """Return the step to subtract: ``H^-1 g``, with the curvature made positive."""
    values, vectors, size = _scaled_eigen(hessian)
    curvature = np.abs(values)
    keep = curvature > 1e-13 * len(values) * curvature.max(initial=0.0)
    along = vectors[:, keep].T @ (gradient / size)
    return np.asarray(vectors[:, keep] @ (along / curvature[keep])) / size


def invert_hessian(hessian: Floats) -> tuple[Floats, Floats]:
    """Return the inverse, and as columns the directions without curvature, along which it is 0."""
    values, vectors, size = _scaled_eigen(hessian)
    keep = values > 1e-11 * values.max(initial=0.0)
    kept, flat = vectors[:, keep] / size[:, None], vectors[:, ~keep]
    flat = np.where(np.abs(flat) > LEAST_PART, flat, 0.0)
    return (kept / values[keep]) @ kept.T, flat / size[:, None]


def _scaled_eigen(hessian: Floats) -> tuple[Floats, Floats, Floats]:
    """Return eigenvalues and eigenvectors of a Hessian scaled to a unit diagonal, and the scale."""
    size = np.sqrt(np.abs(np.diag(hessian)))
    size[size == 0] = 1.0
    values, vectors = np.linalg.eigh(hessian / size / size[:, None])
    return values, vectors, size


def _step_down(
    problem: SmoothFunction[CurvedPoint],
    iterate: Floats,
    point: Point,
    step: Floats,
    decrease: float,
) -> tuple[Floats, CurvedPoint] | None:
    """Halve a step until the function decreases by a share of what its gradient predicts."""
    # Close to the minimum the predicted decrease is smaller than the rounding of the value.
    rounding = 64 * np.finfo(np.float64).eps * abs(point.value)
    length = 1.0
    for _ in range(60):
        trial = iterate - length * step
        there = problem.at(trial)
        if there.value <= point.value - 1e-4 * length * decrease + rounding:
            return trial, there
        length /= 2
    return None


def lbfgs(
    problem: SmoothFunction[Point],
    *,
    gtol: float,
    max_iter: int,
    lower_bounds: Floats | None = None,
) -> Minimum[Point]:
    """Minimise by L-BFGS-B, which needs no Hessian and respects lower bounds."""
    scale = max(abs(problem.at(problem.start).value), 1e-300)

    def value_and_gradient(iterate: Floats) -> tuple[float, Floats]:
        point = problem.at(iterate)
        return point.value / scale, point.gradient() / scale

    bounds = None if lower_bounds is None else optimize.Bounds(lower_bounds, np.inf)
    search = optimize.minimize(
        value_and_gradient,
        problem.start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={
            "maxiter": max_iter,
            "maxfun": 4 * max_iter + 100,
            "maxcor": 20,
            "gtol": gtol / scale,
            "ftol": 0.0,
        },
    )
    point = problem.at(search.x)
    gradient = point.gradient()
    if lower_bounds is not None:
        gradient = np.where((search.x <= lower_bounds) & (gradient > 0), 0.0, gradient)
    # Whether a search converged that ended because values no longer differ, the gradient decides.
    largest = float(np.abs(gradient).max(initial=0.0))
    failure = ""
    if largest > 10 * gtol:
        failure = (
            f"the search did not converge in {search.nit} steps "
            f"(largest derivative {largest:.2g}, tolerance {gtol:.2g})."
        )
    return Minimum(search.x, point, max(1, int(search.nit)), failure)


class Gaps:
    """A function of biases and coefficients in terms of the lowest bias, gaps, and coefficients.

    The gaps are those between neighbouring biases. The map from gaps to biases is linear, so a
    convex function stays convex, and ascending biases are gaps with a lower bound of 0. With
    ``logs``, an iterate has the logarithms of the gaps instead: every iterate is then allowed, so
    that no step of a search can break the order of the biases.
    """

    def __init__(self, inner: SmoothFunction[Point], n_biases: int, *, logs: bool = False) -> None:
        self.inner, self.n_biases, self.logs = inner, n_biases, logs
        self.start = inner.start.copy()
        self.start[:n_biases] = np.diff(inner.start[:n_biases], prepend=0.0)
        if logs:
            self.start[1:n_biases] = np.log(self.start[1:n_biases])

    def to_inner(self, iterate: Floats) -> Floats:
        """Return the biases and coefficients of an iterate."""
        inner = iterate.copy()
        if self.logs:
            with np.errstate(over="ignore"):
                inner[1 : self.n_biases] = np.exp(iterate[1 : self.n_biases])
        inner[: self.n_biases] = np.cumsum(inner[: self.n_biases])
        return inner

    def at(self, iterate: Floats) -> GapsPoint:
        """Return the function at an iterate."""
        return GapsPoint(self, iterate)


class GapsPoint:
    """A function at an iterate of :class:`Gaps`."""

    def __init__(self, gaps: Gaps, iterate: Floats) -> None:
        self.gaps, self.iterate = gaps, iterate
        self.inner = gaps.inner.at(gaps.to_inner(iterate))
        # L-BFGS takes no inf; a very large value has the same effect.
        self.value = self.inner.value if np.isfinite(self.inner.value) else 1e300

    def gradient(self) -> Floats:
        """Return the first derivatives."""
        if not np.isfinite(self.inner.value):
            return np.zeros_like(self.iterate)
        m, gradient = self.gaps.n_biases, self.inner.gradient()
        gradient[:m] = np.cumsum(gradient[:m][::-1])[::-1]
        if self.gaps.logs:
            gradient[1:m] *= np.exp(self.iterate[1:m])
        return gradient
