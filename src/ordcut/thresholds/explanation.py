"""A result in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ordcut.thresholds.result import Thresholds

#: What objectives are called in a sentence.
PHRASES = {
    "absolute": "a mean absolute loss of {}",
    "squared": "a mean squared loss of {}",
    "zero_one": "an error rate of {}",
    "kappa": "a kappa of {}",
    "linear_kappa": "a linearly weighted kappa of {}",
    "quadratic_kappa": "a quadratically weighted kappa of {}",
}


def explain(thresholds: Thresholds) -> str:
    """Return what the rule is, what it reaches, and why nothing is better or that it was given."""
    sentences = [_rule(thresholds)]
    never = thresholds.never_predicted
    if never:
        names = " and ".join(str(name) for name in never)
        sentences.append(f"No score is labelled {names}: on the data, that would only cost more.")
    if not np.isnan(thresholds.value):
        phrase = PHRASES.get(thresholds.objective, f"a value of {{}} by {thresholds.objective}")
        reached = phrase.format(f"{thresholds.value:.6g}")
        sentences.append(
            f"On the data that they were found on, these thresholds reach {reached}."
            if not thresholds.certificate.startswith("none")
            else f"On the data that they were judged on, these thresholds reach {reached}."
        )
    sentences.append(_reason(thresholds.certificate))
    return "\n".join(sentences)


def _rule(thresholds: Thresholds) -> str:
    edges, names = thresholds.thresholds.tolist(), thresholds.classes.tolist()
    parts = []
    for name, low, high in zip(names, [-np.inf, *edges], [*edges, np.inf], strict=True):
        if low == high:
            continue
        if low == -np.inf:
            parts.append(f"below {high:.6g} is labelled {name}" if high < np.inf else f"{name}")
        elif high == np.inf:
            parts.append(f"from {low:.6g} on it is {name}")
        else:
            parts.append(f"from {low:.6g} to below {high:.6g} it is {name}")
    if len(parts) == 1:
        return f"Every score is labelled {parts[0]}."
    return f"A score {'; '.join(parts)}."


def _reason(certificate: str) -> str:
    if certificate.startswith("none"):
        return f"They are not claimed to be optimal: {certificate.removeprefix('none: ')}."
    proof, is_smoothed, amount = certificate.partition(", of labels smoothed by ")
    if is_smoothed:
        return (
            f"They are optimal for labels of which a model gives the share {amount}, so that they "
            f"follow noise less ({proof}); on the labels as observed, others may do better."
        )
    return f"No other thresholds do better there: {certificate}."
