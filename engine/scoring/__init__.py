"""The six axes: numbers, symbols and search behaviour of finished runs."""
