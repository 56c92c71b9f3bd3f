"""The greedy library search of paper 2 as a method of the arena."""
