"""Sums of floats without rounding: each float is split into whole numbers, its limbs.

With ``a`` and ``b`` that follow from the largest float and from how many there are, a float ``w``
has the limbs ``floor(w * 2**a)``, ``floor(rest * 2**b)`` of the rest, and so on. All of these
operations are exact in IEEE arithmetic, and the limbs of all floats add up in int64. So their sums
are the same in any order of the rows, in any engine and on any device. Two limbs hold floats that
differ by a factor of up to 2**27 among a million; floats that lie further apart have more limbs.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, frexp
from typing import Any, NamedTuple

import numpy as np

from ordcut._core.numerics.jit import kernel
from ordcut._core.typing import Array, Floats, Ints, Numbers

#: The sums of limbs are below two to this power. Two bits are left for the floats that stand for
#: a sum, which may be more than the floats that were added up.
BITS_OF_SUMS = 60

#: Bits of a float's mantissa, and the exponent of the lowest bit of the least normal float.
MANTISSA, LOWEST_EXPONENT = 53, -1074


class Limbs(NamedTuple):
    """How floats are split: ``w = (q[0] + q[1] / 2**step + q[2] / 4**step + ...) / 2**first``.

    Attributes
    ----------
    first : int
        The power of two that the first limb is a multiple of is ``-first``.
    step : int
        The number of bits of a limb.
    n_limbs : int
        The number of limbs; 0 for numbers that are added up as they are.

    Examples
    --------
    >>> weights = np.array([0.1, 0.7, 2.0**-70])
    >>> limbs = Limbs.of(weights)
    >>> limbs.exact(limbs.split(weights).sum(axis=0)) == sum(map(Fraction, weights.tolist()))
    True
    """

    first: int
    step: int
    n_limbs: int

    @classmethod
    def of(cls, values: Floats) -> Limbs:
        """Return how to split floats that are not negative, of which at least one is positive."""
        least = values.min()
        if least == 0:
            least = values.min(where=values > 0, initial=np.inf)
        return cls.between(float(least), float(values.max()), values.size)

    @classmethod
    def between(cls, least: float, largest: float, n: int, bits: int = BITS_OF_SUMS) -> Limbs:
        """Return how to split ``n`` floats that lie between two positive floats.

        Sums of limbs are below two to the power of ``bits``. The result is ``AS_GIVEN`` if the
        floats lie so far apart that the least would underflow.

        Examples
        --------
        >>> Limbs.between(1e-6, 1.0, 1_000_000)
        Limbs(first=39, step=40, n_limbs=2)
        """
        step = bits - n.bit_length()
        top, bottom = frexp(largest)[1], frexp(least)[1] - MANTISSA
        if bottom + min(0, step - top) < LOWEST_EXPONENT:
            return AS_GIVEN
        return cls(step - top, step, max(1, ceil((top - bottom) / step)))

    @property
    def factors(self) -> tuple[float, float]:
        """What floats, and then each rest, are multiplied by."""
        return 2.0**self.first, 2.0**self.step

    @property
    def unit(self) -> Fraction:
        """What a 1 of the last limb stands for."""
        return Fraction(2) ** -(self.first + self.step * (self.n_limbs - 1))

    def split(self, values: Any) -> Ints:
        """Return the limbs of floats, (..., n_limbs)."""
        first, step = self.factors
        limbs, rest = np.empty((*values.shape, self.n_limbs), np.int64), values * first
        for i in range(self.n_limbs):
            whole = np.floor(rest)
            limbs[..., i] = whole
            rest = (rest - whole) * step
        return limbs

    def carried(self, sums: Ints) -> Ints:
        """Return sums of limbs with all limbs but the first below two to the power of ``step``.

        Equal sums of other floats are then equal limb by limb.

        Examples
        --------
        >>> Limbs(2, 4, 2).carried(np.array([1, 37]))
        array([3, 5])
        """
        limbs = sums.copy()
        for i in range(self.n_limbs - 1, 0, -1):
            limbs[..., i - 1] += limbs[..., i] >> self.step
            limbs[..., i] &= (1 << self.step) - 1
        return limbs

    def multiples(self, sums: Array) -> Array:
        """Return sums of limbs (..., n_limbs) as whole multiples of the unit, of any size."""
        limbs = sums.astype(object)
        total = limbs[..., 0]
        for i in range(1, self.n_limbs):
            total = total * (1 << self.step) + limbs[..., i]
        return np.asarray(total)

    def exact(self, sums: Array) -> Any:
        """Return sums without rounding: numbers as they are, or fractions for sums of limbs."""
        if self.n_limbs == 0:
            return sums
        # Fractions of whole numbers need no common divisor of two fractions, which takes long.
        power = self.first + self.step * (self.n_limbs - 1)
        scale, bottom = 1 << max(0, -power), 1 << max(0, power)
        whole = self.multiples(sums)
        exact = np.empty(whole.size, object)
        exact[:] = [Fraction(value * scale, bottom) for value in whole.ravel().tolist()]
        return exact.reshape(whole.shape)[()]

    def rounded(self, sums: Array) -> Numbers:
        """Return sums as numbers: as they are, or sums of limbs in float64, off by a rounding."""
        if self.n_limbs == 0:
            return sums
        total = np.zeros(sums.shape[:-1])
        for i in reversed(range(self.n_limbs)):
            total = total * 2.0**-self.step + sums[..., i]
        return np.asarray(np.ldexp(total, -self.first))

    def as_weights(self, sums: Array) -> Numbers:
        """Return numbers (..., m) that are not negative and add up to each sum, without rounding.

        Examples
        --------
        >>> Limbs(2, 40, 2).as_weights(np.array([2**55 + 1, 3])).tolist()
        [9007199254740992.0, 0.25, 0.0, 6.821210263296962e-13]
        """
        if self.n_limbs == 0:
            return sums[..., None]
        low = sums & ((1 << 31) - 1)
        halves = np.stack([sums - low, low], axis=-1).astype(np.float64)
        powers = -(self.first + self.step * np.arange(self.n_limbs))
        weights = np.ldexp(halves, powers[:, None])
        return weights.reshape(*sums.shape[:-1], 2 * self.n_limbs)


#: Numbers that are added up as they are: whole numbers, or floats whose sums may round.
AS_GIVEN = Limbs(0, 0, 0)


@kernel("keys", steps=4)
def add_limbs(
    keys: Array, codes: Array, weights: Floats, first: float, step: float, sums: Ints
) -> None:
    """Add the limbs of each weight to ``sums[key, code]``, of shape (n_keys, K, n_limbs).

    ``first`` and ``step`` are ``Limbs.factors``.
    """
    for i in range(len(keys)):
        key, code = np.uint32(keys[i]), np.uint32(codes[i])
        rest = weights[i] * first
        limb = 0
        while rest > 0.0:
            whole = np.int64(rest)
            sums[key, code, limb] += whole
            rest = (rest - np.float64(whole)) * step
            limb += 1
