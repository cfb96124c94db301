"""The journal: a record of events, of what each hook answered and of decisions, which no writer can change unnoticed."""
