"""Why thresholds are optimal: what was verified, as data, and the words for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from reprlib import repr as short_repr
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from ordcut._core.thresholds.result import Thresholds

Verified = Literal[
    "nothing", "order", "convex", "up to scale", "equal errors", "segments", "constraints", "model",
    "given", "blocks", "pairs", "bounded",
]  # fmt: skip
Sums = Literal["exact", "engine", "float64"]

#: What was verified, in words: nothing, for a search over all ordered labelings; minima that come
#: out in order; the convexity of the cost; or equal costs of all errors.
PROOFS = {
    "nothing": "dynamic programme over all ordered labelings",
    "order": "ordered minima (Theorem 1)",
    "convex": "convex objective (Theorem 2)",
    "up to scale": "objective that is convex up to scale (Theorem 2)",
    "equal errors": "most rows labelled right, where all errors cost the same",
    "segments": "search over all ordered labelings, by bounds for ranges of thresholds",
    "constraints": "dynamic programme over all ordered labelings that keep the constraints",
    "blocks": "rates in order, which need cuts only at the ends of isotonic blocks (Theorem 7)",
    "pairs": "dynamic programme over all pairs of neighbouring cuts",
}

#: What is added where sums are not exact.
ROUNDED = {
    "exact": "",
    "engine": ", for weights as the engine adds them up",
    "float64": ", up to rounding of float64 sums",
}

IN_RANGES = ", within the range of each threshold"
SMOOTHED = ", of labels smoothed by "
BAGGED = ", of labels by the mean of the optimal thresholds of bootstrap samples"
GIVEN = "none: "
ON_OBSERVED = "on the observed labels, other thresholds may be better."


@dataclass(frozen=True)
class Certificate:
    """Why thresholds are optimal, or that they are not claimed to be.

    Attributes
    ----------
    verified : str
        What makes the thresholds optimal: a key of ``PROOFS``; ``"model"`` for the probabilities
        of a model; ``"bounded"`` for a bound on how much better others can be; or ``"given"`` for
        thresholds that are not claimed to be optimal.
    n_steps : int, optional
        The number of Dinkelbach's steps, for a kappa.
    in_ranges : bool
        Whether constraints restrict each threshold to a range of its own.
    sums : {"exact", "engine", "float64"}
        How weights were added up: without rounding, by an engine, or in float64.
    smoothing : float or "bagging", optional
        The share of the labels that a model gives, or ``"bagging"`` if mean thresholds give all.
    note : str
        What else there is to say; the whole text for ``"model"`` and ``"given"``.

    Examples
    --------
    >>> str(Certificate("convex", n_steps=3, smoothing=0.5))
    "Dinkelbach's fixed point after 3 steps, each by convex objective (Theorem 2), of labels ...
    """

    verified: Verified
    n_steps: int | None = None
    in_ranges: bool = False
    sums: Sums = "exact"
    smoothing: float | Literal["bagging"] | None = None
    note: str = ""

    def __str__(self) -> str:
        if self.verified == "given":
            return f"{GIVEN}{self.note}"
        return f"{self.proof}{self._of_labels}"

    @property
    def proof(self) -> str:
        """The proof in words, without the amount of smoothing."""
        words = self.note
        if self.verified in PROOFS:
            words = PROOFS[self.verified] + (IN_RANGES if self.in_ranges else "")
        if self.n_steps is not None:
            steps = "1 step" if self.n_steps == 1 else f"{self.n_steps} steps, each"
            words = f"Dinkelbach's fixed point after {steps} by {words}"
        return words + ROUNDED[self.sums]

    @property
    def _of_labels(self) -> str:
        if self.smoothing == "bagging":
            return BAGGED
        return "" if self.smoothing is None else f"{SMOOTHED}{self.smoothing:.3g}"

    @property
    def is_for_observed_labels(self) -> bool:
        """Whether the thresholds are optimal for the labels as they were observed."""
        no_proof = ("given", "model", "bounded")
        return self.verified not in no_proof and self.smoothing is None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults, and what was verified.

        Examples
        --------
        >>> Certificate("convex", n_steps=3).as_dict()
        {'verified': 'convex', 'n_steps': 3}
        """
        defaults = {field.name: field.default for field in fields(self)}
        return {key: value for key, value in asdict(self).items() if value != defaults[key]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Certificate:
        """Return the certificate that ``as_dict`` wrote; a ValueError for anything else.

        Examples
        --------
        >>> Certificate.from_dict({"verified": "convex", "n_steps": 3}).n_steps
        3
        """
        kinds: dict[str, tuple[type, ...]] = {
            "verified": (str,), "n_steps": (int,), "in_ranges": (bool,), "sums": (str,),
            "smoothing": (int, float, str), "note": (str,),
        }  # fmt: skip
        smoothing = data.get("smoothing", 0)
        is_valid = (
            data.get("verified") in get_args(Verified)
            and data.get("sums", "exact") in get_args(Sums)
            and all(key in kinds and type(data[key]) in kinds[key] for key in data)
            and (smoothing == "bagging" if isinstance(smoothing, str) else 0 <= smoothing <= 1)
        )
        if not is_valid:
            raise ValueError(
                f"proof must hold the fields of a certificate, got {short_repr(data)}."
            )
        return cls(**data)


def reason(thresholds: Thresholds, where: str = "there") -> str:
    """Return why no thresholds are better, or that they were given or smoothed.

    Examples
    --------
    >>> import ordcut
    >>> reason(ordcut.optimal_thresholds([1, 2, 3], [0, 1, 1]), "on these rows")
    'No other thresholds do better on these rows: convex objective (Theorem 2).'
    """
    proof = thresholds.proof
    if proof.is_for_observed_labels:
        others = "thresholds that keep them do" if thresholds.constraints else "thresholds do"
        return f"No other {others} better {where}: {proof}."
    if proof.verified == "given":
        return f"They are not claimed to be optimal: {proof.note}."
    if proof.verified == "bounded":
        return f"They are close to the best: {proof}."
    if proof.verified == "model":
        return f"They are optimal for the probabilities of a model ({proof}); {ON_OBSERVED}"
    if proof.smoothing == "bagging":
        return (
            "They are the mean of the optimal thresholds of bootstrap samples, which reduces the "
            f"effect of noise; {ON_OBSERVED}"
        )
    return (
        f"They are optimal for smoothed labels: {proof.smoothing:.3g} of each label comes from a "
        f"model of the scores, which reduces the effect of noise ({proof.proof}); {ON_OBSERVED}"
    )
