"""The Campaigns screen and its parts."""
