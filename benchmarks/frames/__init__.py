"""What exact thresholds cost inside an engine, in plain group-bys of the same files."""
