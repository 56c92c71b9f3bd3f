"""Where keepers run: on this machine, or as jobs of a Slurm cluster."""
