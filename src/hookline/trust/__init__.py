"""Which hooks may run: approvals, states, and the gate that asks for them (docs/explanation/trust.md)."""
