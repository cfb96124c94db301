"""Framework: all that the host uses of pydantic-ai; no other module of the host imports it."""
