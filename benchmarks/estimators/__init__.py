"""The estimators measured against other libraries: `python -m benchmarks.estimators`."""
