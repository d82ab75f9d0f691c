"""Draw thresholds.png, the picture of the README: the top of a page of ordcut in Chromium."""

import shutil
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_predict
from sklego.datasets import load_abalone

from ordcut import report

abalones = load_abalone(as_frame=True)
sizes = abalones.drop(columns=["sex", "rings"]).clip(lower=0.001)
age = cross_val_predict(LinearRegression(), np.log(sizes), abalones.rings + 1.5, cv=5)
groups = np.digitize(abalones.rings, [6, 8, 10, 12, 14, 17]) + 1

with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    page = Path(folder) / "page.html"
    report.page(age, groups, path=page, objective="quadratic_kappa",
                score_name="predicted age", label_name="age group")  # fmt: skip
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
    view = browser.new_page(viewport={"width": 1150, "height": 957})
    view.goto(page.as_uri())
    view.get_by_role("slider").first.wait_for()
    # Without the line with the name of the library above, and the second plot below.
    part = {"x": 0, "y": 76, "width": 1150, "height": 832}
    view.screenshot(path=Path(__file__).parent / "thresholds.png", clip=part)
    browser.close()
