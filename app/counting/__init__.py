"""Decide what counts and when: the fold moves final impressions into the evidence."""
