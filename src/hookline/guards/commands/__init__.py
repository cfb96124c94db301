"""The guard `commands`: refuses shell commands that destroy data, or send credentials away."""
