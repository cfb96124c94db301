"""Finds secrets and personal data in a text, and masks each as a whole."""
