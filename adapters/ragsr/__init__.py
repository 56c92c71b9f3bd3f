"""RAG-SR: retrieval-guided evolutionary forests (Zhang et al., 2025)."""
