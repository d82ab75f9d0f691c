"""Two ways to minimise a smooth function: Newton's, and L-BFGS where a Hessian is too large."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from scipy import optimize
from sklearn.exceptions import ConvergenceWarning

from ordcut.arrays import Floats

#: A Newton step longer than this where the slope is already flat means there is no minimum.
ENDLESS = 0.1

#: So many steps of that length are taken before the search is given up.
STEPS_ON_THE_FLAT = 8


class Point(Protocol):
    """A function seen from one place; a value of inf means that the place is not allowed."""

    value: float

    def gradient(self) -> Floats:
        """Return the first derivatives."""
        ...


class CurvedPoint(Point, Protocol):
    """A function whose second derivatives are seen, too."""

    def hessian(self) -> Floats:
        """Return the second derivatives."""
        ...


Seen = TypeVar("Seen", bound=Point, covariant=True)


class Problem(Protocol[Seen]):
    """A function to minimise, and where to start."""

    start: Floats

    def at(self, place: Floats) -> Seen:
        """Look at the function from a place."""
        ...


@dataclass(frozen=True)
class Minimum(Generic[Seen]):
    """Where a search ended, and how: ``trouble`` is empty if it converged."""

    place: Floats
    point: Seen
    n_iter: int
    trouble: str = ""

    def warn(self, advice: str) -> None:
        """Warn if the search did not converge."""
        if self.trouble:
            warnings.warn(f"{self.trouble} {advice}", ConvergenceWarning, stacklevel=4)


def newton(problem: Problem[CurvedPoint], *, flat: float, max_iter: int) -> Minimum[CurvedPoint]:
    """Minimise by Newton steps, halved until they go down enough.

    Directions that the function does not depend on, such as those of collinear features, are left
    where they are; directions that curve downwards are walked down. Ends where no derivative is
    above ``flat``.
    """
    place = problem.start.copy()
    point = problem.at(place)
    n_flat = 0
    for n_iter in range(1, max_iter + 1):
        gradient = point.gradient()
        step = newton_step(gradient, point.hessian())
        is_flat = np.abs(gradient).max(initial=0.0) <= flat
        if is_flat and np.abs(step).max(initial=0.0) < ENDLESS:
            return Minimum(place, point, n_iter)
        n_flat = n_flat + 1 if is_flat else 0
        if n_flat > STEPS_ON_THE_FLAT:
            return Minimum(
                place, point, n_iter,
                "the coefficients grow without end, as they do where features separate classes "
                "perfectly.",
            )  # fmt: skip
        further = _step_down(problem, place, point, step, float(gradient @ step))
        if further is None:
            return Minimum(place, point, n_iter, "the search stalled before it converged.")
        place, point = further
    return Minimum(place, point, max_iter, f"the search did not converge in {max_iter} steps.")


def newton_step(gradient: Floats, hessian: Floats) -> Floats:
    """Return the step to subtract: ``H^-1 g``, with the curvature made positive."""
    size = np.sqrt(np.abs(np.diag(hessian)))
    size[size == 0] = 1.0
    values, vectors = np.linalg.eigh(hessian / size / size[:, None])
    curvature = np.abs(values)
    keep = curvature > 1e-13 * len(values) * curvature.max(initial=0.0)
    along = vectors[:, keep].T @ (gradient / size)
    return np.asarray(vectors[:, keep] @ (along / curvature[keep])) / size


def _step_down(
    problem: Problem[CurvedPoint], place: Floats, point: Point, step: Floats, decrease: float
) -> tuple[Floats, CurvedPoint] | None:
    """Halve a step until the function falls by a share of what its slope promises."""
    # Close to the minimum the promise is smaller than the rounding of the value.
    rounding = 64 * np.finfo(np.float64).eps * abs(point.value)
    length = 1.0
    for _ in range(60):
        trial = place - length * step
        seen = problem.at(trial)
        if seen.value <= point.value - 1e-4 * length * decrease + rounding:
            return trial, seen
        length /= 2
    return None


def lbfgs(
    problem: Problem[Point],
    *,
    flat: float,
    max_iter: int,
    lower_bounds: Floats | None = None,
) -> Minimum[Point]:
    """Minimise by L-BFGS-B, which needs no Hessian and keeps to lower bounds."""
    scale = max(abs(problem.at(problem.start).value), 1e-300)

    def value_and_gradient(place: Floats) -> tuple[float, Floats]:
        point = problem.at(place)
        return point.value / scale, point.gradient() / scale

    bounds = None if lower_bounds is None else optimize.Bounds(lower_bounds, np.inf)
    found = optimize.minimize(
        value_and_gradient,
        problem.start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={
            "maxiter": max_iter,
            "maxfun": 4 * max_iter + 100,
            "maxcor": 20,
            "gtol": flat / scale,
            "ftol": 0.0,
        },
    )
    point = problem.at(found.x)
    gradient = point.gradient()
    if lower_bounds is not None:
        gradient = np.where((found.x <= lower_bounds) & (gradient > 0), 0.0, gradient)
    # A search that ends because values no longer differ is judged by its slope alone.
    steepest = float(np.abs(gradient).max(initial=0.0))
    trouble = ""
    if steepest > 10 * flat:
        trouble = (
            f"the search did not converge in {found.nit} steps "
            f"(steepest slope {steepest:.2g}, asked for {flat:.2g})."
        )
    return Minimum(found.x, point, max(1, int(found.nit)), trouble)
