"""Bridges: hosts call hookline, because `hookline install` wrote it into their files."""
