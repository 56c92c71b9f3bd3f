"""JAXSR: sparse selection of terms from a basis library, on JAX (Kitchin, 2024)."""
