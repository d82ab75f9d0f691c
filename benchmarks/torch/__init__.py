"""Measurements of ``ordcut.torch``."""
