"""The reference host: runs an agent that a docker-agent file describes, with its hooks."""
