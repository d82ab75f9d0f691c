"""Write the rows of a benchmark as CSV, with all digits, and as Markdown, for readers."""

import csv
from pathlib import Path
from typing import Any

from benchmarks.machine import describe_machine

Row = dict[str, Any]


def write_csv(rows: list[Row], file: Path) -> None:
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_markdown(rows: list[Row], about: str, picture: str | None, file: Path) -> None:
    parts = [f"# {file.stem}", about.strip(), describe_machine()]
    if picture:
        parts.append(f"![{file.stem}]({picture})")
    lines = [_line(rows[0]), _line(["---"] * len(rows[0]))]
    lines += [_line(map(shown, row.values())) for row in rows]
    parts.append("\n".join(lines))
    file.write_text("\n\n".join(parts) + "\n")


def shown(value: Any) -> str:
    """Return a value as text for readers, a float with four significant digits."""
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _line(cells: Any) -> str:
    return "| " + " | ".join(cells) + " |"
