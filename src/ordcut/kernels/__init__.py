"""Loops over arrays that somebody else has checked: pure, typed by their arguments, compiled late.

A kernel validates nothing, takes and fills arrays, and runs unchanged as plain Python.
"""
