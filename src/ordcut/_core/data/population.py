"""The population that thresholds are for, where rows were sampled by class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ordcut._core.data.matrices import numbers_by_class
from ordcut._core.numerics.exact import as_fraction
from ordcut._core.typing import Array

#: Shares that are rounded add up to 1 up to this.
ROUNDING = Fraction(1, 10**6)


@dataclass(frozen=True)
class ClassShares:
    """The share of each class in a population.

    Examples
    --------
    >>> shares = ClassShares.read({"low": 0.9, "high": 0.1}, np.array(["low", "high"]))
    >>> shares.factors(np.array([100, 100]))
    array([Fraction(9, 5), Fraction(1, 5)], dtype=object)
    """

    shares: tuple[Fraction, ...]

    @classmethod
    def read(cls, class_shares: Any, classes: Array) -> ClassShares:
        """Return the shares of classes, given by class or in the order of the classes."""
        numbers = numbers_by_class(class_shares, classes, "class_shares")
        exact = [as_fraction(share) for share in numbers.tolist()]
        total = sum(exact, Fraction())
        if abs(total - 1) > ROUNDING:
            raise ValueError(
                f"class_shares must add up to 1, got {float(total):.6g}. They are the shares of "
                "the classes in the population."
            )
        return cls(tuple(share / total for share in exact))

    def factors(self, totals: Array) -> Array:
        """Return what the rows of each class count, whose weights add up to ``totals``.

        Classes then have their shares of as much weight as there is. If groups refine classes, the
        groups of a class have the same factor.
        """
        weights = totals.reshape(len(self.shares), -1).sum(axis=1).tolist()
        if any(share and not weight for share, weight in zip(self.shares, weights, strict=True)):
            k = next(k for k, weight in enumerate(weights) if self.shares[k] and not weight)
            raise ValueError(
                f"class_shares must be 0 for a class without rows, got {float(self.shares[k]):.6g} "
                f"for the class at position {k}. Add rows of this class, or leave it out."
            )
        every = sum(map(Fraction, weights), Fraction())
        exact = np.empty(len(weights), dtype=object)
        exact[:] = [
            share * every / Fraction(weight) if weight else Fraction(1)
            for share, weight in zip(self.shares, weights, strict=True)
        ]
        factors = np.repeat(exact, len(totals) // len(exact))
        return factors.astype(np.float64) if totals.dtype == np.float64 else factors

    def __str__(self) -> str:
        return ", ".join(f"{100 * float(share):.6g} %" for share in self.shares)
