"""One module per family rule: each turns a task's recipe into its four splits."""
