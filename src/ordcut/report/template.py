"""The parts of a page put together: one HTML file that may run its own script and nothing else."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

#: The scripts of a page, in the order in which they need each other.
SCRIPTS = (
    "model.js",
    "numbers.js",
    "rules.js",
    "drawing.js",
    "risks.js",
    "sliders.js",
    "charts.js",
    "tables.js",
    "page.js",
)


def fill(title: str, facts: str) -> str:
    """Return the page with its title and its facts, which must be safe inside a ``script``."""
    parts = {"title": escape(title), "facts": facts, **_fixed_parts()}
    # In one pass, so that a name in the data that looks like a part of the page stays text.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _read("page.html"))


@cache
def _fixed_parts() -> dict[str, str]:
    style = "\n" + _read("page.css")
    script = '\n"use strict";\n(() => {\n' + "\n".join(map(_read, SCRIPTS)) + "})();\n"
    # Only what has these hashes may run, and nothing may be fetched or sent.
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return {"style": style, "script": script, "policy": policy}


def _read(name: str) -> str:
    return (files("ordcut.report") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
