"""TPSR: transformer-based planning for symbolic regression (Shojaee et al., 2023)."""
