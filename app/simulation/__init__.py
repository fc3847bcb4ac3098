"""Simulated users, populations and ad servers, in process or over HTTP; the demo."""
