"""What thresholds are judged by."""
