"""What a person touches: the ``arena-tui`` command and the Textual console."""
