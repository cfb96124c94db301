"""Sight: what a command hook would run now, read once, so that it can be compared with what was approved and run as it was read."""
