"""Stands in for a checkout of FePySR."""
