"""LLM-SR as its authors wrote it, on the user's own checkout (Shojaee et al., 2025)."""
