"""The card of a result: its rule and its evidence on one page, as text and as HTML."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ordcut._core.errors import both_ends, printable
from ordcut._core.thresholds.certificate import reason
from ordcut._core.thresholds.outcomes import percent
from ordcut._core.views import view

if TYPE_CHECKING:
    from ordcut._core.thresholds.record import Record
    from ordcut._core.thresholds.result import Thresholds

#: The columns of the card after the column of the decision.
HEADER = ("from", "below", "share", "rows", "recall", "precision")


@dataclass(frozen=True)
class Card:
    """The rule of a result and its evidence, for people; print it, or show it in a notebook.

    Attributes
    ----------
    header : tuple of str
        The columns of the table of decisions.
    rows : list of tuple of str
        A row for each decision.
    facts : list of tuple of str
        Everything else, as pairs of a name and what there is to say.
    """

    header: tuple[str, ...]
    rows: list[tuple[str, ...]]
    facts: list[tuple[str, str]]

    def __str__(self) -> str:
        gap = ("...", *[""] * (len(self.header) - 1))
        lines = [self.header, *both_ends(self.rows, gap)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = [
            "  ".join(
                cell.ljust(width) if k == 0 else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        width = max(len(name) for name, _ in self.facts)
        return "\n".join([*table, "", *(f"{n.ljust(width)}  {text}" for n, text in self.facts)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return view("", self.header, self.rows, notes=(f"{n}: {text}" for n, text in self.facts))


class WithCard(ABC):
    """A result that is shown as its card."""

    @abstractmethod
    def card(self) -> Card:
        """Return the result for people: as text, and as HTML in notebooks."""

    def __repr__(self) -> str:
        return str(self.card())

    def _repr_html_(self) -> str:
        return self.card()._repr_html_()


def card(result: Thresholds) -> Card:
    """Return the card of a result."""
    record = result.record
    columns: list[Sequence[Any]] = [
        ["" if np.isinf(edge) else f"{edge:.6g}" for edge in (-np.inf, *result.thresholds)],
        ["" if np.isinf(edge) else f"{edge:.6g}" for edge in (*result.thresholds, np.inf)],
    ]
    titles = HEADER
    if record is not None and record.outcomes is not None:
        titles = (*HEADER[:4], "events", "rate")
        events, exposure = (record.outcomes[name] for name in ("events", "exposure"))
        columns += [
            [percent_of(share) for share in record.shares],
            *([f"{number:.6g}" for number in numbers] for numbers in (record.decided, events)),
            [f"{own / at:.4g}" for own, at in zip(events, exposure, strict=True)],
        ]
    elif record is not None:
        own = record.counts if not result.decides_otherwise else ()
        columns += [
            [percent_of(share) for share in record.shares],
            [f"{count:.6g}" for count in own],
            [percent_of(share) for share in record.recall],
            [percent_of(share) for share in record.precision],
        ]
    header = ["decision" if result.decides_otherwise else "class"]
    names = [printable(str(name)) for name in result.decisions.tolist()]
    shown = [(name, cells) for name, cells in zip(titles, columns, strict=False) if len(cells)]
    header += [name for name, _ in shown]
    rows = list(zip(names, *(cells for _, cells in shown), strict=True))
    return Card(tuple(header), rows, [*_facts(result), *_facts_of(record)])


def percent_of(share: float | None) -> str:
    """Return a share as a percentage with one decimal, and nothing for a share of nothing.

    Examples
    --------
    >>> percent_of(0.123), percent_of(None)
    ('12.3 %', '-')
    """
    return "-" if share is None else f"{100 * share:.1f} %"


def _facts(result: Thresholds) -> list[tuple[str, str]]:
    """Return what was asked, and what was reached."""
    value = "not judged on rows" if np.isnan(result.value) else f"{result.value:.6g}"
    facts = [("objective", printable(result.objective)), ("value", value)]
    if result.review_share is not None:
        facts.append(("for review", percent_of(result.review_share)))
    smoothing = result.proof.smoothing
    if smoothing is not None:
        facts.append(("smoothing", f"{smoothing:.3g}" if smoothing != "bagging" else "bagging"))
    facts += [("constraint", printable(repr(outcome))) for outcome in result.constraints]
    facts.append(("why", reason(result, "on these rows")))
    return facts


def _facts_of(record: Record | None) -> list[tuple[str, str]]:
    """Return what the record says about the rows."""
    if record is None:
        return [("record", "none: thresholds were given, and not judged on rows")]
    facts = []
    if record.held_out is not None:
        facts.append(("cross-fitted", f"{record.held_out:.6g} on rows left out"))
    if record.intervals is not None:
        level = percent(record.intervals["level"])
        ends = [[f"{float(end):.6g}" for end in pair] for pair in record.intervals["thresholds"]]
        low, high = map(float, record.intervals["value"])
        facts.append((f"{level} intervals", "; ".join(" to ".join(pair) for pair in ends)))
        facts.append(("of the value", f"{low:.6g} to {high:.6g} on new rows"))
    if record.rows is not None:
        is_weighted = record.weight != record.rows
        weight = f", of total weight {record.weight:.6g}" if is_weighted else ""
        kind = f" ({record.weight_type})" if record.weight_type else ""
        facts.append(("rows", f"{record.rows:,}{weight}{kind}"))
    if record.class_weight is not None:
        weights = record.class_weight
        shown = weights if isinstance(weights, str) else ", ".join(f"{w:.6g}" for w in weights)
        facts.append(("class weights", shown))
    if record.class_shares is not None:
        shares = ", ".join(f"{share:.6g}" for share in record.class_shares)
        facts.append(("class shares", f"{shares} in the population; the table counts rows"))
    if record.scores is not None:
        at = dict(zip(record.scores.shares, record.scores.scores, strict=True))
        middle = [f"{score:.6g}" for share, score in at.items() if 0.2 < share < 0.8][::5]
        between = f", with quantiles {', '.join(middle)}" if len(middle) > 1 else ""
        facts.append(("scores", f"{record.scores.low:.6g} to {record.scores.high:.6g}{between}"))
    if record.outcomes is None:
        facts.append(("data", record.digest or "no digest: the rows stayed in their engine"))
    when = "" if record.time is None else f" at {record.time}"
    facts.append(("found by", f"ordcut {printable(record.ordcut)}{when}"))
    return facts
