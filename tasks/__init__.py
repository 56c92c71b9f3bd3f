"""The Full Task Set: catalogue, schema, generators, splits and importers."""
