"""Memory beyond the input, as docs/measurements.md states it."""

import subprocess
import sys

import pytest

#: What each call takes at most, in times the memory of scores and labels.
MOST = {
    "optimal_thresholds(s, y)": 0.5,
    "optimal_thresholds(s, y, constraints='recall 4 >= 0.5')": 0.5,
    "optimal_thresholds(s, y, constraints='recall 2 >= 0.5')": 4.5,
    "optimal_thresholds(s, y, constraints='precision 4 >= 0.9 with 95 %')": 6.0,
    "optimal_thresholds(s, y, smoothing=0.1)": 2.0,
    "optimal_thresholds(s, y).bootstrap(20)": 2.0,
}

MEASURE = """
import sys
import numpy as np
import ordcut

def peak():
    line = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    return 1024 * int(line.split()[1])

def call(n):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, n)
    s = y + rng.normal(size=n)
    before = peak()
    eval("ordcut." + sys.argv[1], {"ordcut": ordcut, "s": s, "y": y})
    return (peak() - before) / (s.nbytes + y.nbytes)

call(200_000)  # compiles
print(call(5_000_000))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("expression", MOST)
def test_memory_is_bounded_by_a_few_times_the_input(expression):
    command = [sys.executable, "-c", MEASURE, expression]
    assert float(subprocess.check_output(command)) < MOST[expression]
