"""Calibration tasks, probes and core sets: which few tasks stand for a whole pool, and with what proof."""
