"""Write rows as CSV and as a Markdown table."""

import csv
from pathlib import Path

from experiments.versions import describe_versions

RESULTS = Path(__file__).parent / "results"


def write_csv(name: str, rows: list[dict]) -> None:
    """Write rows that share their keys."""
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def markdown(rows: list[dict]) -> str:
    """Return rows as a Markdown table."""
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    lines += ["| " + " | ".join(str(row[name]) for name in names) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def write_markdown(name: str, title: str, text: str) -> None:
    """Write a page of results."""
    RESULTS.mkdir(exist_ok=True)
    page = f"# {title}\n\n{text.strip()}\n\nMade with {describe_versions()}.\n"
    (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")
