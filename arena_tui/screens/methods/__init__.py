"""The Methods screen and its parts."""
