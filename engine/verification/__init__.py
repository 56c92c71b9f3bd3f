"""Verification of tasks: replay of the ground truth, columns, ranges, digests, duplicates, pools."""
