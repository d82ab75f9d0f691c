"""The speed of ordcut, compared with sorting, with the paper's loops and with its rivals."""
