"""Problems whose results JSON must hold; ``python -m tests.golden.problems`` writes the files."""

from pathlib import Path

import numpy as np

import ordcut

FOLDER = Path(__file__).parent
INDICES = np.arange(40)
SCORES = np.round(np.sin(INDICES) + INDICES / 13, 2)
LABELS = np.minimum((INDICES * 7 % 11 + INDICES // 4) // 4 % 5, 3)
NAMES = ["früh", "mittel", "spät", "nie"]
COSTS = [[0, 1, 4, 9], [2, 0, 1, 4], [8, 2, 0, 1], [18, 8, 2, 0]]

#: The options of each problem.
OPTIONS = {
    "absolute": {},
    "names": {"objective": "zero_one", "classes": NAMES},
    "kappa": {"objective": "quadratic_kappa"},
    "segments": {"objective": "macro_f1"},
    "costs": {"objective": COSTS},
    "decisions": {"objective": COSTS[:2], "decisions": ["keep", "drop"]},
    "smoothed": {"smoothing": 0.5},
    "infinite": {"classes": [0, 1, 2]},
    "limited": {"constraints": ["recall 2 >= 0.5", "digits 1"]},
    "confident": {"constraints": ["share 3 <= 0.6 with 90%"]},
    "review": {"review": 0.25},
}


def solve(name):
    scores, labels = (SCORES, LABELS) if name != "infinite" else ([1, 2, 3], [1, 1, 1])
    labels = np.array(NAMES)[labels] if name == "names" else labels
    return ordcut.optimal_thresholds(scores, labels, **OPTIONS[name])


if __name__ == "__main__":
    for name in OPTIONS:
        (FOLDER / f"{name}.json").write_text(
            solve(name).to_json(time=False) + "\n", encoding="utf-8"
        )
