"""Boosted trees for ordered classes: objectives, evaluation metrics, rivals and speed."""
