"""One module per command group; each adds its own parser and runs lazily."""
