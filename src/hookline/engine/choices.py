"""The values that the settings of an engine can have, by name."""

from __future__ import annotations

MODES = ("fidelity", "strict")
TRUSTS = ("all", "user", "approved", "none")
MATCHING = ("auto", "native", "canonical")
