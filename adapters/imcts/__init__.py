"""iMCTS: improved Monte Carlo tree search for symbolic regression (Huang et al., 2025)."""
