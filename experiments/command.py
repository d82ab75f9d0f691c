"""The command line, ``python -m experiments``: run the experiment, and print its tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from experiments.layouts import LAYOUTS
from experiments.settings import (
    ACCELERATORS,
    DEFAULTS,
    LEARNING_RATE,
    LOGS,
    LOSSES,
    NETWORKS,
    OBJECTIVES,
    PAPER_FILE,
    SCHEDULES,
    SCORES,
    STUDY_FILE,
    SYNTHETIC,
    SYNTHETIC_DEFAULTS,
    TABULAR_FILE,
    Settings,
    read_run,
)
from experiments.stages import EXPERIMENT_METHODS

#: Options that apply to photographs only.
PHOTOGRAPH_OPTIONS = (
    "root",
    "training_csv",
    "validation_csv",
    "test_csv",
    "skip_damaged",
    "skip_unparsed",
    "allow_empty",
    "sample",
)
#: Options that apply to synthetic faces only.
SYNTHETIC_OPTIONS = ("n_images", "n_classes")

#: The number of calls that ``--published`` measures; it reports their median.
N_CALLS = 11

#: The exit code after Ctrl-C, as in shells.
INTERRUPTED = 130

FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, resolve_path=True)
AT_LEAST_1 = click.IntRange(min=1)


def _default(name: str) -> str:
    return f"[default: {DEFAULTS[name]}; for synthetic {SYNTHETIC_DEFAULTS[name]}]"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def experiment() -> None:
    """Run the experiments of the paper and of the earlier study, and print their tables."""


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
@click.option("--validation-csv", type=FILE, help="The validation pictures, as CSV.")
@click.option("--test-csv", type=FILE, help="The test pictures, as CSV.")
@click.option(
    "--split-by",
    type=click.Choice(["picture", "subject"]),
    help="Whether pictures or persons are sampled for validation and for the test set. [default: "
    "picture, as in the paper; with --folds, subject where file names identify persons]",
)
@click.option(
    "--test-share",
    type=click.FloatRange(0, 0.9),
    default=0.0,
    show_default="0, as in the paper",
    help="The share of the pictures to set aside as a test set, to evaluate the best epoch on.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    help="Split the pictures into this many parts, and run once with each as the test set.",
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
    type=click.Choice(OBJECTIVES),
    default="absolute",
    show_default=True,
    help="The objective of the thresholds.",
)
@click.option(
    "--method",
    type=click.Choice(EXPERIMENT_METHODS),
    default="auto",
    show_default=True,
    help="How thresholds are found; literal, literal-io, literal-pio and literal-blocks-2 to -4 "
    "are the paper's DP, IO, PIO and Algorithm 4 as plain Python loops, and blocks-2 to -4 the "
    "library's Algorithm 4 with as many blocks.",
)
@click.option(
    "--time-also",
    type=click.Choice(EXPERIMENT_METHODS),
    multiple=True,
    help="Another method to time on the same scores, for the table; can be repeated.",
)
@click.option(
    "--scores",
    type=click.Choice(SCORES),
    default=SCORES[0],
    show_default=True,
    help="The scores of the training pictures that thresholds are found on.",
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
@click.option(
    "--lr",
    type=click.FloatRange(min=0, min_open=True),
    default=LEARNING_RATE,
    show_default=f"{LEARNING_RATE:.6f}, 10 to the power -2.5",
    help="The learning rate of Adam.",
)
@click.option(
    "--schedule",
    type=click.Choice(SCHEDULES),
    default="none",
    show_default="none, as in the paper",
    help="How the learning rate changes: down to 0 along a cosine, or to a tenth after each third "
    "of the epochs.",
)
@click.option(
    "--weight-decay",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default="0, as in the paper",
    help="The decay of weights, as in AdamW; biases and normalisations do not decay.",
)
@click.option(
    "--pretrained",
    type=FILE,
    help="Parameters to start from, with torchvision's names: a state dict of torch.save, or a "
    ".safetensors file. Pictures are then normalised as for ImageNet.",
)
@click.option(
    "--amp", is_flag=True, help="Compute the network in mixed precision, on the CPU in bfloat16."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--seeds",
    type=AT_LEAST_1,
    default=1,
    show_default=True,
    help="The number of runs, with seeds from --seed on; reports mean and standard deviation.",
)
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
@click.option(
    "--sample",
    type=AT_LEAST_1,
    help="Use this many random photographs, to try a data set. [default: all]",
)
@click.option("--skip-damaged", is_flag=True, help="Leave out pictures that cannot be read.")
@click.option("--skip-unparsed", is_flag=True, help="Leave out files whose names do not parse.")
@click.option("--allow-empty", is_flag=True, help="Allow classes without a picture.")
@click.option(
    "--workers",
    type=click.IntRange(min=0),
    help=f"The number of processes that read pictures. {_default('workers')}",
)
@click.option(
    "--log",
    type=click.Choice(LOGS),
    default="csv",
    show_default=True,
    help="csv writes epochs.csv only; tensorboard also writes event files.",
)
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, mps …")
@click.option(
    "--devices",
    type=AT_LEAST_1,
    default=1,
    show_default=True,
    help="The number of devices to train on, with one process each (DDP).",
)
@click.option(
    "--accelerator",
    type=click.Choice(ACCELERATORS),
    default="auto",
    show_default=True,
    help="The kind of devices for --devices.",
)
@click.pass_context
def face_age(ctx: click.Context, /, out: Path, resume: bool, **options: Any) -> None:
    """Learn ages from faces, with optimal thresholds after every epoch.

    The defaults are the paper's protocol: 90 % of the pictures for training and 10 % for
    validation, one seed, Adam without a schedule or weight decay, and no test set. The best epoch
    of each labeling and task loss is chosen and reported by its validation error.

    Writes to --out: epochs.csv (errors and times of each epoch), times.csv (every time that was
    measured), labelings.csv (each labeling, task loss and epoch), results.csv (the best epochs),
    checkpoint.pt, best.pt and thresholds.json (of the best epoch with optimal thresholds),
    curves.png, run.json and the split. With --seeds or --folds, each run has its own folder, and
    summary.csv contains means, standard errors and paired tests.
    """
    _require_packages()
    from experiments.progress import TerminalProgress
    from experiments.run import resume_run, start_run
    from experiments.study import resume_study, start_study

    given = _given(ctx, options)
    progress = TerminalProgress()
    with _errors_as_messages(ctx):
        if resume and (out / STUDY_FILE).exists():
            resume_study(out, _with_device(given), progress)
        elif resume and (out / "run.json").exists():
            resume_run(out, _with_device(given), progress)
        else:
            if resume:
                progress.note(f"{out} contains no run yet. Starting one.")
            settings = _settings(_with_device({"device": "auto", **given}))
            start = start_study if settings.is_study else start_run
            start(settings, out, progress)
    _print_results(out)


@experiment.command("paper")
@click.option(
    "--root", type=FOLDER, help="A folder that contains MORPH-2, CACD and AFAD, anywhere in it."
)
@click.option("--out", type=FOLDER, required=True, help="The folder for all output.")
@click.option("--resume", is_flag=True, help="Continue the runs in --out.")
@click.option(
    "--quick",
    is_flag=True,
    help="Try it: on 500 small pictures of each data set, or without --root on synthetic faces.",
)
@click.option("--epochs", type=AT_LEAST_1, help="The number of epochs. [default: 100]")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--skip-damaged", is_flag=True, help="Leave out pictures that cannot be read.")
@click.option("--skip-unparsed", is_flag=True, help="Leave out files whose names do not parse.")
@click.option(
    "--workers", type=click.IntRange(min=0), help="The number of processes that read pictures."
)
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, mps …")
@click.pass_context
def paper(
    ctx: click.Context, /, root: Path | None, out: Path, resume: bool, **options: Any
) -> None:
    """Run the paper's experiment on all data sets below --root, and print its Table 1.

    Trains ResNet18 and ResNet34 on each data set for 100 epochs, with the absolute loss, and times
    the paper's DP, IO, PIO and Algorithm 4 with 2, 3 and 4 blocks after every epoch, as loops and
    in ordcut. A run that was interrupted continues with --resume. Writes a folder per run to --out,
    and table1.txt, .md, .tex and .csv after each run.
    """
    _require_packages()
    from experiments.paper import paper_runs, resume_paper, start_paper
    from experiments.progress import TerminalProgress

    given = _given(ctx, options)
    with _errors_as_messages(ctx):
        if resume and (out / PAPER_FILE).exists():
            text = resume_paper(out, _with_device(given), TerminalProgress())
        else:
            quick = given.pop("quick", False)
            runs = paper_runs(
                root and root.resolve(), quick=quick, **_with_device({"device": "auto", **given})
            )
            text = start_paper(runs, out, TerminalProgress())
    click.echo(text)
    click.echo(f"Wrote {out}.")


@experiment.command("tabular")
@click.option("--out", type=FOLDER, required=True, help="The folder for all output.")
@click.option("--resume", is_flag=True, help="Continue the study in --out.")
@click.option("--quick", is_flag=True, help="Try it on two small data sets, in a minute or two.")
@click.pass_context
def tabular(ctx: click.Context, /, out: Path, resume: bool, quick: bool) -> None:
    """Compare eight ways to learn a score and the labelings of each on tabular data.

    Trains a linear model and a small network by each of the losses of the earlier study, on ten
    random splits of twelve real data sets that ship inside packages, and tests every labeling at
    the epoch that is best for it by validation, for the absolute, the squared and the zero-one
    loss. Writes results.csv, and the mean ranks as ranks.csv, ranks.md and ranks.png. Takes about
    ten minutes on two cores. A study that was interrupted continues with --resume.
    """
    _require_packages()
    from experiments.progress import TerminalProgress
    from experiments.ranks import as_markdown
    from experiments.tabular import TabularSettings, resume_tabular, start_tabular

    with _errors_as_messages(ctx):
        if resume and (out / TABULAR_FILE).exists():
            ranks = resume_tabular(out, TerminalProgress())
        else:
            settings = TabularSettings.quick() if quick else TabularSettings()
            ranks = start_tabular(settings, out, TerminalProgress())
    click.echo(as_markdown(ranks))
    click.echo(f"Wrote {out}.")


@experiment.command("table")
@click.argument("runs", nargs=-1, type=FOLDER)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "latex"]),
    default="text",
    show_default=True,
)
@click.option("--csv", "csv_file", type=FILE, help="Also write the table of RUNS to a CSV file.")
@click.option(
    "--published",
    is_flag=True,
    help="Also print the paper's table, with times to find thresholds measured on this machine.",
)
def table(runs: tuple[Path, ...], form: str, csv_file: str | None, published: bool) -> None:
    """Print the paper's Table 1 for RUNS, which are --out folders, with the published minutes.

    Runs on several data sets and with several networks become one table. Minutes are for the 100
    epochs of the paper: medians and quartiles of all epochs and calls.
    """
    _require_packages()
    from experiments.files import write_rows
    from experiments.published import describe_projection, project
    from experiments.table import as_latex, as_markdown, as_rows, describe, read_times

    if not (runs or published):
        raise click.UsageError("RUNS must name at least one run, or pass --published.")
    try:
        times = read_times(runs)
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    if times:
        click.echo({"text": describe, "markdown": as_markdown, "latex": as_latex}[form](times))
    if times and csv_file is not None:
        write_rows(Path(csv_file), as_rows(times))
    if published:
        click.echo(describe_projection(project(n_calls=N_CALLS)))


@contextmanager
def _errors_as_messages(ctx: click.Context) -> Iterator[None]:
    """Print the message of an error instead of a traceback, and how to continue after Ctrl-C."""
    try:
        yield
    except (ValueError, OSError, ImportError, RuntimeError) as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        click.echo("Interrupted. Continue the run with --resume.", err=True)
        ctx.exit(INTERRUPTED)


def _given(ctx: click.Context, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were passed on the command line."""
    return {
        name: value
        for name, value in options.items()
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


def _require_packages() -> None:
    """Raise an error for missing packages before a run starts."""
    missing = [name for name in ("torch", "PIL", "matplotlib", "rich") if find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f"The experiment needs packages that are not installed: {', '.join(missing)}. "
            "Install them in a checkout with: pip install --editable . --group experiment."
        )


def _settings(given: dict[str, Any]) -> Settings:
    """Return the settings for the given options, with the defaults of the data set."""
    dataset = given.get("dataset")
    if dataset is None:
        raise ValueError(f"--dataset must be one of {', '.join([*LAYOUTS, SYNTHETIC])}, got none.")
    if dataset != SYNTHETIC and given.get("root") is None:
        raise ValueError(f"--root must be the folder of the pictures of {dataset}, got none.")
    _check_use(given)
    defaults = SYNTHETIC_DEFAULTS if dataset == SYNTHETIC else DEFAULTS
    if given.get("folds") and dataset != SYNTHETIC and LAYOUTS[dataset].has_subjects:
        defaults = {**defaults, "split_by": "subject"}
    if "accelerator" in given and given.get("devices", 1) == 1:
        raise ValueError("--accelerator needs --devices of 2 or more. For one, use --device.")
    return Settings(**{**defaults, **given})


def _check_use(given: dict[str, Any]) -> None:
    """Raise an error for an option that would be ignored."""
    is_synthetic, is_listed = given["dataset"] == SYNTHETIC, "training_csv" in given
    for names, is_ignored, reason in (
        (PHOTOGRAPH_OPTIONS, is_synthetic, "is for photographs, and synthetic faces are generated"),
        (SYNTHETIC_OPTIONS, not is_synthetic, "is for --dataset synthetic"),
        (("split_by",), is_listed, "is for a random split, and --training-csv lists the parts"),
    ):
        for name in names:
            if is_ignored and name in given:
                raise ValueError(f"--{name.replace('_', '-')} {reason}. Leave it out.")


def _with_device(given: dict[str, Any]) -> dict[str, Any]:
    """Return the given options, with the name of an available device instead of ``auto``."""
    if "device" not in given:
        return given
    if given.get("devices", 1) > 1:
        if given["device"] != "auto":
            raise ValueError("--device is for one device. With --devices, use --accelerator.")
        return {name: value for name, value in given.items() if name != "device"}
    return {**given, "device": _choose_device(given["device"])}


def _choose_device(name: str) -> str:
    import torch

    if name != "auto":
        try:
            torch.empty(0, device=name)
        except (RuntimeError, AssertionError) as error:
            raise click.BadParameter(f"{name} is not available as a device: {error}") from error
        return name
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _print_results(out: Path) -> None:
    """Print the results of the best epoch of a run, or their mean and spread over a study."""
    from experiments.files import load_state
    from experiments.measures import best_epochs
    from experiments.study import read_results
    from experiments.summary import describe_results, describe_summary, summarise

    if (out / STUDY_FILE).exists():
        settings = Settings.from_json(read_run(out, STUDY_FILE)["settings"])
        click.echo(describe_summary(summarise(read_results(out, list(settings.runs())))))
    else:
        state = load_state(out / "checkpoint.pt")
        best, n_epochs = state["best"], len(state["rows"])
        click.echo(f"Best epoch by validation: {best['epoch']} of {n_epochs}.")
        click.echo(describe_results(best_epochs(state["labelings"])))
    click.echo(f"Wrote {out}.")
