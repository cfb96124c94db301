"""What is known of a session beyond one event: in memory, or in files that survive the process."""
