"""How quick ordcut is on a machine: the yardstick, the clocks and the problems to solve."""
