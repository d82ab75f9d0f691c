"""A real browser that opens pages from disk, and checks every page that a test opens."""

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from ordcut import report

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """Let one worker run all tests of the browser, so that it is started once."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="package")
def browser():
    """Chromium, for the tests of this folder: its event loop disturbs those of other libraries."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        missing = "needs Chromium, which is not installed: run `make programs`"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Write a report and open it; no page may log a message or request anything."""
    contexts, messages, requests = [], [], []

    def open_report(scores, labels, *, context=None, **options):
        path = tmp_path / f"page-{len(contexts)}.html"
        report.page(scores, labels, path=path, **{"bootstrap": False, **options})
        assert path.stat().st_size < 600_000
        view = browser.new_context(
            **{"viewport": {"width": 1100, "height": 900}, **(context or {})}
        )
        contexts.append(view)
        page = view.new_page()
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("dialog", lambda dialog: messages.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        page.get_by_role("slider").first.wait_for()
        return page

    yield open_report
    for view in contexts:
        view.close()
    assert messages == []
    assert [url for url in requests if not url.startswith(("file:", "blob:"))] == []
    assert sum(url.startswith("file:") for url in requests) == len(contexts)
