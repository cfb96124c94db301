"""Framework: all that the host uses of pydantic-ai; no other module of the host imports it."""

import os

# pydantic-ai greets at the first run in a terminal.
os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")
