"""How thresholds do on rows not seen: `python -m benchmarks.generalisation`."""
