"""Judges calibrated to people: ``python -m benchmarks.judges``."""
