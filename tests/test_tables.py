"""Each row of a table of the library has an oracle, and the tests of its kind run over it."""

import pytest

from ordcut import limits
from ordcut._core.limits.text import SYNTAX
from tests import naive, tables
from tests.limits import within_limits

EXAMPLES = [text.replace("NAME", "1") for text in SYNTAX.values()]
CONSTRAINTS = sorted(map(type, limits.read_constraints(EXAMPLES)), key=repr)


@pytest.mark.parametrize("name", tables.EVERY_OBJECTIVE)
def test_every_objective_has_an_oracle(name):
    assert name in naive.GOODNESS, (
        f"The objective {name} has no oracle. Add a function that judges a table of weights in "
        "fractions to GOODNESS in tests/naive.py."
    )


@pytest.mark.parametrize("kind", CONSTRAINTS, ids=lambda kind: kind.__name__)
def test_every_constraint_has_an_oracle(kind):
    assert kind in {*within_limits.REACHED, *within_limits.KEPT}, (
        f"{kind.__name__} has no oracle. Add what it limits to REACHED, or whether it holds to "
        "KEPT, in tests/limits/within_limits.py."
    )
    drawn = {type(within_limits.draw_one(name)) for name in within_limits.KINDS}
    assert kind in drawn, (
        f"{kind.__name__} is in no brute force. Add a random one to DRAWN in "
        "tests/limits/within_limits.py."
    )


def test_every_constraint_can_be_written():
    public = [getattr(limits, name) for name in limits.__all__]
    kinds = {value for value in public if isinstance(value, type)}
    kinds = {kind for kind in kinds if issubclass(kind, limits.Constraint)}
    assert kinds - {limits.Constraint} == set(CONSTRAINTS)
