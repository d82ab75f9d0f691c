"""Measure thresholds, agreement and gates on real ratings: ``python -m benchmarks.judges``.

``--vader FILE`` reads the source distribution of vaderSentiment 3.3.2 from a file; it is downloaded
otherwise. ``--splits`` and ``--panels`` set how often everything is drawn.
"""

import argparse

import numpy as np

import ordcut
from benchmarks.judges.tasks import all_tasks
from ordcut.panels import Month, change_of_agreement, change_of_bias, optimism


def equating(scores, panel, classes):
    """Return thresholds that round scores of the mean and spread of the ratings."""
    values = np.asarray(classes, dtype=float)
    labels = panel.as_labels()
    shares = (labels.soft * labels.unit).sum(axis=0) / len(panel)
    middle = shares @ values
    spread = np.sqrt(shares @ (values - middle) ** 2)
    halves = (values[1:] + values[:-1]) / 2
    return np.mean(scores) + (halves - middle) * np.std(scores) / spread


def rounding(scores, classes):
    """Return thresholds that round the scores, stretched to the range of the classes."""
    low, high = scores.min(), scores.max()
    values = np.asarray(classes, dtype=float)
    halves = (values[1:] + values[:-1]) / 2
    return low + (halves - values[0]) / (values[-1] - values[0]) * (high - low)


def held_out(tasks, n_splits, distort=False):
    """Print the mean held-out quadratic kappa of each rule and number of items."""
    rules = {"plain": 0, "auto": "auto", "smoothing 1": 1}
    for n in (50, 100, 200):
        totals = {name: [] for name in ("rounding", "equating", *rules)}
        for task in tasks:
            scores = (
                np.exp(1.2 * (task.scores - task.scores.mean()) / task.scores.std())
                if distort
                else task.scores
            )
            for split in range(n_splits):
                rng = np.random.default_rng(split)
                order = rng.permutation(len(scores))
                drawn, others = order[:n], order[n : n + 1000]
                panel = ordcut.Panel(
                    task.table(drawn, 3, rng), classes=task.classes, raters="anonymous"
                )
                truth = ordcut.Panel(
                    task.table(others, 3, rng), classes=task.classes, raters="anonymous"
                )
                found = {
                    "rounding": rounding(scores, task.classes),
                    "equating": equating(scores[drawn], panel, task.classes),
                }
                for name, smoothing in rules.items():
                    found[name] = ordcut.optimal_thresholds(
                        scores[drawn], panel, objective="quadratic_kappa", smoothing=smoothing
                    ).thresholds
                for name, at in found.items():
                    thresholds = ordcut.Thresholds.from_values(at, classes=task.classes)
                    value = ordcut.judge(thresholds, scores[others], truth, "quadratic_kappa").value
                    totals[name].append(value)
        print(f"{n} items:", {name: round(float(np.mean(v)), 4) for name, v in totals.items()})


def simulated(rng, n, n_raters, leniency, noise=0.7):
    quality = rng.normal(size=(n, 1))
    bias = leniency * rng.normal(size=n_raters)
    return np.clip(
        np.rint(3 + quality + bias + noise * rng.normal(size=(n, n_raters))), 1, 5
    ).astype(int)


def fairness(n_panels):
    """Print judge with people minus people with people, for a judge who is one more rater."""
    for n_raters in (2, 3, 5):
        for leniency in (0.0, 0.5):
            for n in (50, 200):
                rng, gaps = np.random.default_rng(0), []
                for _ in range(n_panels):
                    table = simulated(rng, n, n_raters + 1, leniency)
                    panel = ordcut.Panel(table[:, :-1], classes=range(1, 6))
                    judge = panel.agreement_with(table[:, -1]).value
                    gaps.append(judge - panel.agreement().value)
                error = np.std(gaps) / np.sqrt(n_panels)
                print(
                    f"{n_raters} raters, leniency {leniency}, {n} items: "
                    f"{np.mean(gaps):+.4f} ({error:.4f})"
                )


def coverage(n_panels):
    """Print how often intervals over items hold the agreement of the same raters on all items."""
    for n_raters, noise, gaps in ((2, 0.7, 0.0), (3, 1.0, 0.3), (5, 0.5, 0.4)):
        for n in (50, 100, 200):
            rng, hits = np.random.default_rng(1), {"people": [], "judge": []}
            big = simulated(rng, 100_000, n_raters + 1, 0.5, noise)
            everybody = ordcut.Panel(big[:, :-1], classes=range(1, 6))
            truth = {
                "people": everybody.agreement().value,
                "judge": everybody.agreement_with(big[:, -1]).value,
            }
            for _ in range(n_panels):
                items = big[rng.choice(len(big), n, replace=False)]
                table = items[:, :-1].astype(float)
                is_gap = rng.random(table.shape) < gaps
                is_gap[is_gap.all(axis=1)] = False
                panel = ordcut.Panel(np.where(is_gap, np.nan, table), classes=range(1, 6))
                values = {"people": panel.agreement(), "judge": panel.agreement_with(items[:, -1])}
                for name, agreement in values.items():
                    low, high = agreement.interval()
                    hits[name].append(low <= truth[name] <= high)
            shown = {name: round(float(np.mean(each)), 3) for name, each in hits.items()}
            print(f"{n_raters} raters, {n} items:", shown)


def gate(tasks, n_months, n=200, shift=0.3):
    """Print how often a shifted judge, and an unchanged one, is said to have changed."""
    for task in tasks:
        if len(task.scores) < 3 * n:
            continue
        alarms = {0.0: [], shift: []}
        for seed in range(n_months):
            rng = np.random.default_rng(seed)
            order = rng.permutation(len(task.scores))
            months = [
                (task.scores[part], ordcut.Panel(task.table(part, 3, rng), classes=task.classes))
                for part in (order[:n], order[n : 2 * n])
            ]
            fitted = ordcut.optimal_thresholds(
                *months[0], objective="quadratic_kappa", smoothing="auto"
            )
            before = Month(months[0][1], fitted.predict(months[0][0]))
            extra = optimism(fitted, *months[0], "quadratic_kappa")
            for moved in alarms:
                scores = months[1][0] + moved * task.scores.std()
                now = Month(months[1][1], fitted.predict(scores))
                fell = change_of_agreement(now, before, "quadratic_kappa", extra).high < 0
                bias = change_of_bias(now, before)
                alarms[moved].append([fell or bias.low > 0 or bias.high < 0, fell])
        shown = {k: np.round(np.mean(v, axis=0), 3).tolist() for k, v in alarms.items()}
        print(f"{task.name}: alarms (either test, agreement alone) by shift", shown)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vader")
    parser.add_argument("--splits", type=int, default=50)
    parser.add_argument("--panels", type=int, default=1000)
    parser.add_argument("--months", type=int, default=200)
    arguments = parser.parse_args()
    print("Fairness")
    fairness(arguments.panels)
    print("Coverage of 95 % intervals")
    coverage(arguments.panels)
    tasks = all_tasks(arguments.vader)
    print("Tasks:", {task.name: len(task.scores) for task in tasks})
    print("Held-out quadratic kappa")
    held_out(tasks, arguments.splits)
    print("Held-out quadratic kappa, distorted scores")
    held_out(tasks, arguments.splits, distort=True)
    print("Gate")
    gate(tasks, arguments.months)


if __name__ == "__main__":
    main()
