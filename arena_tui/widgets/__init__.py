"""Widgets that more than one screen shows. Each file holds one widget with its CSS and its messages."""
