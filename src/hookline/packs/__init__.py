"""Packs: hooks of other people, installed with a lock file and run as programs, never imported."""
