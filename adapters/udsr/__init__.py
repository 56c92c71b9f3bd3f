"""uDSR's trunk: DSO with the LINEAR poly token and GP meld (Landajuela et al., 2022)."""
