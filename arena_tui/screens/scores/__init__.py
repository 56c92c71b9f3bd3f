"""The Scores screen."""
