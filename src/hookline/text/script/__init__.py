"""Reads the simple commands that a shell text would run, through wrappers, strings and variables.

It evaluates what can be known from the text alone and runs nothing. What it cannot know stays
unknown; what it could not read is listed as unverified.
"""
