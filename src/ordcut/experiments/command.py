"""``ordcut experiment``: the paper's experiment, and its table of times."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ordcut.experiments.layouts import LAYOUTS
from ordcut.experiments.settings import LOSSES, NETWORKS, SCORES, SYNTHETIC, Settings
from ordcut.experiments.stages import EXPERIMENT_METHODS
from ordcut.objectives import COSTS, KAPPAS
from ordcut.threads import count_cores

#: Defaults of options: the paper's for photographs; for synthetic faces, a run of about a minute on
#: a CPU.
DEFAULTS: dict[str, Any] = {
    "network": "resnet18",
    "image_size": 128,
    "batch_size": 256,
    "epochs": 100,
    "workers": min(8, count_cores()),
}
SYNTHETIC_DEFAULTS: dict[str, Any] = {
    "network": "resnet10",
    "image_size": 32,
    "batch_size": 64,
    "epochs": 10,
    "workers": 0,
}

#: The number of calls that a time of ``--published`` is the median of.
N_CALLS = 11

FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, resolve_path=True)
AT_LEAST_1 = click.IntRange(min=1)


def _default(name: str) -> str:
    return f"[default: {DEFAULTS[name]}; for synthetic {SYNTHETIC_DEFAULTS[name]}]"


@click.group()
def experiment() -> None:
    """Run the paper's experiment, and print its table of times."""


@experiment.command("face-age")
@click.option("--dataset", type=click.Choice([*LAYOUTS, SYNTHETIC]), help="The data set.")
@click.option("--root", type=click.Path(resolve_path=True), help="The folder of the pictures.")
@click.option("--out", type=FOLDER, required=True, help="The folder for all output.")
@click.option("--resume", is_flag=True, help="Continue the run in --out.")
@click.option(
    "--training-csv",
    type=FILE,
    help="The training pictures: CSV with columns path (or file) and age.",
)
@click.option("--validation-csv", type=FILE, help="The same for validation.")
@click.option(
    "--split-by",
    type=click.Choice(["picture", "subject"]),
    default="picture",
    show_default=True,
    help="What is sampled for the 10 % held out for validation.",
)
@click.option(
    "--network",
    type=click.Choice(NETWORKS),
    help=f"The network. {_default('network')}",
)
@click.option(
    "--loss",
    type=click.Choice(LOSSES),
    default="olr",
    show_default=True,
    help="The loss of the network: the likelihood of ordinal logistic regression, the absolute "
    "deviation, or margins to the immediate (it) or all (at) thresholds.",
)
@click.option(
    "--objective",
    type=click.Choice([*COSTS, *KAPPAS]),
    default="absolute",
    show_default=True,
    help="The objective of the thresholds.",
)
@click.option(
    "--method",
    type=click.Choice(EXPERIMENT_METHODS),
    default="auto",
    show_default=True,
    help="How thresholds are found; literal is the paper's Algorithm 2 as plain Python loops.",
)
@click.option(
    "--time-also",
    type=click.Choice(EXPERIMENT_METHODS),
    multiple=True,
    help="Another method to time on the same scores, for the table; may be repeated.",
)
@click.option(
    "--scores",
    type=click.Choice(SCORES),
    default=SCORES[0],
    show_default=True,
    help="Which scores of the training pictures thresholds are found for.",
)
@click.option("--epochs", type=AT_LEAST_1, help=f"The number of epochs. {_default('epochs')}")
@click.option(
    "--batch-size",
    type=click.IntRange(min=2),
    help=f"The number of pictures in a batch. {_default('batch_size')}",
)
@click.option(
    "--image-size",
    type=click.IntRange(min=16),
    help=f"The side that pictures are resized to; crops are 15/16 of it. {_default('image_size')}",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--n-images",
    type=click.IntRange(min=4),
    default=2000,
    show_default=True,
    help="The number of synthetic faces.",
)
@click.option(
    "--n-classes",
    type=click.IntRange(min=3),
    default=10,
    show_default=True,
    help="The number of classes of synthetic faces.",
)
@click.option("--skip-damaged", is_flag=True, help="Leave out pictures that cannot be read.")
@click.option("--skip-unparsed", is_flag=True, help="Leave out files whose names do not parse.")
@click.option("--allow-empty", is_flag=True, help="Allow classes without a picture.")
@click.option(
    "--workers",
    type=click.IntRange(min=0),
    help=f"The number of processes that read pictures. {_default('workers')}",
)
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, mps …")
@click.pass_context
def face_age(ctx: click.Context, /, out: Path, resume: bool, **options: Any) -> None:
    """Learn ages from faces, with optimal thresholds after every epoch.

    Writes to --out: epochs.csv (errors and times of each epoch), checkpoint.pt, best.pt and
    thresholds.json (of the best epoch), curves.png, run.json and the split.
    """
    _require_packages()
    from ordcut.experiments.progress import TerminalProgress
    from ordcut.experiments.run import resume_run, start_run

    stated = {
        name: value
        for name, value in options.items()
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    if "device" in stated or not resume:
        stated["device"] = _choose_device(options["device"])
    progress = TerminalProgress()
    try:
        if resume and (out / "run.json").exists():
            rows = resume_run(out, stated, progress)
        else:
            if resume:
                progress.note(f"{out} holds no run yet. Starting one.")
            rows = start_run(_settings(stated), out, progress)
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    _print_best_epoch(rows, out)


@experiment.command("table")
@click.argument("runs", nargs=-1, type=FOLDER)
@click.option("--csv", "csv_file", type=FILE, help="Write the rows of RUNS to a CSV file as well.")
@click.option(
    "--published",
    is_flag=True,
    help="Also print the paper's table with threshold times measured here, at the same n and K.",
)
def table(runs: tuple[Path, ...], csv_file: str | None, published: bool) -> None:
    """Print the paper's Table 1 for RUNS, which are --out folders, with the published ratios."""
    _require_packages()
    from ordcut.experiments.files import write_rows
    from ordcut.experiments.published import describe_projection, project
    from ordcut.experiments.table import describe, read_times, table_rows

    if not (runs or published):
        raise click.UsageError("RUNS must name at least one run, or pass --published.")
    try:
        times = [one for run in runs for one in read_times(run)]
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    if times:
        click.echo(describe(times))
    if times and csv_file is not None:
        write_rows(Path(csv_file), table_rows(times))
    if published:
        click.echo(describe_projection(project(n_calls=N_CALLS)))


def _require_packages() -> None:
    """Raise an error for missing packages before a run starts, not when its curves are drawn."""
    missing = [name for name in ("torch", "PIL", "matplotlib", "rich") if find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f"ordcut experiment needs packages that are not installed: {', '.join(missing)}. "
            'Install them with: pip install "ordcut[experiment]".'
        )


def _settings(stated: dict[str, Any]) -> Settings:
    """Return the settings for stated options, with the defaults of their data set."""
    dataset = stated.get("dataset")
    if dataset is None:
        raise ValueError(f"--dataset must be one of {', '.join([*LAYOUTS, SYNTHETIC])}, got none.")
    if dataset != SYNTHETIC and stated.get("root") is None:
        raise ValueError(f"--root must be the folder of the pictures of {dataset}, got none.")
    if (stated.get("training_csv") is None) != (stated.get("validation_csv") is None):
        raise ValueError("--training-csv and --validation-csv must be given together, got one.")
    defaults = SYNTHETIC_DEFAULTS if dataset == SYNTHETIC else DEFAULTS
    return Settings(**{**defaults, **stated})


def _choose_device(name: str) -> str:
    import torch

    if name != "auto":
        try:
            torch.empty(0, device=name)
        except (RuntimeError, AssertionError) as error:
            raise click.BadParameter(f"{name} is not a device that works here: {error}") from error
        return name
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _print_best_epoch(rows: list[dict[str, Any]], out: Path) -> None:
    from ordcut.experiments.files import load_state

    best = load_state(out / "checkpoint.pt")["best"]["epoch"]
    row = rows[best - 1]
    click.echo(f"Best epoch: {best} of {len(rows)}. Validation error by labeling:")
    for name, value in row.items():
        if name.startswith("validation_") and value is not None:
            click.echo(f"  {name.removeprefix('validation_'):12}{value:.4f}")
    click.echo(f"Wrote {out}.")
