"""What runs, measures and selects; no user interface and no printing."""
