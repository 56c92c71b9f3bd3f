"""LLM-SR rebuilt from paper 1, appendix I.1: equation skeletons from a model, constants by BFGS."""
