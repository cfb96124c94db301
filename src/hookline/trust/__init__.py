"""Which hooks may run: approvals, states, and the gate (docs/explanation/trust.md)."""
