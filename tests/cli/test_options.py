"""How the values of options are read."""

import pytest

from ordcut.cli.failures import UserError
from ordcut.cli.options import read_objective


def test_a_matrix_of_costs_is_read(tmp_path):
    path = tmp_path / "cost.csv"
    path.write_text("0;1.5\n4;0\n\n")
    assert read_objective(str(path)) == [[0.0, 1.5], [4.0, 0.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n", "square matrix"),
        ("0,1\n1,0,1\n", "2 lines of 2 or 3 numbers"),
        ("a,b\n0,1\n", "file of numbers only"),
        ("", "0 lines of no numbers"),
        (None, "No such file"),
    ],
)
def test_a_bad_matrix_of_costs_is_refused(tmp_path, text, message):
    path = tmp_path / "cost.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_objective(str(path))


def test_a_misspelt_objective_is_corrected():
    with pytest.raises(UserError, match='Did you mean "quadratic_kappa"'):
        read_objective("quadratic_kapa")
