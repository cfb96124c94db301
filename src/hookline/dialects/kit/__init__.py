"""What dialects share: their class, and loading, matching and answering of Claude Code's family."""
