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
    Biases,
    CumulativeLinkLoss,
    ImmediateThresholdLoss,
    class_probabilities,
)
from ordcut.torch.links import LINKS
from ordcut.torch.losses import SURROGATES

pytestmark = pytest.mark.usefixtures("one_torch_thread")

K = 5


def some_rows(n=40, seed=0, spread=2.0):
    generator = torch.Generator().manual_seed(seed)
    scores = spread * torch.randn(n, generator=generator, dtype=torch.float64) + 1.5
    target = torch.randint(0, K, (n,), generator=generator)
    target[:K] = torch.arange(K)
    return scores, target


def all_losses(**options):
    yield AbsoluteLoss(**options)
    for biases in ("ordered", "free"):
        for link in LINKS:
            yield CumulativeLinkLoss(K, link, biases, **options)
        for surrogate in SURROGATES:
            yield AllThresholdLoss(K, surrogate, biases, **options)
            yield ImmediateThresholdLoss(K, surrogate, biases, **options)


def named(losses):
    return [pytest.param(loss, id=f"{type(loss).__name__}-{i}") for i, loss in enumerate(losses)]


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
        return torch.func.functional_call(loss, given, (scores, target))

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
    found = loss(scores, target)
    (slopes,) = torch.autograd.grad(found.sum(), scores)
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
            scores.tolist(), target.tolist(), found.tolist(), slopes.tolist(), strict=True
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
    found = loss(scores, torch.arange(K).repeat(2))
    slopes, by_biases = torch.autograd.grad(found.sum(), [scores, loss.biases.theta])
    assert found.isfinite().all()
    assert by_biases.isfinite().all()
    assert (slopes[1:K] < 0).all()  # too low for any class but the first
    assert (slopes[K:-1] > 0).all()
    assert slopes.square().isfinite().all()  # optimisers square gradients


@pytest.mark.parametrize("loss", named(all_losses()))
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_scores_are_added_up_in_float32(loss, dtype):
    scores, target = some_rows()
    scores = scores.to(dtype)
    found = loss(scores, target)
    assert found.dtype == torch.float32
    assert torch.equal(found, loss(scores.float(), target))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(loss(scores, target), found)


@pytest.mark.parametrize("loss", named(all_losses(reduction="none")))
def test_a_class_weight_of_2_equals_repeated_rows(loss):
    scores, target = some_rows()
    plain = loss(scores, target)
    weights = torch.tensor([1.0, 2.0, 1.0, 2.0, 1.0])
    loss.weight, times = weights, weights[target].long()
    repeated = plain.repeat_interleave(times)
    torch.testing.assert_close(loss(scores, target), plain * times)
    loss.reduction = "sum"
    torch.testing.assert_close(loss(scores, target), repeated.sum())
    loss.reduction = "mean"
    torch.testing.assert_close(loss(scores, target), repeated.mean())


def test_ordered_biases_never_cross():
    biases = Biases(K)
    with torch.no_grad():
        biases.theta.copy_(torch.tensor([-2.0, 0.0, 0.5]))
    assert biases().tolist() == [0.0, 4.0, 4.0, 4.25]
    assert Biases(2)().tolist() == [0.0]


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
    biases = Biases(K)
    losses = [CumulativeLinkLoss(K, biases=biases), AllThresholdLoss(K, biases=biases)]
    assert all(loss.biases is biases for loss in losses)
    with pytest.raises(ValueError, match="biases must be made for 3 classes, got some for 5"):
        CumulativeLinkLoss(3, biases=biases)


@pytest.mark.parametrize("loss", named(all_losses(weight=[1.0, 2.0, 3.0, 4.0, 5.0])))
def test_a_loss_comes_back_from_its_state(loss, tmp_path):
    scores, target = some_rows()
    with torch.no_grad():
        for parameter in loss.parameters():
            parameter.add_(0.1)
    torch.save(loss.state_dict(), tmp_path / "loss.pt")
    options = {"weight": [0.0] * K}
    if not isinstance(loss, AbsoluteLoss):
        kind = getattr(loss, "link", None) or loss.surrogate
        biases = "ordered" if loss.biases.ordered else "free"
        again = type(loss)(K, kind, biases, **options)
    else:
        again = AbsoluteLoss(**options)
    again.load_state_dict(torch.load(tmp_path / "loss.pt", weights_only=True))
    assert torch.equal(again(scores, target), loss(scores, target))


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
    assert torch.equal(shares, class_probabilities(scores, loss.biases, link))


@pytest.mark.parametrize("loss", named(all_losses()))
def test_learning_brings_a_loss_down(loss):
    generator = torch.Generator().manual_seed(0)
    features = torch.randn(200, 3, generator=generator)
    target = (features.sum(1) + 2).clamp(0, K - 1).long()
    layer = torch.nn.Linear(3, 1)
    optimiser = torch.optim.Adam([*layer.parameters(), *loss.parameters()], lr=0.1)
    values = []
    for _ in range(25):
        optimiser.zero_grad()
        value = loss(layer(features).squeeze(1), target)
        value.backward()
        optimiser.step()
        values.append(value.item())
    assert values[-1] < 0.8 * values[0]


BAD_ROWS = {
    "column": ((torch.zeros(3, 1), torch.zeros(3).long()), r"shape \(n,\).*input.squeeze\(1\)"),
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
    "classes": (lambda: CumulativeLinkLoss(1), "at least 2, got 1"),
    "probabilities": (lambda: class_probabilities(torch.zeros(1), Biases(3), "log"), "link must"),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_options_that_do_not_exist_are_named(case):
    make, message = BAD_OPTIONS[case]
    with pytest.raises(ValueError, match=message):
        make()


def test_the_repr_of_a_loss_names_its_options():
    shown = repr(ordcut.torch.CumulativeLinkLoss(K, "probit"))
    assert "5, reduction='mean', link='probit'" in shown
    assert "Biases(5, ordered=True)" in shown
