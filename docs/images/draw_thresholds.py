"""Draw thresholds.png, the picture of the README: the top of a page of ordcut in Chromium."""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from ordcut.cli.demo import find_thresholds, load_abalones, page_of

abalones, _ = load_abalones()
thresholds = find_thresholds(abalones)

with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    page = Path(folder) / "page.html"
    page.write_text(page_of(abalones, thresholds), encoding="utf-8")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
    view = browser.new_page(viewport={"width": 1150, "height": 1000})
    view.goto(page.as_uri())
    view.get_by_role("slider").first.wait_for()
    # Without the line with the name of the library above, and the second plot below.
    part = {"x": 0, "y": 76, "width": 1150, "height": 636}
    view.screenshot(path=Path(__file__).parent / "thresholds.png", clip=part)
    browser.close()
