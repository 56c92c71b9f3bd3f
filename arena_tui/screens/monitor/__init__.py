"""The Monitor screen and its parts."""
