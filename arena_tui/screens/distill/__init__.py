"""The Distill screen and its parts."""
