"""Reads task sets that others released; every format gives tasks with their rows, and executes nothing."""
