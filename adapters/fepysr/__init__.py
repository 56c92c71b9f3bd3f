"""FePySR: features from a neural network, then a PySR search over them (Yu et al., 2026)."""
