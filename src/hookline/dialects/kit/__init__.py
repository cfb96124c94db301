"""What dialects share: the class that finds their files, and the loader, matcher and output reader of Claude Code's family."""
