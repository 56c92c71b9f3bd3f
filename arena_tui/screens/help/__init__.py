"""The help over any screen."""
