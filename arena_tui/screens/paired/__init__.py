"""The Paired screen and its parts."""
