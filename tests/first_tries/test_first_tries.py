"""What people try in their first hour: each gives the right result, or says what to do."""

import json
import pickle
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from sklearn.linear_model import Ridge
from sklearn.metrics import (
    cohen_kappa_score,
    confusion_matrix,
    mean_absolute_error,
    mean_squared_error,
)
from sklearn.model_selection import GridSearchCV

import ordcut
import ordcut.torch
from ordcut.estimators import (
    LinearThresholdClassifier,
    OrdinalLogisticRegression,
    OrdinalThresholdClassifierCV,
)

RNG = np.random.default_rng(0)
N = 200
Y = RNG.integers(1, 5, N)
S = Y + RNG.normal(scale=0.6, size=N)
AGES = RNG.integers(16, 71, 3000)
AGE_SCORES = AGES + RNG.normal(scale=5, size=3000)
NAMES = np.array(["low", "mid", "high", "top"])[Y - 1]
ORDER = ["low", "mid", "high", "top"]
COSTS = pd.DataFrame([[0, 1, 5, 9], [2, 0, 3, 7], [8, 1, 0, 2], [9, 9, 4, 0]], ORDER, ORDER)


def best(labels, scores=S, **options):
    return ordcut.optimal_thresholds(scores, labels, **options)


def best_of_frame(frame, **options):
    return ordcut.frames.optimal_thresholds(frame, score="s", label="y", **options)


#: What is tried, and what it must be equal to.
RIGHT = {
    "a list of floats and a list of ints": lambda: (best(Y.tolist(), S.tolist()), best(Y)),
    "pandas series": lambda: (best(pd.Series(Y), pd.Series(S)), best(Y)),
    "polars series": lambda: (best(pl.Series(Y), pl.Series(S)), best(Y)),
    "labels that start at 1": lambda: (best(Y).classes.tolist(), [1, 2, 3, 4]),
    "55 ages": lambda: (len(best(AGES, AGE_SCORES).classes), 55),
    "a column of a frame": lambda: (best(pd.DataFrame({"y": Y})), best(Y)),
    "a frame of scores": lambda: (best(Y, pd.DataFrame({"s": S})), best(Y)),
    "a frame of Polars as scores": lambda: (best(Y, pl.DataFrame({"s": S})), best(Y)),
    "ratings in half steps": lambda: (len(best(Y / 2).classes), 4),
    "the order of text given": lambda: (
        best(NAMES, classes=ORDER).thresholds.tolist(),
        best(Y, objective="absolute").thresholds.tolist(),
    ),
    "an ordered categorical": lambda: (
        best(pd.Categorical(NAMES, ORDER, ordered=True)).classes.tolist(), ORDER,
    ),
    "an ordered categorical in a frame": lambda: (
        best(pd.DataFrame({"y": pd.Categorical(NAMES, ORDER, ordered=True)})).classes.tolist(),
        ORDER,
    ),
    "an ordered dictionary of Arrow": lambda: (
        best(pa.array(pd.Categorical(NAMES, ORDER, ordered=True))).classes.tolist(), ORDER,
    ),
    "an enum of polars": lambda: (
        best(pl.Series(NAMES.tolist(), dtype=pl.Enum(ORDER))).classes.tolist(), ORDER,
    ),
    "bins of pandas.cut": lambda: (
        [*map(str, best(pd.cut(pd.Series(Y), [0, 2, 4])).classes)], ["(0, 2]", "(2, 4]"],
    ),
    "bins read back from JSON": lambda: (
        ordcut.Thresholds.from_json(best(pd.cut(pd.Series(Y), [0, 2, 4])).to_json()),
        best(pd.cut(pd.Series(Y), [0, 2, 4])),
    ),
    "decisions of a pipeline with reviews": lambda: (
        set(
            OrdinalThresholdClassifierCV(Ridge(), review_share=0.2)
            .fit(S[:, None], Y)
            .decide(S[:, None])
        )
        <= {1, "1 or 2", 2, "2 or 3", 3, "3 or 4", 4},
        True,
    ),
    "a search by kappa": lambda: (
        GridSearchCV(
            OrdinalThresholdClassifierCV(Ridge(), objective="qwk"),
            {"estimator__alpha": [1, 10]},
            scoring=ordcut.scorers.get_scorer("qwk"),
        )
        .fit(S[:, None], Y)
        .best_score_
        > 0.7,
        True,
    ),
    "a lazy frame of polars": lambda: (
        best_of_frame(pl.LazyFrame({"s": S, "y": Y})).thresholds.tolist(),
        best(Y).thresholds.tolist(),
    ),
    "all scores equal": lambda: (best([0, 1] * 5, np.ones(10)).value, 0.5),
    "scores that are booleans": lambda: (best(Y > 2, Y > 2).value, 0),
    "a percentage in a constraint": lambda: (
        best(Y, constraints="recall 4 >= 90 %"), best(Y, constraints="recall 4 >= 0.9"),
    ),
    "thresholds in a pickle": lambda: (pickle.loads(pickle.dumps(best(Y))), best(Y)),
    "booleans": lambda: (best(Y > 2).classes.tolist(), [False, True]),
    "qwk": lambda: (best(Y, objective="qwk"), best(Y, objective="quadratic_kappa")),
    "mae": lambda: (best(Y, objective="mae"), best(Y)),
    "accuracy": lambda: (best(Y, objective="accuracy"), best(Y, objective="zero_one")),
    "scikit-learn's scorer name": lambda: (best(Y, objective="neg_mean_squared_error"),
                                           best(Y, objective="squared")),
    "the absolute error of scikit-learn": lambda: (
        ordcut.evaluate([1, 2, 5, 5], [1, 2, 2, 5]),
        mean_absolute_error([1, 2, 5, 5], [1, 2, 2, 5]),
    ),
    "the squared error of scikit-learn": lambda: (
        ordcut.evaluate([1, 2, 5, 5], [1, 2, 2, 5], "squared"),
        mean_squared_error([1, 2, 5, 5], [1, 2, 2, 5]),
    ),
    "the kappa of scikit-learn": lambda: (
        ordcut.evaluate([1, 2, 5, 5], [1, 2, 2, 5], "qwk"),
        pytest.approx(cohen_kappa_score([1, 2, 5, 5], [1, 2, 2, 5], weights="quadratic")),
    ),
    "the value is that of predicting": lambda: (
        best(AGES, AGE_SCORES).value,
        pytest.approx(mean_absolute_error(AGES, best(AGES, AGE_SCORES).predict(AGE_SCORES))),
    ),
    "thresholds of one's own": lambda: (
        ordcut.judge(ordcut.Thresholds.from_values([1.5, 2.5, 3.5], [1, 2, 3, 4]), S, Y).value,
        pytest.approx(mean_absolute_error(Y, np.clip(np.digitize(S, [1.5, 2.5, 3.5]) + 1, 1, 4))),
    ),
    "a threshold moved by hand": lambda: (best(Y).moved(0, 1.0).thresholds[0], 1.0),
    "decimals": lambda: (best([Decimal(int(y)) / 2 for y in Y]).classes.tolist(), [0.5, 1, 1.5, 2]),
    "decimals in a frame": lambda: (
        best_of_frame(pa.table({"s": S, "y": [Decimal(int(y)) for y in Y]})).classes.tolist(),
        [1, 2, 3, 4],
    ),
    "integers with a null in a frame": lambda: (
        best_of_frame(
            pa.table({"s": S, "y": [None, *Y[1:].tolist()]}), nulls="drop"
        ).classes.tolist(),
        [1, 2, 3, 4],
    ),
    "the confusion matrix of scikit-learn": lambda: (
        ordcut.frames.evaluate(
            pl.DataFrame({"s": S, "y": Y}), best(Y), score="s", label="y"
        ).confusion.tolist(),
        confusion_matrix(Y, best(Y).predict(S)).tolist(),
    ),
    "QWK in capitals": lambda: (best(Y, objective="QWK"), best(Y, objective="quadratic_kappa")),
    "a name in capitals": lambda: (best(Y, objective="Absolute"), best(Y, objective="absolute")),
    "nullable integers": lambda: (best(pd.Series(Y, dtype="Int64")), best(Y)),
    "columns of Arrow in pandas": lambda: (
        best(pd.Series(Y, dtype="int64[pyarrow]"), pd.Series(S, dtype="float64[pyarrow]")), best(Y),
    ),
    "tensors": lambda: (best(torch.tensor(Y), torch.tensor(S)), best(Y)),
    "labels as floats in a tensor": lambda: (
        ordcut.torch.optimal_thresholds(torch.tensor(S), torch.tensor(Y).float()).value,
        best(Y).value,
    ),
    "the mean position of class probabilities": lambda: (
        best(Y, np.eye(4)[Y - 1] @ np.arange(4)).value, 0,
    ),
    "one-hot labels in the order of classes": lambda: (
        best(pd.get_dummies(NAMES), classes=ORDER).thresholds.tolist(),
        best(NAMES, classes=ORDER).thresholds.tolist(),
    ),
    "np.digitize with the thresholds": lambda: (
        np.digitize(S, best(Y).thresholds).tolist(), best(Y).codes(S).tolist(),
    ),
    "pandas.cut with the thresholds": lambda: (
        pd.cut(
            S, [-np.inf, *best(Y).thresholds, np.inf], labels=best(Y).classes, right=False
        ).tolist(),
        best(Y).predict(S).tolist(),
    ),
    "a pickle": lambda: (pickle.loads(pickle.dumps(best(Y))), best(Y)),
    "a cost matrix in a frame": lambda: (
        best(Y, objective=pd.DataFrame(np.abs(np.subtract.outer(range(4), range(4))))).value,
        best(Y).value,
    ),
    "GridSearchCV by a name of scikit-learn": lambda: (
        GridSearchCV(
            OrdinalThresholdClassifierCV(Ridge()),
            {"estimator__alpha": [1e-3, 1e6]},
            scoring="neg_mean_absolute_error",
        ).fit(S[:, None], Y).best_params_,
        {"estimator__alpha": 1e-3},
    ),
    "ratings in half steps in an estimator": lambda: (
        OrdinalLogisticRegression().fit(S[:, None], Y / 2).classes_.tolist(), [0.5, 1, 1.5, 2],
    ),
    "a cost matrix with names in another order": lambda: (
        best(NAMES, classes=ORDER, objective=COSTS.loc[ORDER[::-1]]),
        best(NAMES, classes=ORDER, objective=COSTS.to_numpy()),
    ),
    "costs of each row with names": lambda: (
        ordcut.optimal_thresholds(S, costs=pd.DataFrame({"no": S, "yes": -S})).decisions.tolist(),
        ["no", "yes"],
    ),
    "numbers as text": lambda: (
        best((Y + 7).astype(str)).classes.tolist(), ["8", "9", "10", "11"],
    ),
    "an ordered categorical in a frame as y": lambda: (
        OrdinalLogisticRegression()
        .fit(S[:, None], pd.DataFrame({"y": pd.Categorical(NAMES, ORDER, ordered=True)}))
        .classes_.tolist(),
        ORDER,
    ),
    "a class that never occurs": lambda: (best(Y, classes=range(6)).classes.tolist(), [*range(6)]),
}  # fmt: skip

#: What is tried, and what the error must say.
ERRORS = {
    "arguments swapped": (lambda: best(S, Y), "seem to be swapped"),
    "whole scores swapped": (
        lambda: best(RNG.integers(300, 850, N), Y), "seem to be swapped",
    ),
    "text without an order": (lambda: best(NAMES), "Pass classes= with all classes, lowest first"),
    "a categorical of Polars": (
        lambda: best(pl.Series(NAMES, dtype=pl.Categorical)), "Pass classes=",
    ),
    "text without an order in a frame": (
        lambda: best_of_frame(pl.DataFrame({"s": S, "y": NAMES})), "Pass classes=",
    ),
    "ids as labels": (lambda: best(np.arange(N)), "look like ids .* Name the column of classes"),
    "ids as labels of a frame": (
        lambda: best_of_frame(pl.DataFrame({"s": S, "y": np.arange(N)})), "look like ids",
    ),
    "ids as y": (
        lambda: LinearThresholdClassifier().fit(S[:, None], np.arange(N)), "look like ids",
    ),
    "a cost matrix with unknown names": (
        lambda: best(NAMES, classes=ORDER, objective=COSTS.rename(index={"low": "LOW"})),
        "got rows named LOW",
    ),
    "columns of costs that are no decisions": (
        lambda: ordcut.optimal_thresholds(
            S, costs=pd.DataFrame({"no": S, "yes": -S}), decisions=["no", "maybe"]
        ),
        "column for each decision, no, maybe",
    ),
    "continuous labels": (lambda: best(S + RNG.normal(size=N)), "look continuous"),
    "class probabilities as scores": (
        lambda: best(Y, np.full((N, 4), 0.25)), r"proba @ np.arange\(4\)",
    ),
    "NaN in the scores": (lambda: best(Y, np.append(S[1:], np.nan)), "Drop or fix those rows"),
    "missing labels": (lambda: best([None, *Y[1:]]), "must not be missing"),
    "fewer labels than scores": (lambda: best(Y[1:]), "must have the same length"),
    "one class only": (lambda: best(np.ones(N)), "list them all in classes="),
    "a misspelt objective": (lambda: best(Y, objective="absolut"), 'Did you mean "absolute"'),
    "a cost matrix that is too small": (lambda: best(Y, objective=[[0, 1], [1, 0]]), "4"),
    "nanoseconds as scores": (
        lambda: best(Y, 10**18 + np.arange(N) * 3 + 1), "Subtract a common offset",
    ),
    "nanoseconds as scores of a frame": (
        lambda: best_of_frame(pl.DataFrame({"s": 10**18 + np.arange(N) * 3 + 1, "y": Y})),
        "Subtract a common offset",
    ),
    "columns of a frame swapped": (
        lambda: best_of_frame(pl.DataFrame({"s": Y, "y": S})), "seem to be swapped",
    ),
    "continuous labels in a frame": (
        lambda: best_of_frame(pl.DataFrame({"s": S, "y": S + RNG.normal(size=N)})),
        "look continuous",
    ),
    "series in different orders": (
        lambda: best(pd.Series(Y).iloc[::-1], pd.Series(S)), r"labels.loc\[scores.index\]",
    ),
    "a metric of scikit-learn as a function": (
        lambda: best(Y, objective=mean_absolute_error), 'pass its name, such as "mae"',
    ),
    "a metric that is no objective": (
        lambda: best(Y, objective="roc_auc"), "Use a measure of labels",
    ),
    "dates as scores": (
        lambda: best(np.sort(Y), pd.date_range("2026-01-01", periods=N)), "Convert them first",
    ),
    "a single score": (lambda: best(Y).predict(2.0), r"\[score\]"),
    "scores in the place of predictions": (
        lambda: ordcut.evaluate(Y, S, "qwk"), r"thresholds.predict\(scores\)",
    ),
    "a list of thresholds to be judged": (
        lambda: ordcut.judge([1.5, 2.5, 3.5], S, Y), "Thresholds.from_values",
    ),
    "text for some classes only": (
        lambda: best(NAMES, classes=ORDER[:3]), "among the classes low, mid, high",
    ),
    "integers where classes are text": (lambda: best(Y, classes=list("1234")), "same type"),
    "X and y swapped in fit": (
        lambda: OrdinalLogisticRegression().fit(Y, np.column_stack([S, S])), "seem to be swapped",
    ),
    "a continuous y in fit": (
        lambda: OrdinalThresholdClassifierCV(Ridge()).fit(S[:, None], S), "look continuous",
    ),
    "X and y in different orders": (
        lambda: LinearThresholdClassifier().fit(pd.DataFrame({"s": S}), pd.Series(Y).iloc[::-1]),
        r"y.loc\[X.index\]",
    ),
    "a class instead of an estimator": (
        lambda: OrdinalThresholdClassifierCV(Ridge).fit(S[:, None], Y), "instance",
    ),
    "logits of a network": (
        lambda: ordcut.torch.optimal_thresholds(torch.zeros(N, 4), torch.tensor(Y)), "softmax",
    ),
    "labels that start at 1 in a loss": (
        lambda: ordcut.torch.AllThresholdLoss(4)(torch.zeros(N), torch.tensor(Y)), "from 0 to 3",
    ),
    "a label that is no class": (lambda: best(Y, classes=[1, 2, 3]), "among the classes 1, 2, 3"),
    "negative weights": (lambda: best(Y, sample_weight=-np.ones(N)), "not negative"),
    "text labels and scores swapped": (lambda: best(S, NAMES), "seem to be swapped"),
    "scores and labels swapped in judge": (lambda: ordcut.judge(best(Y), Y, S), "to be swapped"),
    "thresholds at the end of judge": (lambda: ordcut.judge(S, Y, best(Y)), "They come first"),
    "thresholds in evaluate": (lambda: ordcut.evaluate(best(Y), S, Y), "use ordcut.judge"),
    "scores and labels swapped in a plot": (
        lambda: ordcut.plots.ThresholdDisplay.from_predictions(S, NAMES), "seem to be swapped",
    ),
    "a series as a column": (
        lambda: ordcut.frames.optimal_thresholds(
            pd.DataFrame({"s": S, "y": Y}), score=pd.Series(S), label="y"
        ),
        "score must be the name of a column, got a Series",
    ),
    "a label with a space": (
        lambda: best([*NAMES[:-1], "low "], classes=ORDER), "got 'low ' at position 199. Did you",
    ),
    "a typo in a constraint": (
        lambda: best(Y, constraints="recal 4 >= 0.9"), "Did you mean 'recall 4 >= 0.9'",
    ),
    "a decimal comma in a constraint": (
        lambda: best(Y, constraints="recall 4 >= 0,9"), "'0,9' is not a number",
    ),
    "dates as labels": (
        lambda: best(pd.date_range("2026-01-01", periods=N)), "dates, for example, to years",
    ),
    "text labels and whole classes": (
        lambda: best(Y.astype(str), classes=[1, 2, 3, 4]), r"labels.astype\(int\)",
    ),
    "the number of classes": (lambda: best(Y, classes=4), "a list of all classes, lowest first"),
    "classes in a set": (lambda: best(Y, classes={1, 2, 3, 4}), "Pass a list"),
    "a class twice": (lambda: best(Y, classes=[1, 2, 2, 3, 4]), "got 2 more than once"),
    "a frame and a column": (
        lambda: best("y", pd.DataFrame({"s": S, "y": NAMES})), "use ordcut.frames.optimal",
    ),
    "names of columns": (lambda: best("y", "s"), "use ordcut.frames.optimal_thresholds"),
    "weights of another length": (
        lambda: best(Y, sample_weight=np.ones(5)), "for each of the 200 rows",
    ),
    "a weight that is missing": (
        lambda: best(Y, sample_weight=[np.nan, *np.ones(N - 1)]), "got nan at position 0",
    ),
    "a typo in class_weight": (lambda: best(Y, class_weight="balance"), '"balanced"'),
    "a weight of an unknown class": (
        lambda: best(NAMES, classes=ORDER, class_weight={"tpo": 2}), "known classes, low, mid",
    ),
    "a typo in an objective": (lambda: best(Y, objective="qkw"), 'Did you mean "qwk"'),
    "a function of one argument": (lambda: best(Y, objective=lambda k: k), "two positions"),
    "a cost that is missing": (
        lambda: best(Y, objective=[[0, 1, 2, np.nan]] * 4), r"got nan at position \[0, 3\]",
    ),
    "constraints in a dict": (lambda: best(Y, constraints={"recall 4": 0.9}), "must be a list"),
    "constraints that cannot hold": (
        lambda: best(Y, constraints=["recall 4 >= 1", "share 4 <= 0.1"]), "The nearest limit",
    ),
    "a missing score of polars": (
        lambda: best(Y[:3], pl.Series([0.1, None, 0.5])), "got nan at position 1",
    ),
    "no rows": (lambda: best([], []), "at least one row"),
    "a missing score to predict": (lambda: best(Y).predict([0.1, np.nan]), "position 1"),
    "a dict as JSON": (lambda: ordcut.Thresholds.from_json({"thresholds": [1]}), "json.dumps"),
    "the JSON of something else": (lambda: ordcut.Thresholds.from_json('{"a": 1}'), "to_json"),
    "the JSON of a later version": (
        lambda: ordcut.Thresholds.from_json(
            json.dumps({**json.loads(best(Y).to_json()), "version": 9})
        ),
        "release of ordcut that wrote it",
    ),
    "a bootstrap of thresholds from JSON": (
        lambda: ordcut.Thresholds.from_json(best(Y).to_json()).bootstrap(), "Find them again",
    ),
    "the name of an estimator": (
        lambda: OrdinalThresholdClassifierCV("ridge").fit(S[:, None], Y), "such as Ridge",
    ),
    "a missing label in fit": (
        lambda: OrdinalLogisticRegression().fit(S[:, None], [np.nan, *Y[1:]]), "position 0",
    ),
    "more folds than rows": (
        lambda: OrdinalThresholdClassifierCV(Ridge(), cv=999).fit(S[:, None], Y), "999 folds",
    ),
    "a column in another case": (
        lambda: ordcut.frames.optimal_thresholds(
            pd.DataFrame({"s": S, "y": Y}), score="S", label="y"
        ),
        'Did you mean "s"',
    ),
    "a dict as a frame": (lambda: best_of_frame({"s": S, "y": Y}), "use ordcut.optimal_thresh"),
    "thresholds out of order": (
        lambda: ordcut.Thresholds.from_values([2, 1], [0, 1, 2]), "ascending order",
    ),
}  # fmt: skip

#: What is tried, and the warning it must give.
WARNINGS = {
    "numbers as text far apart": (
        lambda: best((Y * 5).astype(str)), ordcut.UnorderedLabelsWarning, "labels.astype(float)",
    ),
    "an unordered categorical": (
        lambda: best(pd.Categorical(NAMES, ORDER)),
        ordcut.UnorderedLabelsWarning,
        "'low' < 'mid' < 'high' < 'top'",
    ),
    "scores the wrong way": (lambda: best(Y, -S), ordcut.ReversedScoresWarning, "-scores"),
    "one-hot labels of pandas": (
        lambda: best(pd.get_dummies(NAMES)), ordcut.UnorderedLabelsWarning, "classes=",
    ),
    "a table of scores the wrong way": (
        lambda: ordcut.ScoreTable(-S, Y), ordcut.ReversedScoresWarning, "-scores",
    ),
    "series with different indexes": (
        lambda: best(pd.Series(Y, index=np.arange(N) + 7), pd.Series(S)),
        ordcut.DifferentIndexWarning,
        "reset_index(drop=True)",
    ),
    "a frame with scores the wrong way": (
        lambda: ordcut.frames.optimal_thresholds(
            pl.DataFrame({"s": -S, "y": Y}), score="s", label="y"
        ),
        ordcut.ReversedScoresWarning,
        "-scores",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_a_first_try_gives_the_right_result(name):
    result, expected = RIGHT[name]()
    assert result == expected


@pytest.mark.parametrize("name", ERRORS)
def test_a_mistake_is_an_error_that_says_what_to_do(name):
    attempt, message = ERRORS[name]
    with pytest.raises((ValueError, TypeError), match=message):
        attempt()


@pytest.mark.parametrize("name", WARNINGS)
def test_what_looks_like_a_mistake_is_a_warning(name):
    attempt, category, message = WARNINGS[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        attempt()
    assert any(w.category is category and message in str(w.message) for w in caught)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("OrdinalLogisticRegression", "It is in ordcut.estimators"),
        ("ThresholdDisplay", "It is in ordcut.plots"),
        ("optimal_threshold", "Did you mean 'optimal_thresholds'"),
        ("load", "Use ordcut.Thresholds.from_json"),
        ("drift", r"Use result.drift\(scores\)"),
    ],
)
def test_a_name_that_is_elsewhere_is_an_error_that_says_where(name, hint):
    with pytest.raises(AttributeError, match=hint):
        getattr(ordcut, name)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("summary", r"Use print\(result.explain"),
        ("to_dict", "Use result.to_json"),
        ("confusion_matrix", "Use sklearn.metrics.confusion_matrix"),
        ("cutoffs", "Use result.thresholds"),
        ("score", "Use ordcut.evaluate"),
        ("conf_int", r"Use result.bootstrap\(\).intervals"),
        ("predit", "Did you mean 'predict'"),
    ],
)
def test_an_attribute_of_other_libraries_is_an_error_that_says_what_to_use(name, hint):
    with pytest.raises(AttributeError, match=hint):
        getattr(best(Y), name)


def test_attributes_of_statsmodels_are_in_the_summary():
    model = OrdinalLogisticRegression().fit(S[:, None], Y)
    with pytest.raises(AttributeError, match=r"Use summary\(\), which has pvalues"):
        model.pvalues  # noqa: B018
    assert not hasattr(model, "unknown")


@pytest.mark.parametrize(
    ("name", "hint"), [("CoralLoss", "AllThresholdLoss"), ("ThresholdCallback", "OptimalThresh")]
)
def test_names_of_other_libraries_for_networks_are_suggested(name, hint):
    with pytest.raises(AttributeError, match=f"Did you mean '{hint}"):
        getattr(ordcut.torch, name)


def test_a_result_explains_itself():
    text = best(Y, classes=range(6)).explain()
    assert "No score is labelled" in text
    assert "No other thresholds do better there" in text
    smoothed = best(Y, smoothing=0.5).explain()
    assert "on the observed labels, other thresholds may be better" in smoothed
    assert "No other" not in smoothed
    given = best(Y).moved(0, 1.0).explain()
    assert "not claimed to be optimal" in given
