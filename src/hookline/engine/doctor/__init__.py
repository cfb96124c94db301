"""Doctor: try every hook on a harmless event, and say what is wrong with it."""
