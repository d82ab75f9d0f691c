"""What floats mean as fractions."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from ordcut.exact import COST_DENOMINATOR, UNIT_ROUNDOFF, WEIGHT_DENOMINATOR, as_fraction

fractions = st.builds(
    lambda top, bottom, off: top / bottom * (1 + off * 2.0**-52),
    st.integers(-(10**6), 10**6),
    st.integers(1, 10**6),
    st.integers(-6, 6),
)

#: So large that many fractions are within the rounding of a float.
large = st.floats(10**3, 10**9)


@given(
    value=fractions | large | st.floats(allow_nan=False, allow_infinity=False),
    largest=st.sampled_from([COST_DENOMINATOR, WEIGHT_DENOMINATOR]),
)
def test_a_float_is_the_plain_fraction_next_to_it_or_the_number_that_it_is(value, largest):
    exact = Fraction(value)
    near = exact.limit_denominator(largest)
    is_near = abs(near - exact) <= 8 * UNIT_ROUNDOFF * abs(exact)
    is_dyadic = near.denominator & (near.denominator - 1) == 0
    expected = near if is_near and not is_dyadic else exact
    assert as_fraction(value, largest) == expected
