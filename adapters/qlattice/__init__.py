"""QLattice: probabilistic search over graphs, as the package feyn (Broløs et al., 2021)."""
