"""Arithmetic without rounding, kernels, and threads."""
