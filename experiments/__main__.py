"""Run the paper's experiment, or print its table: ``python -m experiments --help``."""

from experiments.command import experiment

if __name__ == "__main__":
    experiment(prog_name="python -m experiments")
