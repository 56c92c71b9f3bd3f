"""One folder per SR method, and the worker that hosts a method's wrapper in its own interpreter."""
