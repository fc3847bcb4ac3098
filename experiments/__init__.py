"""Comparisons and experiments: commands that print tables and write plots."""
