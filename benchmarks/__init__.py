"""How fast ordcut is, against sorting, against the paper's loops and against its rivals."""
