"""Where data live: each source validates them once and hides the engine that holds them."""
