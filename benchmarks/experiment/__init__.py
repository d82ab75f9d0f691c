"""The paper's experiment, measured: its Table 1 again, and a run on synthetic faces."""
