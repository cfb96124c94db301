"""The journal: what was asked, what each hook said, and what was decided, written so that nobody can change it unseen."""
