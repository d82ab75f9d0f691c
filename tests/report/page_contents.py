"""The content of a page, as its script reads it."""

import json
import re

from ordcut.report import page_from_source


def written_in(page):
    """Return the content that is written in a page, as it is written."""
    return json.loads(re.search(r'id="content">(.*?)</script>', page).group(1))


def content_of(page):
    """Return the content of a page with all counts and costs as numbers."""
    content = written_in(page)
    counts = [[int(text or "0", 32) for text in row.split(",")] for row in content["counts"]]
    rules = {each["name"]: each["rule"] for each in content["objectives"]}
    objectives = []
    for objective in content["objectives"]:
        cost = objective["rule"].get("cost")
        cost = rules[cost]["cost"] if isinstance(cost, str) else cost
        objectives.append({**objective, "cost": cost})
    ranges = {int(index): pair for index, pair in content["ranges"].items()}
    return {**content, "counts": counts, "objectives": objectives, "ranges": ranges}


def page_content(source, thresholds=None, objective=None):
    """Return the content of the page about the rows of a source."""
    return content_of(page_from_source(source, thresholds, objective, intervals={}))
