"""An adapter that breaks one rule at a time, for the tests of worker, keeper and conformance kit."""
