"""What a reply claims was done, and whether the session's own record backs it."""
