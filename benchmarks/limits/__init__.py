"""Thresholds within limits: whole calls, over the calls without limits, a sort, and CP-SAT."""
