"""The bridge's messages: `bridge.proto`, and what is generated from it."""
