"""Comparisons of the estimators with other libraries: `python -m benchmarks.estimators`."""
