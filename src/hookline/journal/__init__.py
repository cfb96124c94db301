"""The journal: a record of events, answers of hooks and decisions, which shows each change."""
