"""Losses that learn a score per row: their base classes, a likelihood, and a distance."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from ordcut._core.errors import unknown_name
from ordcut._core.objectives import ObjectiveLike, resolve_objective
from ordcut.torch.batches import check_tensor, read_batch, read_weights
from ordcut.torch.biases import BiasesLike, at_least_float32, make_biases
from ordcut.torch.coding import Classes, Positions, read_coding
from ordcut.torch.labelings import bias_thresholds, likelihood_labels, threshold_labels
from ordcut.torch.links import (
    LINKS,
    LinkName,
    check_link,
    class_probabilities,
    log_probabilities,
    pick,
)

Reduction: TypeAlias = Literal["mean", "sum", "none"]

REDUCTIONS = ("mean", "sum", "none")

#: The least share of a class that biases start at: a class without rows keeps a gap to learn.
LEAST_SHARE = 1e-4


class OrdinalLoss(nn.Module, ABC):
    """A loss of a score per row, ``loss(input, target)``, for targets 0..K-1 or given values.

    Whatever the dtype of the input, the loss is computed in float32 at least. The mean is
    weighted, as in ``torch.nn.CrossEntropyLoss``. The loss of soft labels is the sum of the
    losses of all classes, each times its share of the label. The parameters are as in
    :class:`AbsoluteLoss`.
    """

    # A module that has a loss can be scripted for its labels; the loss is not part of the script.
    __jit_unused_properties__ = ("n_outputs", "ignore_index")

    def __init__(
        self,
        n_classes: int | None = None,
        weight: Tensor | Sequence[float] | None = None,
        reduction: Reduction = "mean",
        ignore_index: int | None = None,
        *,
        classes: Classes | None = None,
    ) -> None:
        super().__init__()
        if reduction not in REDUCTIONS:
            raise unknown_name("reduction", reduction, REDUCTIONS)
        self.coding = read_coding(n_classes, classes, ignore_index)
        self.n_classes = self.coding.n_classes
        self.reduction = reduction
        if weight is not None:
            weight = torch.as_tensor(weight, dtype=torch.get_default_dtype())
            self._check_weight(weight)
            if self.n_classes is None:
                self.coding = Positions(len(weight), ignore_index)
        self.weight: Tensor | None
        self.register_buffer("weight", weight)

    def _check_weight(self, weight: Tensor) -> None:
        if weight.dim() != 1 or self.n_classes not in (None, len(weight)):
            must = "one number for each class"
            if self.n_classes is not None:
                must = f"one number for each of the {self.n_classes} classes"
            raise ValueError(f"weight must hold {must}, got shape {tuple(weight.shape)}.")
        if not bool((torch.isfinite(weight) & (weight >= 0)).all()):
            raise ValueError(f"weight must be finite and not negative, got {weight.tolist()}.")

    @property
    def ignore_index(self) -> int | None:
        """The label of rows to ignore."""
        return self.coding.ignore_index

    @ignore_index.setter
    def ignore_index(self, label: int | None) -> None:
        self.coding.ignore_index = label

    @property
    def n_outputs(self) -> int | None:
        """The number of outputs per row that the loss takes; None for a single score."""
        return None

    @abstractmethod
    def losses(self, scores: Tensor, target: Tensor) -> Tensor:
        """Return the loss of scores given classes, without weights; subclasses define it.

        ``scores`` are of shape (n, 1), or (n, 1, n_outputs), and ``target``, the positions of
        classes, is (n, 1) or (n, K).
        """

    def thresholds(self) -> Tensor:
        """Return the thresholds that belong to the loss, (K - 1,).

        They are the learned biases, in ascending order, if the loss has biases. A loss whose scores
        estimate the class rounds them: its thresholds are 0.5, 1.5, ..., K - 1.5, or lie halfway
        between the values of the classes.

        Examples
        --------
        >>> AbsoluteLoss(n_classes=3).thresholds()
        tensor([0.5000, 1.5000], dtype=torch.float64)
        >>> CumulativeLinkLoss(n_classes=3).thresholds()
        tensor([0., 1.])
        """
        return self.coding.midpoints()

    def labels(self, input: Tensor) -> Tensor:
        """Return the class of each row by the thresholds that belong to the loss.

        Examples
        --------
        >>> AbsoluteLoss(n_classes=3).labels(torch.tensor([0.2, 0.7, 9.0]))
        tensor([0, 1, 2])
        >>> AbsoluteLoss(classes=[0, 10, 30]).labels(torch.tensor([4.0, 19.0, 21.0]))
        tensor([ 0, 10, 30])
        """
        return self.coding.decode(threshold_labels(input, self.thresholds()))

    def n_terms(self, target: Tensor) -> Tensor:
        """Return how many terms of the mean a row of each class counts as, which is 1."""
        return torch.ones_like(target)

    @torch.jit.unused
    def forward(self, input: Tensor, target: Tensor, sample_weight: Tensor | None = None) -> Tensor:
        """Return the loss of scores, given the true classes.

        Parameters
        ----------
        input : tensor of shape (n_samples,) or (n_samples, 1)
            One score per row; higher means a higher class.
        target : tensor of shape (n_samples,), or tensor of shape (n_samples, n_classes)
            The true classes, 0..K-1 or values of ``classes``; or soft labels, a weight for each row
            and class.
        sample_weight : tensor of shape (n_samples,), optional
            How much each row counts; 1 by default. The mean is weighted.
        """
        coding = self.coding
        scores, target = read_batch(input, target, coding, n_outputs=self.n_outputs)
        scores = at_least_float32(scores)[:, None]
        if target.dim() == 2:
            shares = target.to(scores.dtype)
            classes = torch.arange(target.shape[1], device=target.device).expand_as(target)
        else:
            classes = target[:, None]
            shares = torch.ones_like(classes, dtype=scores.dtype)
            if coding.ignored is not None:
                is_ignored = classes == coding.ignored
                # Any class and score will do, as long as the loss and its slope are finite.
                classes = classes.masked_fill(is_ignored, 0)
                shares = shares.masked_fill(is_ignored, 0.0)
                is_ignored = is_ignored if scores.dim() == 2 else is_ignored[..., None]
                scores = scores.masked_fill(is_ignored, 0.0)
        if coding.n_classes is not None:
            # Where it cannot be an error, an unknown class must show in the loss.
            is_unknown = (classes < 0) | (classes >= coding.n_classes)
            classes = classes.masked_fill(is_unknown, 0)
            shares = shares.masked_fill(is_unknown, torch.nan)
        if self.weight is not None:
            shares = shares * pick(at_least_float32(self.weight), classes)
        if sample_weight is not None:
            shares = shares * read_weights(sample_weight, scores).to(scores.dtype)[:, None]
        losses = (self.losses(scores, classes) * shares).sum(dim=1)
        if self.reduction == "none":
            return losses
        if self.reduction == "sum":
            return losses.sum()
        total = (shares * self.n_terms(classes)).sum()
        return losses.sum() / torch.where(total == 0, torch.ones_like(total), total)

    def extra_repr(self) -> str:
        """Return the arguments for ``repr``."""
        classes = f"{self.coding}, " if str(self.coding) else ""
        return f"{classes}reduction={self.reduction!r}"


class AbsoluteLoss(OrdinalLoss):
    """The distance ``|target - input|``: scores that estimate the class itself.

    Parameters
    ----------
    n_classes : int, optional
        The number of classes, K. Without it, labels may be of any size.
    weight : tensor or sequence of shape (n_classes,), optional
        How much the rows of each class count.
    reduction : {"mean", "sum", "none"}
        What is returned: the weighted mean, the weighted sum, or the loss of each row.
    ignore_index : int, optional
        The label of rows to ignore, such as -100.
    classes : sequence of numbers, optional
        The values of the classes, in ascending order, instead of their number. Labels are then
        these values, as integers or floats, and ``labels`` returns them. Values that are not among
        the classes are an error on the CPU; on other devices their loss is NaN.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import AbsoluteLoss
    >>> AbsoluteLoss(n_classes=3)(torch.tensor([0.5, 2.0]), torch.tensor([0, 1]))
    tensor(0.7500)
    >>> AbsoluteLoss(classes=range(18, 71))(torch.tensor([20.5]), torch.tensor([23]))
    tensor(2.5000)
    """

    def losses(self, scores: Tensor, target: Tensor) -> Tensor:
        """Return the distance of each score to its class."""
        return (scores - self.coding.numbers(target, scores.dtype)).abs()


class BiasedLoss(OrdinalLoss):
    """The base class of losses with biases, which are parameters of the loss."""

    def __init__(
        self,
        n_classes: int | None,
        biases: BiasesLike,
        weight: Tensor | Sequence[float] | None,
        reduction: Reduction,
        ignore_index: int | None,
        classes: Classes | None,
    ) -> None:
        super().__init__(n_classes, weight, reduction, ignore_index, classes=classes)
        self.biases = make_biases(biases, len(self.coding.classes))

    def thresholds(self) -> Tensor:
        """Return the learned biases as thresholds, (K - 1,), in ascending order."""
        return bias_thresholds(self.biases)

    def start_at_shares(self, counts: Tensor) -> None:
        """Set the biases so that, at a score of 0, each class has the probability of its share.

        Call it before the training, whose first steps then need not find the shares. A loss of
        margins has no probabilities, and starts at the biases of ordinal logistic regression. A
        first bias that stays at 0 is not changed.

        Parameters
        ----------
        counts : tensor of shape (n_classes,)
            The number of rows of each class, or their shares; a share below 0.0001 is raised to it.

        Examples
        --------
        >>> loss = CumulativeLinkLoss(n_classes=3)
        >>> loss.start_at_shares(torch.bincount(torch.tensor([0, 1, 1, 2]), minlength=3))
        >>> loss.probabilities(torch.tensor([0.0])).detach()
        tensor([[0.2500, 0.5000, 0.2500]])
        """
        check_tensor(counts, "counts")
        counts = counts.double()
        is_valid = torch.isfinite(counts) & (counts >= 0)
        if counts.shape != (self.n_classes,) or not bool(is_valid.all() and counts.sum() > 0):
            raise ValueError(
                f"counts must hold the number of rows of each of the {self.n_classes} classes, got "
                f"{counts.tolist()}. Pass torch.bincount(labels, minlength={self.n_classes})."
            )
        shares = (counts / counts.sum()).clamp(min=LEAST_SHARE)
        below = torch.cumsum(shares / shares.sum(), 0)[:-1]
        self.biases.start_at(LINKS[getattr(self, "link", "logit")].quantile(below))


class CumulativeLinkLoss(BiasedLoss):
    """The negative log-likelihood of a cumulative model, such as ordinal logistic regression.

    A row of score ``a`` has a class of at most ``k`` with the probability ``F(b_k - a)``. The
    biases ``b`` are parameters of the loss: pass ``loss.parameters()`` to the optimiser as well.

    Parameters
    ----------
    n_classes : int
        The number of classes, K.
    link : {"logit", "probit", "cloglog", "loglog", "cauchit"}
        The distribution ``F``.
    biases : {"ordered", "free", "ordered_from_zero"} or module
        Ordered biases never cross; with ``"ordered_from_zero"`` the first bias stays at 0, and the
        network needs a bias in its last layer. Free biases can cross; where a gap is below 0.001,
        the loss rises linearly as the gap falls, which pushes the biases apart. ``loss.biases`` of
        another loss shares its biases.
    weight, reduction, ignore_index, classes
        As in :class:`AbsoluteLoss`.

    Attributes
    ----------
    biases : module
        Returns the biases, (K - 1,), when it is called; pass its parameters to the optimiser.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import CumulativeLinkLoss
    >>> loss = CumulativeLinkLoss(n_classes=3)
    >>> loss(torch.tensor([-2.0, 0.5, 900.0]), torch.tensor([0, 1, 2])).item()
    0.5112...
    """

    def __init__(
        self,
        n_classes: int | None = None,
        link: LinkName = "logit",
        biases: BiasesLike = "ordered",
        weight: Tensor | Sequence[float] | None = None,
        reduction: Reduction = "mean",
        ignore_index: int | None = None,
        *,
        classes: Classes | None = None,
    ) -> None:
        check_link(link)
        super().__init__(n_classes, biases, weight, reduction, ignore_index, classes)
        self.link = link

    def losses(self, scores: Tensor, target: Tensor) -> Tensor:
        """Return the negative log-likelihood of each row."""
        return -log_probabilities(scores, self.biases, target, self.link)

    def probabilities(self, input: Tensor) -> Tensor:
        """Return the probability of each class, (n, K), for scores of shape (n,) or (n, 1).

        Examples
        --------
        >>> CumulativeLinkLoss(n_classes=3).probabilities(torch.tensor([0.5])).detach()
        tensor([[0.3775, 0.2449, 0.3775]])
        """
        return class_probabilities(input, self.biases, self.link)

    def labels(self, input: Tensor, objective: ObjectiveLike = "absolute") -> Tensor:
        """Return the class of least expected cost for each score, under the model.

        Parameters
        ----------
        input : tensor of shape (n_samples,) or (n_samples, 1)
            The score of each row.
        objective : str, array-like of shape (K, K), callable, Kappa or Objective
            The cost, as in :func:`ordcut.optimal_thresholds`. A kappa is not an expected cost; the
            cost that it is made of is used instead.

        Returns
        -------
        int64 tensor of shape (n_samples,)
            Classes, the lowest of equally good classes.

        Examples
        --------
        >>> CumulativeLinkLoss(n_classes=3).labels(torch.tensor([-3.0, 0.5, 4.0]))
        tensor([0, 1, 2])
        >>> CumulativeLinkLoss(classes=[18, 20, 25]).labels(torch.tensor([-3.0, 0.5, 4.0]))
        tensor([18, 20, 25])
        """
        cost = resolve_objective(objective, self.coding.classes)
        return self.coding.decode(likelihood_labels(input, self.biases, cost, self.link))

    def extra_repr(self) -> str:
        """Return the arguments for ``repr``."""
        return f"{super().extra_repr()}, link={self.link!r}"


def loss_of(module: nn.Module, n_classes: int) -> BiasedLoss | None:
    """Return the only loss in a module with biases for ``n_classes`` classes, or None.

    Examples
    --------
    >>> loss_of(nn.ModuleList([AbsoluteLoss(3), CumulativeLinkLoss(3)]), 3).link
    'logit'
    """
    losses = [
        part
        for part in module.modules()
        if isinstance(part, BiasedLoss) and part.n_classes == n_classes
    ]
    if len(losses) > 1:
        warnings.warn(
            f"the module has {len(losses)} losses with biases for {n_classes} classes, so that "
            "labelings by biases and likelihood are left out.",
            stacklevel=2,
        )
    return losses[0] if len(losses) == 1 else None
