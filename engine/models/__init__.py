"""Language models at arm's length: one client with caps and records, and the broker that lends it."""
