"""Agreement of thresholds with people, and whether it is good enough: what a gate in CI needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ordcut.cli.console import as_line
from ordcut.cli.failures import UserError
from ordcut.panels import (
    Agreement,
    Change,
    Month,
    PanelSource,
    change_of_agreement,
    change_of_bias,
    optimism,
    verdict,
)

if TYPE_CHECKING:
    from ordcut._core.thresholds import Thresholds
    from ordcut.cli.thresholds_file import SavedRows

#: Exit codes: the agreement is too low, the interval is around the target, the judge has changed.
MISSED, UNDECIDED, CHANGED = 3, 4, 5


@dataclass(frozen=True)
class Gate:
    """What people say about the labels of thresholds, and what follows from it."""

    judge: Agreement
    people: Agreement | None
    target: float | None
    fail_under: float | None
    changes: dict[str, tuple[Change, Change]]
    is_weighted: bool = False
    rater: str = "people"

    @classmethod
    def of(
        cls,
        rows: SavedRows,
        before: dict[str, SavedRows],
        target: float | None,
        fail_under: float | None,
    ) -> Gate:
        """Compare thresholds with people, with a target, and with former months."""
        thresholds, objective = rows.saved.thresholds, rows.objective
        if thresholds.decides_otherwise:
            raise UserError(
                "--intervals, --target, --fail-under and --against a file need thresholds that "
                "predict classes, and these decide otherwise. Fit thresholds without --review "
                "and --decisions."
            )
        month = _month(rows.source, thresholds)
        judge = month.panel.agreement_with(month.labels, objective)
        has_pairs = int((month.panel.n_ratings > 1).sum()) > 1
        people = month.panel.agreement(objective) if has_pairs else None
        changes = {}
        for path, former in before.items():
            assert isinstance(former.source, PanelSource)
            then = _month(former.source, thresholds)
            extra = optimism(thresholds, former.source.item_scores, then.panel, objective)
            fall = change_of_agreement(month, then, objective, extra)
            changes[path] = fall, change_of_bias(month, then)
        is_weighted = rows.columns.weight is not None
        rater = "people" if rows.columns.is_panel else as_line(rows.columns.label)
        return cls(judge, people, target, fail_under, changes, is_weighted, rater)

    @property
    def exit_code(self) -> int:
        """0 if nothing is wrong; otherwise the code of the first thing that is."""
        sign = 1 if self.judge.is_maximised else -1
        if self.fail_under is not None and sign * self.judge.value < sign * self.fail_under:
            return MISSED
        outcome = None if self.target is None else verdict(self.judge, self.target).outcome
        if outcome == "missed":
            return MISSED
        if any(self._has_changed(*pair) for pair in self.changes.values()):
            return CHANGED
        return UNDECIDED if outcome == "undecided" else 0

    def _has_fallen(self, agreement: Change) -> bool:
        return agreement.high < 0 if self.judge.is_maximised else agreement.low > 0

    def _has_risen(self, agreement: Change) -> bool:
        return agreement.low > 0 if self.judge.is_maximised else agreement.high < 0

    def _has_changed(self, agreement: Change, bias: Change) -> bool:
        return self._has_fallen(agreement) or bias.low > 0 or bias.high < 0

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        content: dict[str, Any] = {"labels_with_people": _values(self.judge)}
        if self.people is not None:
            content["people_with_people"] = _values(self.people)
            content["difference"] = list(self.judge.difference(self.people))
            if self.people.is_maximised:
                content["attainable"] = self.people.attainable
        if self.target is not None:
            decided = verdict(self.judge, self.target)
            content["target"] = {"value": self.target, **vars(decided)}
        for path, (agreement, bias) in self.changes.items():
            changes = {"agreement": vars(agreement), "bias": vars(bias)}
            content.setdefault("against", {})[path] = changes
        return content | {"exit_code": self.exit_code}

    def print(self) -> None:
        """Print sentences for people."""
        name = self.judge.objective
        click.echo(f"these thresholds with {self.rater}: {name} {_interval(self.judge)}")
        if self.people is not None:
            click.echo(f"people with people: {name} {_interval(self.people)}")
            difference = _numbers(*self.judge.difference(self.people))
            more = ""
            if self.people.is_maximised:
                ends = np.sqrt(np.maximum(self.people.interval(), 0.0))
                attainable = _numbers(self.people.attainable, *ends)
                more = f"; a judge without noise would reach about {attainable}"
            click.echo(f"difference: {difference}{more}")
        click.echo("Intervals (95 %) are over items, for these raters.")
        if self.judge.is_maximised:
            click.echo(
                "Chance is agreement with other raters of other items here, and over all ratings "
                "in the table above, so that the kappas differ."
            )
        if self.is_weighted:
            click.echo("Agreement counts each item once, whatever its --weight.")
        if self.fail_under is not None:
            is_low = (self.judge.value < self.fail_under) == self.judge.is_maximised
            click.echo(f"fail under {self.fail_under:g}: {'failed' if is_low else 'passed'}")
        if self.target is not None:
            decided = verdict(self.judge, self.target)
            needed = (
                "" if decided.n_needed is None else f"; about {decided.n_needed:,} items decide"
            )
            click.echo(f"target {self.target:g}: {decided.outcome}{needed}")
        what = "agreement" if self.judge.is_maximised else name
        for path, (agreement, bias) in self.changes.items():
            change = (
                "is significantly worse"
                if self._has_fallen(agreement)
                else "is significantly better"
                if self._has_risen(agreement)
                else "is neither significantly better nor worse"
            )
            moved = (
                "has changed significantly"
                if bias.low > 0 or bias.high < 0
                else "shows no significant change"
            )
            how = "the same items" if bias.is_paired else "other items"
            click.echo(f"against {as_line(path)} ({how}):")
            click.echo(f"  {what} {change}: {_change(agreement)}")
            click.echo(f"  bias, label minus mean rating, {moved}: {_change(bias)}")


def _month(source: Any, thresholds: Thresholds) -> Month:
    assert isinstance(source, PanelSource)
    return Month(source.panel, thresholds.predict(source.item_scores))


def _values(agreement: Agreement) -> dict[str, Any]:
    return {
        "value": agreement.value,
        "interval": list(agreement.interval()),
        "items": agreement.n_items,
    }


def _interval(agreement: Agreement) -> str:
    return f"{_numbers(agreement.value, *agreement.interval())} on {agreement.n_items:,} items"


def _change(change: Change) -> str:
    return f"{_numbers(*change.ends)} ({100 * change.level:g} %)"


def _numbers(value: float, low: float, high: float) -> str:
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"
