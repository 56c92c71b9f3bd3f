"""E2ESR: end-to-end symbolic regression with a pretrained transformer (Kamienny et al., 2022)."""
