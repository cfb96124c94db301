"""Guards that hookline ships: each judges an event from what it carries, without IO of its own."""
