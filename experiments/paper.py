"""The paper's experiment on all of its data sets, with both networks, and one Table 1."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from experiments.files import write_rows, write_text
from experiments.layouts import LAYOUTS, find_datasets
from experiments.progress import Progress
from experiments.published import NETWORKS
from experiments.runs import Runs
from experiments.settings import (
    CHANGEABLE,
    DEFAULTS,
    PAPER_FILE,
    SYNTHETIC,
    SYNTHETIC_DEFAULTS,
    Settings,
    read_run,
)
from experiments.stages import PAPER_METHODS
from experiments.table import as_latex, as_markdown, as_rows, describe, read_times
from experiments.versions import describe_versions

#: What ``--quick`` changes: a few small photographs of each data set, or synthetic faces.
QUICK = {"image_size": 32, "batch_size": 64, "epochs": 2, "sample": 500, "allow_empty": True}
QUICK_SYNTHETIC = {**SYNTHETIC_DEFAULTS, "epochs": 3}


def paper_runs(root: Path | None, *, quick: bool = False, **given: Any) -> dict[str, Settings]:
    """Return the settings of each run of the paper, by the name of its folder.

    Parameters
    ----------
    root : Path, optional
        A folder that contains the data sets, anywhere in it. Without it, ``quick`` runs on
        synthetic faces.
    quick : bool
        Whether to try it on a few pictures.
    **given
        Settings to use instead of those of the paper, such as the device.

    Examples
    --------
    >>> runs = paper_runs(None, quick=True)
    >>> [(name, settings.network, settings.epochs) for name, settings in runs.items()]
    [('synthetic-resnet10', 'resnet10', 3)]
    """
    if root is None:
        if not quick:
            raise ValueError(
                "--root must be the folder of the pictures, got none. --quick alone tries the "
                "experiment on synthetic faces."
            )
        settings = Settings(SYNTHETIC, time_also=PAPER_METHODS, **{**QUICK_SYNTHETIC, **given})
        return {f"{SYNTHETIC}-{settings.network}": settings}
    if not root.is_dir():
        raise ValueError(f"--root must be a folder of pictures; {root} is not one.")
    folders = find_datasets(root)
    if not folders:
        names = "; ".join(f"{layout.title}: {layout.example}" for layout in LAYOUTS.values())
        raise ValueError(f"--root must contain pictures of the data sets, got none. {names}.")
    defaults = {**DEFAULTS, **(QUICK if quick else {}), **given}
    base = Settings(SYNTHETIC, time_also=PAPER_METHODS, **defaults)
    return {
        f"{dataset}-{network}": replace(base, dataset=dataset, root=str(folder), network=network)
        for dataset, folder in folders.items()
        for network in NETWORKS
    }


def start_paper(runs: dict[str, Settings], out: Path, progress: Progress | None = None) -> str:
    """Complete the runs of the paper in a folder, and return its Table 1 as text.

    The table is also written to ``table1.txt``, ``.md``, ``.tex`` and ``.csv``, anew after each
    run.
    """
    if (out / PAPER_FILE).exists():
        raise FileExistsError(
            f"{out} already contains a run. Continue it with --resume, or choose another --out."
        )
    progress = progress or Progress()
    batch = Runs(runs, out, progress)
    batch.check()
    missing = [layout.title for name, layout in LAYOUTS.items() if f"{name}-resnet18" not in runs]
    if missing and len(missing) < len(LAYOUTS):
        progress.note(
            f"No pictures of {' and '.join(missing)} were found; their columns are left out."
        )
    out.mkdir(parents=True, exist_ok=True)
    _write_runs(runs, out)
    return _finish(batch)


def resume_paper(out: Path, given: dict[str, Any], progress: Progress | None = None) -> str:
    """Continue the runs of the paper after their last checkpoints; return Table 1 as text."""
    described = read_run(out, PAPER_FILE)["runs"]
    changed = {name: value for name, value in given.items() if name in CHANGEABLE}
    runs = {
        name: replace(Settings.from_json(settings), **changed)
        for name, settings in described.items()
    }
    _write_runs(runs, out)
    return _finish(Runs(runs, out, progress or Progress()))


def _write_runs(runs: dict[str, Settings], out: Path) -> None:
    description = {"runs": {name: settings.to_json() for name, settings in runs.items()}}
    write_text(out / PAPER_FILE, json.dumps(description, indent=2))


def _finish(runs: Runs) -> str:
    runs.finish(lambda: write_tables(runs.out))
    return (runs.out / "table1.txt").read_text(encoding="utf-8")


def write_tables(out: Path) -> None:
    """Write Table 1 of the runs in a folder, as text, Markdown, LaTeX and CSV."""
    times, made = read_times([out]), f"Made with {describe_versions()}."
    write_text(out / "table1.txt", f"{describe(times)}\n\n{made}\n")
    write_text(out / "table1.md", f"{as_markdown(times)}\n{made}\n")
    write_text(out / "table1.tex", f"% {made}\n{as_latex(times)}")
    write_rows(out / "table1.csv", as_rows(times))
