"""The risk of thresholds on new rows: `python -m benchmarks.generalisation`."""
