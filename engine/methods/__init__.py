"""Which methods there are, their settings and environments, and whether they keep the rules."""
