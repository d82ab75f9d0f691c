"""The paper's experiment: age from faces, with optimal thresholds at every epoch, and Table 1."""
