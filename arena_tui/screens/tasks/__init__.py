"""The Tasks screen and its parts."""
