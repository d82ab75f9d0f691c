"""The cost of exact thresholds inside an engine, relative to a plain group-by."""
