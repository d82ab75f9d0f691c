"""Private sizes at which the library changes its way of working, made small so that few rows do.

Tests change such sizes only here, by names of their own, so that a constant that moves or gets
another name is changed in one place.
"""

from importlib import import_module

#: The module and the constant of each size.
WHERE = {
    "counters": ("ordcut._core.pruning.arrays", "N_COUNTERS"),
    "least_cells": ("ordcut._core.pruning.arrays", "LEAST_CELLS"),
    "rows_at_once": ("ordcut._core.pruning.arrays", "PIECE_SIZE"),
    "most_decisions_bounded": ("ordcut._core.pruning.bounds", "MOST_DECISIONS"),
    "segment_ranges": ("ordcut._core.pruning.segment_bounds", "N_RANGES"),
    "segment_parts": ("ordcut._core.pruning.segment_bounds", "N_PARTS"),
    "most_segment_ranges": ("ordcut._core.pruning.segment_bounds", "MOST_RANGES"),
    "many_segment_pairs": ("ordcut._core.pruning.segment_bounds", "MANY_PAIRS"),
    "most_segment_points": ("ordcut._core.pruning.segment_bounds", "MOST_POINTS"),
    "segment_pairs_per_row": ("ordcut._core.pruning.segment_bounds", "PAIRS_PER_ROW"),
    "few_segment_pairs": ("ordcut._core.pruning.segment_bounds", "FEW_PAIRS"),
    "labelled_rows": ("ordcut._core.solvers.near_paths", "BLOCK"),
    "most_segment_cuts": ("ordcut._core.solvers.segment_sums", "MOST_CUTS"),
    "segment_step": ("ordcut._core.solvers.segment_sums", "STEP"),
    "steps_to_sort": ("ordcut._core.solve", "STEPS_TO_SORT"),
    "steps_of_round": ("ordcut._core.pruning.pruned", "STEPS_OF_ROUND"),
    "steps_to_prune": ("ordcut._core.solvers.choose", "FEWEST_STEPS_TO_PRUNE"),
    "frame_cells": ("ordcut.frames.source", "N_CELLS"),
    "frame_parts": ("ordcut.frames.source", "N_PARTS"),
    "few_frame_rows": ("ordcut.frames.source", "FEW_ROWS"),
    "few_frame_share": ("ordcut.frames.source", "FEW_SHARE"),
    "most_cached": ("ordcut.frames.engine", "MOST_CACHED"),
    "page_rows_to_sort": ("ordcut.report.candidates", "MOST_ROWS_TO_SORT"),
    "replicates_at_once": ("ordcut._core.uncertainty.replicates", "MOST_ENTRIES"),
    "draws_at_once": ("ordcut._core.uncertainty.value_bounds", "MOST_ENTRIES"),
    "least_feasible_share": ("ordcut._core.uncertainty.replicates", "LEAST_FEASIBLE"),
    "least_amount_of_smoothing": ("ordcut._core.smoothing.blending", "LEAST"),
}


def size_of(name):
    """Return a size as the library has it."""
    module, constant = WHERE[name]
    return getattr(import_module(module), constant)


def set_sizes(monkeypatch, **sizes):
    """Set sizes until the end of a test."""
    for name, size in sizes.items():
        module, constant = WHERE[name]
        monkeypatch.setattr(import_module(module), constant, size)


def prune_from(monkeypatch, n_rows):
    """Let ``method="auto"`` prune problems of every kind that have more than a number of rows."""
    steps = 10**9  # for each row, so that no search gives up
    set_sizes(monkeypatch, steps_to_sort=dict.fromkeys([True, False], steps))
    sizes = dict.fromkeys(size_of("steps_to_prune"), (steps * n_rows, 0))
    set_sizes(monkeypatch, steps_to_prune=sizes)
