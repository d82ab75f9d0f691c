"""A result in plain words: the rule, what it reaches, why nothing is better, how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.data import ClassShares
from ordcut._core.errors import MOST_SHOWN, both_ends, listed, marks_escaped
from ordcut._core.thresholds.certificate import reason
from ordcut._core.thresholds.outcomes import joint_confidence, percent

if TYPE_CHECKING:
    from ordcut._core.thresholds.outcomes import ConstraintOutcome
    from ordcut._core.thresholds.result import Thresholds
    from ordcut._core.uncertainty import Bootstrap

#: What objectives are called in a sentence.
PHRASES = {
    "absolute": "a mean absolute error of {}",
    "squared": "a mean squared error of {}",
    "zero_one": "an error rate of {}",
    "beyond_one": "a share of rows more than one class off of {}",
    "macro_mae": "a mean absolute error, averaged over the classes, of {}",
    "balanced_zero_one": "an error rate, averaged over the classes, of {}",
    "kappa": "a kappa of {}",
    "linear_kappa": "a linearly weighted kappa of {}",
    "quadratic_kappa": "a quadratically weighted kappa of {}",
    "macro_f1": "a mean F1 of the classes of {}",
    "weighted_f1": "an F1 of {}, averaged over the rows",
    "geometric_recall": "a geometric mean of the recalls of {}",
    "min_recall": "a recall of at least {} in every class",
    "log_loss": "a log loss of {}",
    "poisson": "a mean Poisson deviance of {}",
    "squared_error": "a mean squared error of {}",
    "information_value": "an information value of {}",
    "gini": "a Gini coefficient of {}",
}

#: The number of characters that are shown of a constraint that lists values.
LONGEST = 100

#: The level of the intervals.
LEVEL = 0.95


def explain(thresholds: Thresholds, bootstrap: Bootstrap | None = None) -> str:
    """Return what the rule is, what it reaches, why nothing is better, and how sure that is."""
    sentences = explained(thresholds)
    if bootstrap is not None:
        pairs, ends = bootstrap.intervals(LEVEL).tolist(), bootstrap.value_interval(LEVEL).tolist()
        sentences.append(how_sure(LEVEL, pairs, ends))
    elif thresholds.origin is not None:
        sentences.append(
            "For confidence intervals on new data, pass result.bootstrap() to explain()."
        )
    return "\n".join(sentences)


def explained(thresholds: Thresholds) -> list[str]:
    """Return the sentences that need no bootstrap."""
    sentences = [_rule(thresholds)]
    never = thresholds.never_predicted
    if never:
        names = " and ".join(map(str, never)) if len(never) <= MOST_SHOWN else listed(never)
        is_free = thresholds.proof.is_for_observed_labels and not thresholds.constraints
        why = ": that would not improve the value on the data" if is_free else ""
        sentences.append(f"No score is labelled {names}{why}.")
    if not np.isnan(thresholds.value):
        reached = phrase(thresholds.objective, f"{thresholds.value:.6g}")
        reached += _population(thresholds)
        sentences.append(
            f"On the data that they were found on, these thresholds reach {reached}."
            if thresholds.proof.verified != "given"
            else f"On the data that they were judged on, these thresholds reach {reached}."
        )
    if thresholds.constraints:
        kept = "; ".join(map(_outcome, thresholds.constraints))
        sentences.append(f"They keep the constraints: {kept}.")
    joint = joint_confidence(thresholds.constraints)
    if joint is not None:
        sentences.append(
            f"With at least {percent(joint)} confidence, all limits that have a confidence hold on "
            "new rows of the same kind, if the model of the scores was not fitted to these rows."
        )
    sentences.append(reason(thresholds))
    return [*map(marks_escaped, sentences)]


def _population(thresholds: Thresholds) -> str:
    """Return for which population a value is, if it is not for the rows as they are."""
    origin = thresholds.origin
    shares = None if origin is None else origin.objective.class_weight
    return f" where the shares of the classes are {shares}" * isinstance(shares, ClassShares)


def phrase(objective: str, value: str) -> str:
    """Return what an objective is called in a sentence, with its value."""
    loss, _, review = objective.partition(", review at ")
    if review:
        return f"{phrase(loss, value)}, where each review costs {review}"
    return (
        PHRASES[loss].format(value)
        if loss in PHRASES
        else f"a value of {value} (objective: {loss})"
    )


def how_sure(level: float, intervals: Sequence[Any], value: Sequence[Any]) -> str:
    """Return intervals of thresholds and of their value in words; infinite ends may be text.

    Examples
    --------
    >>> how_sure(0.95, [[1.4, "inf"]], [0.1, 0.2])[:67]
    'With 95 % confidence, on new data the value is between 0.1 and 0.2,'
    """
    ranges = [_between(*map(float, pair)) for pair in intervals]
    ranges, last = ranges[:-1], ranges[-1]
    where = f"{', '.join(ranges)} and {last}" if ranges else last
    best = "the best thresholds are" if ranges else "the best threshold is"
    low, high = map(float, value)
    return (
        f"With {level:.0%} confidence".replace("%", " %")
        + f", on new data the value is {_between(low, high)}, and {best} {where}."
    )


def _between(low: float, high: float) -> str:
    if np.isinf(low) and np.isinf(high):
        return "anywhere"
    if np.isinf(low):
        return f"below {high:.6g}"
    return f"above {low:.6g}" if np.isinf(high) else f"between {low:.6g} and {high:.6g}"


def _outcome(outcome: ConstraintOutcome) -> str:
    """Return a constraint with the number that it has reached."""
    reached = outcome.reached
    is_number = isinstance(reached, float) and not np.isnan(reached)
    text = outcome.limit if len(outcome.limit) <= LONGEST else f"{outcome.limit[:LONGEST]} ..."
    promise = "" if outcome.promise is None else f", {outcome.promise}"
    return f"{text} ({reached:.6g} reached{promise})" if is_number else text


def _rule(thresholds: Thresholds) -> str:
    edges, names = thresholds.thresholds.tolist(), thresholds.decisions.tolist()
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
    return f"A score {'; '.join(both_ends(parts, f'... ({len(parts)} labels in all)'))}."
