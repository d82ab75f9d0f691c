"""Losses over tensors: against the estimators' likelihood, exact arithmetic, and gradcheck."""

import mpmath
import numpy as np
import pytest
import torch

import ordcut.torch
from ordcut.estimators.design import Design
from ordcut.estimators.likelihood import OrdinalRows, ProportionalOdds
from ordcut.estimators.links import LINKS as ARRAY_LINKS
from ordcut.estimators.surrogates import SURROGATES as ARRAY_SURROGATES
from ordcut.estimators.surrogates import SurrogateRisk
from ordcut.torch import (
    AbsoluteLoss,
    AllThresholdLoss,
    CornLoss,
    CumulativeLinkLoss,
    ImmediateThresholdLoss,
)
from ordcut.torch.links import LINKS
from tests.torch.every_loss import K, all_losses, inputs_for, named, some_rows


def test_every_loss_is_tested():
    public = {name for name in ordcut.torch.__all__ if name.endswith("Loss")}
    tested = {type(loss).__name__ for loss in all_losses()}
    assert tested == public, "Add each loss to all_losses in tests/torch/every_loss.py."


def test_links_have_the_names_of_the_estimators():
    assert set(LINKS) == set(ARRAY_LINKS)


@pytest.mark.parametrize("link", LINKS)
def test_the_likelihood_is_that_of_the_estimators(link):
    scores, target = some_rows()
    biases = np.array([-0.7, 0.2, 1.9, 2.4])
    rows = OrdinalRows(Design(scores.numpy()[:, None], np.ones(40)), target.numpy(), np.ones(40), K)
    # The estimators standardise features; a coefficient of their spread undoes that for scores.
    point = np.append(biases - scores.mean().item(), scores.std(unbiased=False).item())
    iterate = ProportionalOdds(rows, ARRAY_LINKS[link], alpha=0.0).at(point)
    loss = CumulativeLinkLoss(K, link, biases="free", reduction="sum").double()
    with torch.no_grad():
        loss.biases.free.copy_(torch.tensor(biases))
    value = loss(scores, target)
    value.backward()
    assert value.item() == pytest.approx(iterate.value, rel=1e-12)
    np.testing.assert_allclose(loss.biases.free.grad, iterate.gradient()[: K - 1], rtol=1e-9)


@pytest.mark.parametrize("name", [name for name in ARRAY_SURROGATES if name != "squared"])
def test_surrogates_are_those_of_the_estimators(name):
    scores, target = some_rows()
    surrogate = ARRAY_SURROGATES[name]
    rows = OrdinalRows(Design(scores.numpy()[:, None], np.ones(40)), target.numpy(), np.ones(40), K)
    mean, spread = scores.mean().item(), scores.std(unbiased=False).item()
    biases = np.array([-0.7, 0.2, 1.9, 2.4]) if surrogate.has_biases else np.zeros(1)
    # A corner of width 1e-9 is a corner.
    expected = SurrogateRisk(rows, surrogate, 0.0, 1e-9).at(np.append(biases - mean, spread)).value
    if surrogate.has_biases:
        kind = AllThresholdLoss if surrogate.paid == "all" else ImmediateThresholdLoss
        loss = kind(K, name.split("_")[0], "free", reduction="sum").double()
        with torch.no_grad():
            loss.biases.free.copy_(torch.tensor(biases))
    else:
        loss = AbsoluteLoss(reduction="sum")
    assert loss(scores, target).item() == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("loss", named(all_losses(reduction="none")))
def test_gradients_agree_with_differences(loss):
    loss = loss.double()
    scores, target = some_rows(12)
    parameters = [parameter.detach().clone() for parameter in loss.parameters()]
    names = [name for name, _ in loss.named_parameters()]

    def call(scores, *values):
        given = dict(zip(names, values, strict=True))
        return torch.func.functional_call(loss, given, (inputs_for(loss, scores), target))

    inputs = [values.requires_grad_() for values in (scores, *parameters)]
    assert torch.autograd.gradcheck(call, inputs)


#: The probability below and above a value, each without a difference that cancels.
EXACT = {
    "logit": (lambda z: 1 / (1 + mpmath.exp(-z)), lambda z: 1 / (1 + mpmath.exp(z))),
    "probit": (mpmath.ncdf, lambda z: mpmath.ncdf(-z)),
    "cloglog": (
        lambda z: -mpmath.expm1(-mpmath.exp(z)),
        lambda z: mpmath.exp(-mpmath.exp(z)),
    ),
    "loglog": (
        lambda z: mpmath.exp(-mpmath.exp(-z)),
        lambda z: -mpmath.expm1(-mpmath.exp(-z)),
    ),
    "cauchit": (
        lambda z: mpmath.atan2(1, -z) / mpmath.pi,
        lambda z: mpmath.atan2(1, z) / mpmath.pi,
    ),
}


@pytest.mark.parametrize("link", LINKS)
def test_float32_agrees_with_exact_arithmetic_for_narrow_classes_and_distant_scores(link):
    loss = CumulativeLinkLoss(K, link, reduction="none")
    with torch.no_grad():  # a class of width 1, one of 1e-8 and one of 9
        loss.biases.theta.copy_(torch.tensor([1.0, 1e-4, 3.0]))
    scores = torch.tensor([-6.0, -2.5, 0.0, 0.9, 1.0, 2.0, 4.7, 10.0, 13.0, 16.0])
    scores = scores.repeat_interleave(K).requires_grad_()
    target = torch.arange(K).repeat(10)
    result = loss(scores, target)
    (slopes,) = torch.autograd.grad(result.sum(), scores)
    below, above = EXACT[link]
    with mpmath.workdps(100):
        gaps = [mpmath.mpf(theta) ** 2 for theta in loss.biases.theta.tolist()]
        edges = [0, gaps[0], gaps[0] + gaps[1], sum(gaps)]

        def expected(score, k):
            if k in (0, K - 1):
                return -mpmath.log(below(edges[0] - score) if k == 0 else above(edges[-1] - score))
            low, high = edges[k - 1] - score, edges[k] - score
            is_left = low + high < 0
            return -mpmath.log(below(high) - below(low) if is_left else above(low) - above(high))

        for score, k, value, slope in zip(
            scores.tolist(), target.tolist(), result.tolist(), slopes.tolist(), strict=True
        ):
            assert value == pytest.approx(float(expected(score, k)), rel=3e-6, abs=3e-6)
            nearby = mpmath.mpf(10) ** -30
            rise = expected(score + nearby, k) - expected(score - nearby, k)
            assert slope == pytest.approx(float(rise / 2 / nearby), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("far", [50.0, 1e3, 1e6, 1e9])
def test_float32_stays_finite_and_points_back_far_from_the_biases(link, far):
    loss = CumulativeLinkLoss(K, link, reduction="none")
    scores = torch.tensor([-far, far]).repeat_interleave(K).requires_grad_()
    result = loss(scores, torch.arange(K).repeat(2))
    slopes, by_biases = torch.autograd.grad(result.sum(), [scores, loss.biases.theta])
    assert result.isfinite().all()
    assert by_biases.isfinite().all()
    assert (slopes[1:K] < 0).all()  # too low for any class but the first
    assert (slopes[K:-1] > 0).all()
    assert slopes.square().isfinite().all()  # optimisers square gradients


@pytest.mark.parametrize("loss", named(all_losses()))
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_scores_are_added_up_in_float32(loss, dtype):
    scores, target = some_rows()
    inputs = inputs_for(loss, scores).to(dtype)
    result = loss(inputs, target)
    assert result.dtype == torch.float32
    assert torch.equal(result, loss(inputs.float(), target))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(loss(inputs, target), result)


@pytest.mark.parametrize("loss", named(all_losses()))
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_a_class_weight_of_2_equals_repeated_rows(loss, reduction):
    scores, target = some_rows()
    inputs, loss.reduction = inputs_for(loss, scores), reduction
    weights = torch.tensor([1.0, 2.0, 1.0, 2.0, 1.0])
    times = weights[target].long()
    repeated = loss(inputs.repeat_interleave(times, dim=0), target.repeat_interleave(times))
    loss.weight = weights
    torch.testing.assert_close(loss(inputs, target), repeated)
    loss.weight = None


@pytest.mark.parametrize("loss", named(all_losses(weight=[1.0, 2.0, 3.0, 4.0, 5.0])))
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_a_row_weight_of_2_equals_a_repeated_row(loss, reduction):
    scores, target = some_rows()
    inputs, loss.reduction = inputs_for(loss, scores), reduction
    times = torch.arange(len(target)) % 3
    repeated = loss(inputs.repeat_interleave(times, dim=0), target.repeat_interleave(times))
    torch.testing.assert_close(loss(inputs, target, times), repeated)
    soft = torch.nn.functional.one_hot(target, K).double()
    torch.testing.assert_close(loss(inputs, soft, times.double()), repeated)


def test_weights_of_rows_that_do_not_fit_are_named():
    scores, target = some_rows()
    with pytest.raises(ValueError, match=r"each of the 40 scores, got shape \(3,\)"):
        AbsoluteLoss(K)(scores, target, torch.ones(3))
    with pytest.raises(ValueError, match="sample_weight must be finite and not negative"):
        AbsoluteLoss(K)(scores, target, -torch.ones(40))
    with pytest.raises(TypeError, match="sample_weight must be a tensor, got list"):
        AbsoluteLoss(K)(scores, target, [1.0] * 40)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("biases", ["ordered", "free"])
def test_biases_that_start_at_the_shares_are_the_optimum_of_constant_scores(link, biases):
    counts = torch.tensor([7, 1, 20, 3, 9])
    loss = CumulativeLinkLoss(K, link, biases).double()
    loss.start_at_shares(counts)
    torch.testing.assert_close(
        loss.probabilities(torch.zeros(1, dtype=torch.float64))[0], counts.double() / counts.sum()
    )
    target = torch.arange(K).repeat_interleave(counts)
    loss(torch.zeros(len(target), dtype=torch.float64), target).backward()
    for parameter in loss.parameters():
        torch.testing.assert_close(parameter.grad, torch.zeros_like(parameter))


def test_biases_of_all_thresholds_start_at_the_optimum_of_constant_scores_too():
    counts = torch.tensor([7, 1, 20, 3, 9])
    loss = AllThresholdLoss(K, "logistic", "free").double()
    loss.start_at_shares(counts)
    target = torch.arange(K).repeat_interleave(counts)
    loss(torch.zeros(len(target), dtype=torch.float64), target).backward()
    torch.testing.assert_close(loss.biases.free.grad, torch.zeros(K - 1, dtype=torch.float64))


def test_a_class_without_rows_can_still_be_learned():
    loss = CumulativeLinkLoss(K)
    loss.start_at_shares(torch.tensor([5, 0, 5, 0, 0]))
    assert (loss.biases.gaps() > 0).all()
    assert torch.isfinite(loss.biases()).all()


def test_a_first_bias_at_zero_stays_there():
    loss = CumulativeLinkLoss(3, biases="ordered_from_zero").double()
    loss.start_at_shares(torch.tensor([0.25, 0.5, 0.25]))
    assert loss.biases().tolist() == pytest.approx([0.0, 2 * np.log(3)])


@pytest.mark.parametrize("counts", [[1.0, 2.0], [0.0] * K, [1.0, 1.0, 1.0, 1.0, -1.0]])
def test_counts_that_are_no_shares_of_the_classes_are_named(counts):
    with pytest.raises(ValueError, match="number of rows of each of the 5 classes"):
        CumulativeLinkLoss(K).start_at_shares(torch.tensor(counts))


@pytest.mark.parametrize("loss", named(all_losses(weight=[1.0, 2.0, 3.0, 4.0, 5.0])))
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_soft_labels_with_all_weight_on_one_class_are_that_class(loss, reduction):
    scores, target = some_rows()
    inputs, loss.reduction = inputs_for(loss, scores), reduction
    soft = torch.nn.functional.one_hot(target, K)
    torch.testing.assert_close(loss(inputs, soft.double()), loss(inputs, target))
    torch.testing.assert_close(loss(inputs, soft), loss(inputs, target))


@pytest.mark.parametrize("loss", named(all_losses(reduction="none")))
def test_the_loss_of_soft_labels_is_the_sum_over_classes(loss):
    scores, _ = some_rows()
    inputs = inputs_for(loss, scores)
    soft = torch.rand(len(scores), K, generator=torch.Generator().manual_seed(1)).double()
    classes = [torch.full((len(scores),), k) for k in range(K)]
    expected = sum(soft[:, k] * loss(inputs, classes[k]) for k in range(K))
    torch.testing.assert_close(loss(inputs, soft), expected)


@pytest.mark.parametrize("loss", named(all_losses(ignore_index=-100)))
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_rows_with_the_ignored_label_do_not_count(loss, reduction):
    scores, target = some_rows()
    loss.reduction = reduction
    ignored = torch.where(torch.arange(len(target)) % 3 == 0, -100, target)
    counts = ignored >= 0
    scores = torch.where(counts, scores, torch.inf).requires_grad_()  # whatever their scores are
    result = loss(inputs_for(loss, scores), ignored)
    expected = loss(inputs_for(loss, scores[counts]), target[counts])
    torch.testing.assert_close(result, expected)
    (slopes,) = torch.autograd.grad(result, scores)
    assert (slopes[~counts] == 0).all()
    assert (slopes[counts] != 0).any()


@pytest.mark.parametrize("loss", named(all_losses(ignore_index=-100)))
def test_a_batch_that_is_ignored_as_a_whole_teaches_nothing(loss):
    scores = torch.zeros(3, requires_grad=True)
    result = loss(inputs_for(loss, scores), torch.full((3,), -100))
    result.backward()
    assert result.item() == 0
    assert scores.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize("loss", named(all_losses()))
def test_scores_in_a_column_are_scores(loss):
    scores, target = some_rows()
    if not isinstance(loss, CornLoss):
        assert torch.equal(loss(scores[:, None], target), loss(scores, target))
    if hasattr(loss, "probabilities") and not isinstance(loss, CornLoss):
        assert torch.equal(loss.probabilities(scores[:, None]), loss.probabilities(scores))


def naive_corn(logits, target):
    """The loss as published: K - 1 binary problems, each on the rows that reach its class."""
    total, n = 0.0, 0
    for k in range(K - 1):
        for row, label in zip(logits.tolist(), target.tolist(), strict=True):
            if label >= k:
                chance = 1 / (1 + np.exp(-row[k]))
                total -= np.log(chance if label > k else 1 - chance)
                n += 1
    return total / n


def test_corn_is_the_mean_over_binary_problems_of_the_rows_that_reach_a_class():
    generator = torch.Generator().manual_seed(0)
    logits = 2 * torch.randn(30, K - 1, generator=generator, dtype=torch.float64)
    target = torch.randint(0, K, (30,), generator=generator)
    result = CornLoss(K)(logits, target).item()
    assert result == pytest.approx(naive_corn(logits, target), rel=1e-12)


def test_probabilities_of_corn_are_products_and_make_the_loss():
    generator = torch.Generator().manual_seed(0)
    logits = 2 * torch.randn(30, K - 1, generator=generator, dtype=torch.float64)
    loss = CornLoss(K, reduction="none")
    shares = loss.probabilities(logits)
    torch.testing.assert_close(shares.sum(1), torch.ones(30, dtype=torch.float64))
    target = torch.randint(0, K, (30,), generator=generator)
    picked = shares.gather(1, target[:, None]).squeeze(1)
    torch.testing.assert_close(-picked.log(), loss(logits, target))
    torch.testing.assert_close(loss.scores(logits), shares @ torch.arange(K).double())


def test_labels_of_corn_are_those_of_its_authors():
    generator = torch.Generator().manual_seed(0)
    logits = 2 * torch.randn(500, K - 1, generator=generator, dtype=torch.float64)
    # corn_label_from_logits of coral-pytorch 1.4
    expected = (torch.cumprod(torch.sigmoid(logits), dim=1) > 0.5).sum(dim=1)
    assert torch.equal(CornLoss(K).labels(logits), expected)


@pytest.mark.parametrize("act", ["forward", "probabilities", "scores", "labels"])
def test_corn_needs_an_output_for_each_class_but_the_last(act):
    rows = (torch.zeros(3), torch.zeros(3).long())[: 2 if act == "forward" else 1]
    with pytest.raises(ValueError, match=rf"shape \(n, {K - 1}\).*got \(3,\)"):
        getattr(CornLoss(K), act)(*rows)


def test_ordered_biases_never_cross():
    biases = CumulativeLinkLoss(K).biases
    with torch.no_grad():
        biases.first.fill_(-3.0)
        biases.theta.copy_(torch.tensor([-2.0, 0.0, 0.5]))
    assert biases().tolist() == [-3.0, 1.0, 1.0, 1.25]
    assert CumulativeLinkLoss(2).biases().tolist() == [0.0]


def test_biases_of_the_paper_start_at_zero():
    biases = CumulativeLinkLoss(K, biases="ordered_from_zero").biases
    assert [name for name, _ in biases.named_parameters()] == ["theta"]
    assert biases().tolist() == [0.0, 1.0, 2.0, 3.0]
    assert repr(biases) == "Biases(5, ordered=True, from_zero=True)"
    with pytest.raises(ValueError, match="from_zero is for ordered biases"):
        type(biases)(K, ordered=False, from_zero=True)


@pytest.mark.parametrize("biases", ["ordered", "free"])
def test_a_network_without_a_bias_learns_as_well_as_one_with_a_bias(biases):
    generator = torch.Generator().manual_seed(0)
    features = torch.randn(300, 2, generator=generator)
    target = (features.sum(1) + 0.5 * torch.randn(300, generator=generator) + 4).clamp(0, K - 1)
    reached = {}
    for bias in (True, False):
        torch.manual_seed(0)
        layer, loss = torch.nn.Linear(2, 1, bias=bias), CumulativeLinkLoss(K, biases=biases)
        parameters = [*layer.parameters(), *loss.parameters()]
        optimiser = torch.optim.LBFGS(parameters, max_iter=100, line_search_fn="strong_wolfe")

        def closure(optimiser=optimiser, layer=layer, loss=loss):
            optimiser.zero_grad()
            value = loss(layer(features), target.long())
            value.backward()
            return value

        optimiser.step(closure)
        reached[bias] = closure().item()
    assert reached[False] == pytest.approx(reached[True], abs=1e-4)


@pytest.mark.parametrize("link", LINKS)
def test_free_biases_that_crossed_are_pushed_back(link):
    loss = CumulativeLinkLoss(K, link, biases="free")
    with torch.no_grad():
        loss.biases.free.copy_(torch.tensor([0.0, 2.0, 1.0, 3.0]))
    before = loss(torch.tensor([1.5]), torch.tensor([2]))
    before.backward()
    assert before.isfinite()
    slopes = loss.biases.free.grad
    assert slopes[2] < 0 < slopes[1]  # a step down the slope widens the gap


def test_biases_can_be_shared_by_losses():
    biases = CumulativeLinkLoss(K).biases
    assert AllThresholdLoss(K, biases=biases).biases is biases
    with pytest.raises(ValueError, match="biases must be made for 3 classes, got biases for 5"):
        CumulativeLinkLoss(3, biases=biases)


@pytest.mark.parametrize("loss", named(all_losses(weight=[1.0, 2.0, 3.0, 4.0, 5.0])))
def test_a_loss_comes_back_from_its_state(loss, tmp_path):
    scores, target = some_rows()
    with torch.no_grad():
        for parameter in loss.parameters():
            parameter.add_(0.1)
    torch.save(loss.state_dict(), tmp_path / "loss.pt")
    options = {"weight": [0.0] * K}
    if hasattr(loss, "biases"):
        kind = getattr(loss, "link", None) or loss.surrogate
        biases = "ordered" if loss.biases.ordered else "free"
        again = type(loss)(K, kind, biases, **options)
    else:
        again = type(loss)(K, **options)
    again.load_state_dict(torch.load(tmp_path / "loss.pt", weights_only=True))
    inputs = inputs_for(loss, scores)
    assert torch.equal(again(inputs, target), loss(inputs, target))


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("n_classes", [2, K])
def test_probabilities_add_up_to_1_and_make_the_loss(link, n_classes):
    scores, target = some_rows()
    target = target.clamp(max=n_classes - 1)
    loss = CumulativeLinkLoss(n_classes, link, reduction="none").double()
    shares = loss.probabilities(scores)
    torch.testing.assert_close(shares.sum(1), torch.ones_like(scores))
    picked = shares.gather(1, target[:, None]).squeeze(1)
    torch.testing.assert_close(-picked.log(), loss(scores, target))


BAD_ROWS = {
    "columns": ((torch.zeros(3, 2), torch.zeros(3).long()), r"\(n,\) or \(n, 1\), got \(3, 2\)"),
    "labels": ((torch.zeros(3), torch.zeros(3, 1).long()), r"shape \(3, 1\).*target.squeeze\(1\)"),
    "soft": (
        (torch.zeros(3), torch.ones(3, 2)),
        r"\(3,\), or \(3, 5\) for soft labels, got \(3, 2\)",
    ),
    "negative": ((torch.zeros(1), -torch.ones(1, 5)), "finite and not negative"),
    "length": ((torch.zeros(3), torch.zeros(2).long()), r"each of the 3 scores, got shape \(2,\)"),
    "high": ((torch.zeros(2), torch.tensor([0, 9])), "classes from 0 to 4, got 9"),
    "low": ((torch.zeros(2), torch.tensor([0, -1])), "classes from 0 to 4, got -1"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_rows_that_do_not_fit_are_named(case):
    rows, message = BAD_ROWS[case]
    with pytest.raises(ValueError, match=message):
        CumulativeLinkLoss(K)(*rows)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((torch.zeros(2), torch.zeros(2)), "target must be whole numbers.*float32"),
        ((torch.zeros(2).long(), torch.zeros(2).long()), "input must be floats, got torch.int64"),
        ((np.zeros(2), torch.zeros(2).long()), "input must be a tensor, got ndarray.*as_tensor"),
        ((torch.zeros(2), np.zeros(2)), "target must be a tensor, got ndarray.*as_tensor"),
    ],
)
def test_rows_of_the_wrong_dtype_are_named(rows, message):
    with pytest.raises(TypeError, match=message):
        CumulativeLinkLoss(K)(*rows)


BAD_OPTIONS = {
    "link": (lambda: CumulativeLinkLoss(K, "logits"), 'Did you mean "logit"'),
    "surrogate": (lambda: AllThresholdLoss(K, "hing"), 'Did you mean "hinge"'),
    "reduction": (lambda: AbsoluteLoss(reduction="avg"), "reduction must be one of"),
    "biases": (lambda: ImmediateThresholdLoss(K, biases="orderd"), 'Did you mean "ordered"'),
    "weight": (lambda: CumulativeLinkLoss(K, weight=[1.0] * 4), "each of the 5 classes"),
    "negative": (lambda: AbsoluteLoss(weight=[1.0, -1.0]), "finite and not negative"),
    "absolute": (lambda: AbsoluteLoss(1), "at least 2, got 1"),
    "classes": (lambda: CumulativeLinkLoss(1), "at least 2, got 1"),
    "thresholds": (lambda: AbsoluteLoss().thresholds(), "n_classes or classes must be given"),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_options_that_do_not_exist_are_named(case):
    make, message = BAD_OPTIONS[case]
    with pytest.raises(ValueError, match=message):
        make()


def test_the_absolute_loss_checks_labels_if_it_knows_the_number_of_classes():
    scores, target = torch.zeros(2), torch.tensor([0, 9])
    assert AbsoluteLoss()(scores, target).item() == 4.5
    with pytest.raises(ValueError, match="classes from 0 to 4, got 9"):
        AbsoluteLoss(K)(scores, target)


def test_the_repr_of_a_loss_names_its_options():
    shown = repr(ordcut.torch.CumulativeLinkLoss(K, "probit"))
    assert "5, reduction='mean', link='probit'" in shown
    assert "Biases(5, ordered=True)" in shown
