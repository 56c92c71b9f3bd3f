"""DSO: deep symbolic optimization by risk-seeking policy gradients (Petersen et al., 2021)."""
