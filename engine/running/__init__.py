"""Running: campaigns, keepers, the supervisor, and the records they leave."""
