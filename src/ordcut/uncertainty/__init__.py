"""How sure thresholds are: found again on samples, and how far each can move."""
