"""Constraints on what is decided: shares, counts, recall, precision."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ordcut._core.data import ClassShares, Groups, plain_value
from ordcut._core.limits.form import Form
from ordcut._core.limits.forms import Distance, Interval, Limits, Ratio
from ordcut._core.limits.grid import Grid
from ordcut._core.limits.names import Names
from ordcut._core.limits.sequence import PromisedPrecision
from ordcut._core.numerics.exact import as_fraction
from ordcut._core.objectives import Objective
from ordcut._core.typing import Array, ArrayLike

#: All forms, which are all that the rest of the library knows of constraints.
FORMS = (Ratio, PromisedPrecision, Interval, Grid, Distance)


@dataclass(frozen=True)
class Constraint(ABC):
    """A limit on thresholds or on decisions.

    A subclass has a ``word``, which its text starts with, and the ``largest`` limit it can have,
    and lowers itself to a form, which is all that the rest of the library knows of it.
    """

    word: ClassVar[str]
    largest: ClassVar[float] = 1.0

    @abstractmethod
    def lower(self, names: Names) -> Form:
        """Return the constraint as a form over the named classes and decisions."""

    @property
    def group(self) -> Any:
        """The group of rows that the limit is about; None for all rows."""
        return getattr(self, "where", None)

    def __repr__(self) -> str:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        listed = [f"{name}={value!r}" for name, value in given.items() if value is not None]
        return f"{type(self).__name__}({', '.join(listed)})"


@dataclass(frozen=True, repr=False)
class _OfDecision(Constraint):
    """A lower limit, an upper limit or both on a decision."""

    decision: Any
    at_least: float | None = None
    at_most: float | None = None
    confidence: float | None = None
    where: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "decision", plain_value(self.decision))
        check_limits(self)

    def __str__(self) -> str:
        return f"{self.word} {self.decision} {sides_text(self)}"


@dataclass(frozen=True, repr=False)
class _OfClass(Constraint):
    """A limit on decisions below or above a class."""

    cls: Any
    at_most: float
    confidence: float | None = None
    where: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "cls", plain_value(self.cls))
        check_limits(self)

    def __str__(self) -> str:
        return f"{self.word} {self.cls} {sides_text(self)}"


@dataclass(frozen=True, repr=False)
class Recall(_OfDecision):
    """Limits on a recall: of the rows of a class, the share that get the decision of that name.

    Where there are reviews, a reviewed row counts as missed, unless the review is named: as
    ``"high or its review"`` for the highest class.

    Parameters
    ----------
    decision : object
        The decision, or class, or its text; or a group such as ``"mid or higher"``.
    at_least, at_most : float from 0 to 1, optional
        Either limit, or both. A class without rows satisfies them.
    confidence : float between 0 and 1, optional
        The probability, over the rows at hand, with which the limit holds on new rows of the same
        kind. Without it, the limit is on the rows at hand.
    where : object, optional
        The group in which the limit holds, if ``groups`` are passed: its name, or the name of their
        column and its name, as ``"sex = F"``. Without it, the limit is on the rows of all groups.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 0, 1]
    >>> ordcut.optimal_thresholds(
    ...     scores, labels, constraints=[ordcut.Recall(1, at_least=1)]).thresholds
    array([2.5])
    """

    word: ClassVar[str] = "recall"

    def lower(self, names: Names) -> Ratio:
        """Return the share of the class that gets its decision."""
        right, truth, _ = names.cells_of(self.decision)
        return Ratio(right, truth, self.at_least, self.at_most, self.confidence)


@dataclass(frozen=True, repr=False)
class Specificity(_OfDecision):
    """Limits on a specificity: of the rows of all other classes, the share not decided as a class.

    One minus it is the false positive rate. Where there are reviews, a reviewed row of another
    class is not decided as the class.

    Parameters
    ----------
    decision : object
        The decision, or class, or its text; or a group such as ``"mid or higher"``.
    at_least, at_most : float from 0 to 1, optional
        Either limit, or both. They hold if all rows are of the class.
    confidence, where : optional
        As in :class:`Recall`.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1]
    >>> ordcut.optimal_thresholds(scores, labels, constraints=["specificity 1 >= 1"]).thresholds
    array([4.5])
    """

    word: ClassVar[str] = "specificity"

    def lower(self, names: Names) -> Ratio:
        """Return the share of the other classes that does not get the decision."""
        _, truth, decided = names.cells_of(self.decision)
        others = names.cells() - truth
        return Ratio(others * (1 - decided), others, self.at_least, self.at_most, self.confidence)


@dataclass(frozen=True, repr=False)
class Precision(_OfDecision):
    """Limits on a precision: of the rows that get a decision, the share of the class of that name.

    Parameters
    ----------
    decision : object
        The decision, or class, or its text.
    at_least, at_most : float from 0 to 1, optional
        Either limit, or both. A decision that no row gets satisfies them, unless there is a
        confidence.
    confidence, where : optional
        As in :class:`Recall`. Only a minimum can have a confidence, and only of the lowest or the
        highest decision, or of a group at an end.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1]
    >>> ordcut.optimal_thresholds(
    ...     scores, labels, constraints=[ordcut.Precision(1, at_least=0.75)]).thresholds
    array([5.5])
    """

    word: ClassVar[str] = "precision"

    def lower(self, names: Names) -> Ratio | PromisedPrecision:
        """Return the share of the decision that is of its class."""
        right, _, decided = names.cells_of(self.decision)
        ratio = Ratio(right, decided, self.at_least, self.at_most)
        return ratio if self.confidence is None else PromisedPrecision(ratio, self.confidence)


@dataclass(frozen=True, repr=False)
class Lift(_OfDecision):
    """Limits on the lift of a decision: its precision over the share of its class among all rows.

    Parameters
    ----------
    decision : object
        The decision, or class, or its text.
    at_least, at_most : float, optional
        Either limit, or both: ``at_least=2`` if the class must be twice as frequent among the rows
        that get the decision as among all rows. A decision that no row gets satisfies them, and so
        does a class without rows.
    where : object, optional
        As in :class:`Recall`.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1]
    >>> ordcut.optimal_thresholds(
    ...     scores, labels, constraints=[ordcut.Lift(1, at_least=1.5)]).thresholds
    array([5.5])
    """

    word: ClassVar[str] = "lift"
    largest: ClassVar[float] = np.inf

    def lower(self, names: Names) -> Ratio:
        """Return the precision of the decision, as a multiple of the share of its class."""
        right, truth, decided = names.cells_of(self.decision)
        base = np.stack([truth[0], names.cells()[0]])
        return Ratio(right, decided, self.at_least, self.at_most, self.confidence, base)


@dataclass(frozen=True, repr=False)
class F1(_OfDecision):
    """Limits on the F1 of a decision: the harmonic mean of its precision and its recall.

    Parameters
    ----------
    decision : object
        The decision, or class, or its text.
    at_least, at_most : float from 0 to 1, optional
        Either limit, or both. A class without rows satisfies them if no row gets the decision.
    where : object, optional
        As in :class:`Recall`.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1]
    >>> ordcut.optimal_thresholds(
    ...     scores, labels, constraints=[ordcut.F1(1, at_least=0.75)]).thresholds
    array([1.5])
    """

    word: ClassVar[str] = "f1"

    def lower(self, names: Names) -> Ratio:
        """Return twice the right rows over the sum of the decision's and the class's rows."""
        right, truth, decided = names.cells_of(self.decision)
        return Ratio(2 * right, decided + truth, self.at_least, self.at_most, self.confidence)


@dataclass(frozen=True, repr=False)
class Share(_OfDecision):
    """Limits on the share of all rows that get a decision.

    Parameters
    ----------
    decision : object
        The decision, or class, or its text.
    at_least, at_most : float from 0 to 1, optional
        Either limit, or both.
    confidence, where : optional
        As in :class:`Recall`.

    Examples
    --------
    >>> import ordcut
    >>> ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4], [0, 1, 1, 1], constraints=[ordcut.Share(1, at_most=0.5)]).thresholds
    array([2.5])
    """

    word: ClassVar[str] = "share"

    def lower(self, names: Names) -> Ratio:
        """Return the share of all rows that get the decision."""
        part = names.cells(decisions=names.decision(self.decision))
        return Ratio(part, names.cells(), self.at_least, self.at_most, self.confidence)


@dataclass(frozen=True, repr=False)
class Count(_OfDecision):
    """Limits on the number of rows that get a decision, or on their total weight.

    Parameters
    ----------
    decision : object
        The decision, or class, or its text.
    at_least, at_most : float, optional
        Either limit, or both.
    confidence, where : optional
        As in :class:`Recall`.

    Examples
    --------
    >>> import ordcut
    >>> ordcut.optimal_thresholds(
    ...     [1, 2, 3, 4], [0, 1, 1, 1], constraints=[ordcut.Count(1, at_most=1)]).thresholds
    array([3.5])
    """

    word: ClassVar[str] = "count"
    largest: ClassVar[float] = np.inf

    def lower(self, names: Names) -> Ratio:
        """Return the weight of the rows that get the decision."""
        part = names.cells(decisions=names.decision(self.decision))
        return Ratio(part, None, self.at_least, self.at_most, self.confidence)


@dataclass(frozen=True, repr=False)
class Under(_OfClass):
    """A limit on decisions that are too low: of the rows of a class or higher, the share below it.

    Parameters
    ----------
    cls : object
        The class or its text. A review between it and the class below is not lower.
    at_most : float from 0 to 1
        The largest share.
    confidence, where : optional
        As in :class:`Recall`.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 0, 1]
    >>> ordcut.optimal_thresholds(scores, labels, constraints=["under 1 <= 0"]).thresholds
    array([2.5])
    """

    word: ClassVar[str] = "under"

    def lower(self, names: Names) -> Ratio:
        """Return the share of the class and higher classes that is decided lower."""
        truth = names.classes_from(self.cls)
        part = names.cells(decisions=names.decisions_below(self.cls), classes=truth)
        whole = names.cells(classes=truth)
        return Ratio(part, whole, at_most=self.at_most, confidence=self.confidence)


@dataclass(frozen=True, repr=False)
class Over(_OfClass):
    """A limit on decisions that are too high: of the rows of a class or lower, the share above it.

    Parameters
    ----------
    cls : object
        The class or its text. A review between it and the class above is not higher.
    at_most : float from 0 to 1
        The largest share.
    confidence, where : optional
        As in :class:`Recall`.

    Examples
    --------
    >>> import ordcut
    >>> scores, labels = [1, 2, 3, 4, 5, 6], [0, 1, 1, 0, 1, 1]
    >>> ordcut.optimal_thresholds(scores, labels, constraints=["over 0 <= 0"]).thresholds
    array([4.5])
    """

    word: ClassVar[str] = "over"

    def lower(self, names: Names) -> Ratio:
        """Return the share of the class and lower classes that is decided higher."""
        truth = names.classes_upto(self.cls)
        part = names.cells(decisions=names.decisions_above(self.cls), classes=truth)
        whole = names.cells(classes=truth)
        return Ratio(part, whole, at_most=self.at_most, confidence=self.confidence)


def limits_for(
    constraints: Sequence[Constraint],
    objective: Objective,
    classes: Array,
    groups: Groups | None = None,
) -> Limits | None:
    """Lower constraints for an objective over classes; None if there are no constraints.

    The shares of a population are part of the objective; other class weights leave limits alone.
    """
    if not constraints:
        return None
    limits = lower_all(constraints, Names.of(objective, classes, groups))
    shares = objective.class_weight
    return limits.in_population(shares) if isinstance(shares, ClassShares) else limits


def lower_all(constraints: Sequence[Constraint], names: Names) -> Limits:
    """Lower constraints to forms; an error if a constraint names something unknown."""
    forms = []
    for constraint in constraints:
        try:
            group = constraint.group
            form = constraint.lower(names if group is None else names.within(group))
        except ValueError as error:
            raise ValueError(f"constraint {str(constraint)!r} {error}") from error
        if not isinstance(form, FORMS):
            raise TypeError(
                f"constraint {str(constraint)!r} must be lowered to one of the forms Ratio, "
                "Interval, Grid and Distance of ordcut.limits, which limit one threshold or two "
                f"neighbours; got {form!r}. What ties other thresholds, such as a comparison of "
                "two decisions, has no form: limit each decision by itself."
            )
        forms.append(form)
    return Limits(len(names.decisions) - 1, tuple(constraints), tuple(forms), names)


def number_text(value: float) -> str:
    """Return the shortest text that is read back as the same number.

    Examples
    --------
    >>> number_text(0.9), number_text(2.0)
    ('0.9', '2')
    """
    return repr(float(value)).removesuffix(".0")


def sides_text(constraint: Any) -> str:
    """Return the limits of a constraint as text."""
    least = getattr(constraint, "at_least", None)
    most = getattr(constraint, "at_most", None)
    texts = [] if least is None else [f">= {number_text(least)}"]
    texts = texts if most is None else [*texts, f"<= {number_text(most)}"]
    group = "" if constraint.group is None else f" where {constraint.group}"
    return " and ".join(texts) + confidence_text(constraint) + group


def confidence_text(constraint: Any) -> str:
    """Return the confidence of a constraint as the end of its text; empty if it has none.

    Examples
    --------
    >>> confidence_text(Under(1, at_most=0.05, confidence=0.95))
    ' with 95 %'
    """
    confidence = getattr(constraint, "confidence", None)
    if confidence is None:
        return ""
    percent = number_text(float(100 * as_fraction(confidence)))
    is_same = float(Fraction(percent) / 100) == confidence
    return f" with {percent} %" if is_same else f" with {number_text(confidence)}"


def check_limits(constraint: Any) -> None:
    """Raise an error unless the limits of a constraint are valid numbers."""
    limits = {
        side: getattr(constraint, side)
        for side in ("at_least", "at_most")
        if getattr(constraint, side, None) is not None
    }
    name = type(constraint).__name__
    if not limits:
        raise ValueError(f"{name} must have at_least or at_most, got neither.")
    for side, limit in limits.items():
        check_number(side, limit)
        if isinstance(limit, np.number):
            object.__setattr__(constraint, side, limit.item())
        if not 0 <= limit <= constraint.largest or np.isinf(limit):
            upto = "from 0 to 1" if constraint.largest == 1 else "that is not negative"
            raise ValueError(f"{side} of {name} must be a number {upto}, got {limit!r}.")
    check_confidence(constraint.confidence)
    if constraint.group is not None and np.ndim(constraint.group) > 0:
        raise ValueError(
            f"where of {name} must be the name of a group, got one value for each of "
            f"{len(constraint.group)} rows. Pass these as groups=, and name the group: where=True "
            "for a mask."
        )
    if len(limits) == 2 and limits["at_least"] > limits["at_most"]:
        raise ValueError(
            f"at_least of {name} must not be above at_most, got {limits['at_least']!r} and "
            f"{limits['at_most']!r}."
        )


def check_confidence(confidence: float | None) -> None:
    """Raise an error unless a confidence is None or a number between 0 and 1."""
    if confidence is not None:
        check_number("confidence", confidence)
        if not 0 < confidence < 1:
            raise ValueError(
                f"confidence must be a number between 0 and 1, such as 0.95, got {confidence!r}."
            )


def refuse_confidence(constraints: Iterable[Any], reason: str) -> None:
    """Raise an error if a constraint has a confidence, which the rows cannot give for a reason."""
    for constraint in constraints:
        if getattr(constraint, "confidence", None) is not None:
            raise ValueError(f"constraint {str(constraint)!r} cannot have a confidence: {reason}")


def check_number(argument: str, value: ArrayLike) -> None:
    """Raise an error unless an argument of a constraint is a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or value != value:
        raise ValueError(f"{argument} must be a number, got {value!r}.")
