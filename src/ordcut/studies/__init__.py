"""Studies of thresholds: paths, learning curves, label sets, labelings, and metrics."""
