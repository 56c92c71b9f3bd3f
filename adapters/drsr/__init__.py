"""DrSR rebuilt from paper 1, appendix I.1: LLM-SR with residual analysis and experience feedback."""
