"""Panels that tests of panels share."""

from hypothesis import strategies as st


def panels():
    """Return panels of up to 7 items, 4 raters and 3 classes, with an item of each class."""
    rating = st.sampled_from([None, 0, 1, 2])
    row = st.lists(rating, min_size=4, max_size=4).filter(any_rating)
    return st.lists(row, min_size=2, max_size=7).map(lambda rows: [[0, 1, 2, None], *rows])


def any_rating(row):
    return any(rating is not None for rating in row)
