"""Metrics that several processes count together, and log lines. Contains nothing about sessions or SQL."""
