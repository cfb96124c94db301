"""Sealing: run verified bytes instead of whatever lies at their path by then, as each interpreter allows (docs/explanation/security.md)."""
