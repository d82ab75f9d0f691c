"""The CORN loss: an output per threshold, for the conditional probability of a higher class."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from ordcut._core.objectives import ObjectiveLike, resolve_objective
from ordcut.torch.batches import check_tensor
from ordcut.torch.biases import at_least_float32
from ordcut.torch.labelings import cheapest_labels, check_not_nan
from ordcut.torch.losses import OrdinalLoss


class CornLoss(OrdinalLoss):
    """The loss of CORN: conditional probabilities from K - 1 outputs per row.

    Output ``k`` is the logit of ``P(class > k | class >= k)``. Each is learned on the rows whose
    class is at least ``k``, and the mean is over all outputs and their rows, as published by
    Shi, Cao and Raschka (Pattern Analysis and Applications, 2023). Products of these probabilities
    are consistent without any constraint on the weights.

    Thresholds need one score per row. ``loss.scores(outputs)`` is the expected class, from 0 to
    K - 1 or between the values of ``classes``: pass that to a :class:`ThresholdTracker`.

    Parameters
    ----------
    n_classes : int
        The number of classes, K.
    weight, ignore_index, classes
        As in :class:`AbsoluteLoss`.
    reduction : {"mean", "sum", "none"}
        What is returned: the weighted mean over outputs and rows, the weighted sum, or the sum over
        the outputs of each row.

    Examples
    --------
    >>> import torch
    >>> from ordcut.torch import CornLoss
    >>> loss = CornLoss(n_classes=3)
    >>> outputs = torch.tensor([[-4.0, 0.0], [4.0, -4.0], [4.0, 4.0]])
    >>> loss(outputs, torch.tensor([0, 1, 2])).item()
    0.0181...
    >>> loss.scores(outputs).round(decimals=2)
    tensor([0.0300, 1.0000, 1.9500])
    """

    n_classes: int

    @property
    def n_outputs(self) -> int:
        """The number of outputs per row, K - 1."""
        return self.n_classes - 1

    def losses(self, scores: Tensor, target: Tensor) -> Tensor:
        """Return the sum of each row's losses over the outputs that its class is learned by."""
        output = torch.arange(self.n_outputs, device=target.device)
        truth = target[..., None]
        losses = functional.softplus(torch.where(truth > output, -scores, scores))
        return torch.where(truth >= output, losses, torch.zeros_like(losses)).sum(dim=-1)

    def n_terms(self, target: Tensor) -> Tensor:
        """Return the number of outputs that learn from a row of each class."""
        return (target + 1).clamp(max=self.n_outputs)

    def probabilities(self, input: Tensor) -> Tensor:
        """Return the probability of each class, (n, K), given the outputs of a network.

        Examples
        --------
        >>> import torch
        >>> from ordcut.torch import CornLoss
        >>> CornLoss(3).probabilities(torch.zeros(1, 2))
        tensor([[0.5000, 0.2500, 0.2500]])
        """
        logits = self._read(input)
        exceeds = torch.cumsum(functional.logsigmoid(logits), dim=1)
        reaches = functional.pad(exceeds, (1, 0))  # every row reaches class 0
        stops = functional.pad(functional.logsigmoid(-logits), (0, 1))  # none passes the last class
        return torch.exp(reaches + stops)

    def scores(self, input: Tensor) -> Tensor:
        """Return the expected class of each row, (n,), given the outputs of a network."""
        exceeds = torch.exp(torch.cumsum(functional.logsigmoid(self._read(input)), dim=1))
        positions = torch.arange(self.n_classes, device=exceeds.device)
        numbers = self.coding.numbers(positions, exceeds.dtype)
        return numbers[0] + (exceeds * torch.diff(numbers)).sum(dim=1)

    def labels(self, input: Tensor, objective: ObjectiveLike = "absolute") -> Tensor:
        """Return the class of least expected cost for each row, given the outputs of a network.

        ``objective`` is the cost, as in :func:`ordcut.optimal_thresholds`; for a kappa, the cost
        that it is made of. With ``"absolute"``, the default, these are the labels that CORN's
        authors use (``corn_label_from_logits`` in coral-pytorch): how many of the probabilities
        ``P(class > k)`` are above 0.5.

        Examples
        --------
        >>> import torch
        >>> from ordcut.torch import CornLoss
        >>> CornLoss(3).labels(torch.tensor([[-4.0, 0.0], [4.0, -4.0], [4.0, 4.0]]))
        tensor([0, 1, 2])
        """
        check_not_nan(self.scores(input))
        cost = resolve_objective(objective, self.coding.classes)
        return self.coding.decode(cheapest_labels(self.probabilities(input), cost))

    def _read(self, outputs: Tensor) -> Tensor:
        check_tensor(outputs, "input")
        if outputs.dim() != 2 or outputs.shape[1] != self.n_outputs:
            raise ValueError(
                f"input must be of shape (n, {self.n_outputs}), one output per row for each class "
                f"but the last, got {tuple(outputs.shape)}."
            )
        return at_least_float32(outputs)
