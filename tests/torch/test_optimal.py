"""Tensors: the thresholds of arrays, found without leaving the device or waiting for it."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import ordcut
import ordcut.torch
from ordcut._core.objectives.named import resolve_objective
from ordcut.torch.scan import KappaSearch, find_cuts
from ordcut.torch.tensors import TensorRows, sort_rows
from tests.strategies import cost_matrices, problems
from tests.tables import OBJECTIVES


def answer(find, *data, **options):
    """Return the thresholds, or the message of the error."""
    try:
        return find(*data, **options)
    except ValueError as error:
        return str(error)


def assert_same(result, expected):
    if isinstance(expected, str):
        assert result == expected
        return
    np.testing.assert_array_equal(result.thresholds, expected.thresholds)
    np.testing.assert_array_equal(result.ranges, expected.ranges)
    np.testing.assert_array_equal(result.classes, expected.classes)
    assert (result.value, result.objective) == (expected.value, expected.objective)


@given(problems(), st.data())
def test_scans_find_the_thresholds_of_arrays_to_the_last_bit(problem, data):
    objective = data.draw(st.sampled_from(OBJECTIVES) | cost_matrices(problem.n_classes))
    factors = st.lists(st.integers(1, 3), min_size=problem.n_classes, max_size=problem.n_classes)
    options = {
        "objective": objective,
        "classes": problem.classes,
        "class_weight": data.draw(st.none() | st.just("balanced") | factors),
    }
    dtype = data.draw(st.sampled_from([np.float16, np.float32, np.float64, np.int64]))
    scores, weights = problem.scores.astype(dtype), problem.weights
    expected = answer(
        ordcut.optimal_thresholds, scores, problem.labels, sample_weight=weights, **options
    )
    tensors = torch.tensor(scores), torch.tensor(problem.labels)
    weights = None if weights is None else torch.tensor(weights)
    for method in ("scan", "auto"):
        result = answer(
            ordcut.torch.optimal_thresholds, *tensors, sample_weight=weights, method=method,
            **options,
        )  # fmt: skip
        assert_same(result, expected)


@given(problems(weighted=False), st.sampled_from(OBJECTIVES))
def test_scans_read_soft_labels_as_rows_with_weights(problem, objective):
    rng = np.random.default_rng(len(problem.scores))
    soft = rng.integers(0, 3, (len(problem.scores), problem.n_classes)) * 0.75
    weights = rng.integers(0, 3, len(problem.scores))
    expected = answer(
        ordcut.optimal_thresholds, problem.scores, soft, objective=objective, sample_weight=weights
    )
    result = answer(
        ordcut.torch.optimal_thresholds,
        torch.tensor(problem.scores), torch.tensor(soft),
        objective=objective, sample_weight=torch.tensor(weights), method="scan",
    )  # fmt: skip
    assert_same(result, expected)


#: Fractional weights: equal tenths, and weights without a unit, some of which lie far apart.
WEIGHTS = {
    "tenths": lambda rng, n: rng.integers(1, 30, n) / 10,
    "uniform": lambda rng, n: rng.random(n),
    "log-normal": lambda rng, n: np.exp(3 * rng.normal(size=n)),
    "tiny and huge": lambda rng, n: rng.choice([1e-9, 1.0, 1e9], n) * rng.random(n),
}


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.sampled_from(OBJECTIVES), st.sampled_from(list(WEIGHTS)))
def test_scans_of_fractional_weights_return_the_thresholds_of_arrays(seed, objective, kind):
    rng = np.random.default_rng(seed)
    n = 60
    labels = rng.integers(0, 4, n)
    scores, weights = np.round(labels + rng.normal(size=n), 1), WEIGHTS[kind](rng, n)
    soft = np.eye(4)[labels] + rng.integers(0, 3, (n, 4)) * weights[:, None]
    for truth, weighted in ((labels, weights), (soft, None)):
        expected = ordcut.optimal_thresholds(
            scores, truth, objective=objective, sample_weight=weighted, classes=range(4)
        )
        order = rng.permutation(n)
        result = ordcut.torch.optimal_thresholds(
            torch.tensor(scores[order]), torch.tensor(truth[order]), objective=objective,
            sample_weight=None if weighted is None else torch.tensor(weighted[order]),
            classes=range(4), method="scan",
        )  # fmt: skip
        assert result.value == pytest.approx(expected.value, rel=1e-12)
        if result.proof.sums == "exact":
            assert result.thresholds.tolist() == expected.thresholds.tolist()
        assert (result.proof.sums == "exact") or result.proof.n_steps is not None


ROUNDED = ", up to rounding of float64 sums"


def certificate_by_scan(objective, weights, n=60):
    rng = np.random.default_rng(0)
    labels = torch.tensor(rng.integers(0, 4, n))
    return ordcut.torch.optimal_thresholds(
        labels + torch.tensor(rng.normal(size=n)), labels, objective=objective,
        sample_weight=weights, classes=range(4), method="scan",
    ).certificate  # fmt: skip


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_scans_over_whole_numbers_have_the_certificate_of_arrays(objective):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 60)
    expected = ordcut.optimal_thresholds(
        labels + rng.normal(size=60),
        labels,
        objective=objective,
        classes=range(4),
        method="dp" if objective == "zero_one" else "auto",
    )
    result = certificate_by_scan(objective, None)
    assert result.split(" by ")[-1] == expected.certificate.split(" by ")[-1]
    assert ROUNDED not in result


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_scans_over_fractional_weights_are_certified_up_to_rounding_for_kappas_only(objective):
    weights = torch.rand(60, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    is_kappa = ordcut.resolve_objective(objective, 4).is_maximised
    assert certificate_by_scan(objective, weights).endswith(ROUNDED) == is_kappa


def test_scans_over_weights_too_far_apart_are_certified_up_to_rounding():
    weights = 2.0 ** torch.linspace(-300, 0, 60, dtype=torch.float64)
    assert certificate_by_scan("absolute", weights).endswith(ROUNDED)


def test_scans_over_sums_that_do_not_fit_are_certified_up_to_rounding():
    whole = torch.full((60,), 2.0**40, dtype=torch.float64)
    assert ROUNDED not in certificate_by_scan("squared", whole)
    assert certificate_by_scan("kappa", whole).endswith(ROUNDED)
    too_many = torch.full((60,), 2.0**50, dtype=torch.float64)
    assert ROUNDED not in certificate_by_scan("squared", too_many)
    assert certificate_by_scan("quadratic_kappa", too_many).endswith(ROUNDED)


def test_scans_of_classes_at_unequal_distances_are_convex_up_to_scale():
    scores, labels = torch.tensor([0.1, 0.4, 0.5, 0.9]), torch.tensor([1, 1, 2, 10])
    result = ordcut.torch.optimal_thresholds(scores, labels, method="scan")
    assert result.certificate == "objective that is convex up to scale (Theorem 2)"


def test_scans_of_soft_labels_times_weights_beyond_int64_are_those_of_arrays():
    scores, soft = np.arange(4.0), np.array([[2, 1], [1, 3], [3, 1], [1, 4]]) * 2**31
    weights = np.array([2.0**40, 3 * 2.0**40, 2.0**40, 2.0**40])
    expected = ordcut.optimal_thresholds(scores, soft, sample_weight=weights)
    result = ordcut.torch.optimal_thresholds(
        torch.tensor(scores), torch.tensor(soft), sample_weight=torch.tensor(weights), method="scan"
    )
    assert_same(result, expected)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_scans_agree_with_arrays_on_many_rows(objective):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 12, 20_000)
    scores = (labels + 3 * rng.standard_normal(20_000)).astype(np.float32)
    result = ordcut.torch.optimal_thresholds(
        torch.tensor(scores), torch.tensor(labels), objective=objective, method="scan"
    )
    assert_same(result, ordcut.optimal_thresholds(scores, labels, objective=objective))


@pytest.mark.parametrize("method", ["auto", "scan"])
def test_bfloat16_scores_are_labelled_as_intended(method):
    scores = torch.randn(500, generator=torch.Generator().manual_seed(0)).to(torch.bfloat16)
    labels = (scores.float() + 0.3 * torch.randn(500)).clamp(-1.4, 1.4).round().long() + 1
    result = ordcut.torch.optimal_thresholds(scores, labels, method=method)
    predicted = ordcut.torch.threshold_labels(scores, result)
    assert ordcut.evaluate(labels.numpy(), predicted.numpy()) == result.value


def test_the_cpu_solvers_read_the_memory_of_the_tensors(monkeypatch):
    seen = []
    find = ordcut.optimal_thresholds
    monkeypatch.setattr(
        ordcut, "optimal_thresholds", lambda *data, **rest: seen.append(data) or find(*data, **rest)
    )
    scores, labels = torch.randn(50, requires_grad=True), torch.arange(50) % 3
    ordcut.torch.optimal_thresholds(scores, labels)
    assert [array.ctypes.data for array in seen[0]] == [scores.data_ptr(), labels.data_ptr()]


@pytest.mark.parametrize(
    "labels", [[7.0, -1.5, 7.0, 30.0], [True, False, True, False], [-5, 3, 3, 9]]
)
def test_classes_are_the_values_that_occur(labels):
    scores, labels = torch.tensor([3.0, 1.0, 2.0, 4.0]), torch.tensor(labels)
    result = ordcut.torch.optimal_thresholds(scores, labels, method="scan")
    expected = ordcut.optimal_thresholds(scores.numpy(), labels.numpy())
    assert_same(result, expected)
    assert result.classes.dtype == expected.classes.dtype


def rows_without_values(n, n_classes):
    """Return rows on the device "meta", where tensors have shapes and no values.

    There, whatever needs a value, or a shape that depends on one, raises an error, and so does an
    operation with a tensor on another device.
    """
    like = {"device": "meta"}
    scores, codes = torch.empty(n, **like), torch.empty(n, dtype=torch.int64, **like)
    return TensorRows(
        scores, codes, None, None, torch.empty(n + 1, dtype=torch.bool, **like), n_classes
    )


@pytest.mark.parametrize("n_limbs", [1, 3])
@pytest.mark.parametrize("is_convex", [True, False])
def test_scans_do_not_wait_for_the_device(is_convex, n_limbs):
    rows = rows_without_values(100, 5)
    cost = torch.zeros(5, 5, dtype=torch.int64, device="meta")
    cuts = find_cuts([rows] * n_limbs, cost, is_convex, step=20)
    assert (cuts.shape, cuts.device.type) == ((4,), "meta")
    assert (rows.confusion(cuts).shape, rows.confusion(cuts).device.type) == ((5, 5), "meta")


@pytest.mark.parametrize("objective", ["quadratic_kappa", "kappa"])
@pytest.mark.parametrize("factors", [np.ones(5), np.array([1, 1, np.pi, 1, 1])])
def test_steps_to_a_kappa_do_not_wait_for_the_device(objective, factors):
    rows, totals = rows_without_values(100, 5), np.full(5, 20.0)
    search = KappaSearch(rows, resolve_objective(objective, 5), totals, factors)
    assert search.is_convex == (objective == "quadratic_kappa")
    assert search.is_whole == (factors == 1).all()
    step = search.after(search.after(search.start()))
    assert (step.cuts.shape, step.is_over.device.type) == ((4,), "meta")


def test_steps_after_the_last_one_change_nothing():
    rng = np.random.default_rng(1)
    labels = torch.tensor(rng.integers(0, 4, 200))
    scores = labels + torch.tensor(rng.normal(size=200))
    plain = TensorRows(scores, labels, None, None, torch.empty(0), 4)
    totals = np.bincount(labels.numpy()).astype(float)
    search = KappaSearch(sort_rows(plain), resolve_objective("kappa", 4), totals, np.ones(4))
    step = search.start()
    while not step.is_over:
        step = search.after(step)
    later = search.after(search.after(step))
    assert later.n_steps == step.n_steps
    assert (later.top, later.bottom) == (step.top, step.bottom)
    assert torch.equal(later.cuts, step.cuts)


BAD = {
    "nan": ({"scores": [0.0, np.nan, 1.0]}, "scores must be finite, got nan at position 1"),
    "infinite": ({"scores": [0.0, 2.0, -np.inf]}, "scores must be finite, got -inf at position 2"),
    "shape": ({"scores": [[0.0, 1.0]] * 3}, r"of shape \(n,\) or \(n, 1\), got \(3, 2\)"),
    "none": ({"scores": [], "labels": []}, "scores must hold at least one row"),
    "length": ({"labels": [0, 1]}, "the same length, got 3 scores and 2 labels"),
    "one class": ({"labels": [1, 1, 1]}, "at least two classes, got only 1"),
    "unknown": ({"classes": [0, 1]}, "among the classes 0, 1, got 2 at position 2"),
    "weights": ({"sample_weight": [1.0, -2.0, 1.0]}, "got -2.0 at position 1"),
    "no weight": ({"sample_weight": [0.0, 0.0, 0.0]}, "must not be 0 in every row"),
    "nan weight": ({"sample_weight": [0.0, 1.0, np.nan]}, "got nan at position 2"),
    "few weights": ({"sample_weight": [1.0]}, r"each of the 3 rows, got shape \(1,\)"),
    "soft": ({"labels": [[1.0, 0], [0, -1.0], [0, 1.0]]}, r"got -1.0 at position \[1, 1\]"),
    "soft weightless": ({"labels": [[0.0, 0]] * 3}, "labels must have a weight above 0"),
    "class weight": ({"class_weight": [1, 2]}, "one number for each of the 3 classes"),
    "costs": ({"objective": np.full((3, 3), 1e308)}, "Scale the costs down"),
    "kappa": ({"labels": [1, 1, 1], "classes": [1, 2], "objective": "kappa"}, "undefined"),
    "method": ({"method": "scann"}, 'Did you mean "scan"'),
}


@pytest.mark.parametrize("method", ["scan", "auto"])
@pytest.mark.parametrize("case", BAD)
def test_bad_tensors_are_named_with_their_position(case, method):
    change, message = BAD[case]
    good = {"scores": [0.0, 1.0, 2.0], "labels": [0, 1, 2], "method": method}
    arguments = good | change
    for name in ("scores", "labels", "sample_weight"):
        if name in arguments:
            arguments[name] = torch.tensor(arguments[name])
    with pytest.raises(ValueError, match=message):
        ordcut.torch.optimal_thresholds(**arguments)


@pytest.mark.parametrize("method", ["scan", "auto"])
def test_a_column_of_labels_is_read_as_flat_labels_with_a_warning(method):
    scores, labels = torch.tensor([0.0, 2.0, 1.0, 3.0]), torch.tensor([0, 1, 0, 1])
    expected = ordcut.torch.optimal_thresholds(scores, labels, method=method)
    with pytest.warns(ordcut.ColumnVectorWarning, match=r"labels should be .* shape \(4, 1\)"):
        result = ordcut.torch.optimal_thresholds(scores, labels[:, None], method=method)
    assert result == expected


def test_arrays_are_refused_with_the_function_to_use():
    with pytest.raises(TypeError, match=r"labels must be a tensor, got list.*ordcut\.optimal_"):
        ordcut.torch.optimal_thresholds(torch.zeros(2), [0, 1])


def test_a_method_of_the_cpu_needs_tensors_of_the_cpu():
    scores, labels = torch.zeros(3, device="meta"), torch.zeros(3, device="meta")
    with pytest.raises(ValueError, match=r'"dp" runs on the CPU, got scores on meta.*scores.cpu'):
        ordcut.torch.optimal_thresholds(scores, labels, method="dp")


def test_scores_and_labels_must_be_on_the_same_device():
    with pytest.raises(ValueError, match="scores on meta and labels on cpu"):
        ordcut.torch.optimal_thresholds(torch.zeros(3, device="meta"), torch.arange(3))


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("method", ["auto", "scan", "dp", "blocks"])
@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"n_jobs": "x"}, "n_jobs must be a number of threads.*got 'x'"),
        ({"n_jobs": 0}, "n_jobs must be a number of threads.*got 0"),
        ({"block_size": -3}, "block_size must be a whole number of cuts.*got -3"),
    ],
)
def test_options_of_the_cpu_are_checked_on_every_device(device, method, option, message):
    scores, labels = torch.zeros(3, device=device), torch.zeros(3, device=device)
    with pytest.raises(ValueError, match=message):
        ordcut.torch.optimal_thresholds(scores, labels, method=method, **option)


def test_scans_that_claim_to_be_exact_weigh_costs_without_rounding():
    # Three times this cost is no float: rounded up, it would decide a tie.
    cost = 2.0**52 + 1
    rows = torch.tensor([1.0, 1.0, 1.0, 2.0]), torch.tensor([1, 1, 1, 0])
    options = {"objective": [[0, cost], [cost, 0]], "class_weight": {0: 3}}
    result = ordcut.torch.optimal_thresholds(*rows, method="scan", **options)
    assert result.certificate == "convex objective (Theorem 2)"
    assert result.thresholds.tolist() == [-np.inf]
    assert (
        result.thresholds.tolist()
        == ordcut.optimal_thresholds(*rows, **options).thresholds.tolist()
    )
