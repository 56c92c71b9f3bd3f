"""DrSR as its authors wrote it, on the user's own checkout (Wang et al., 2025)."""
