"""Simulated populations and ad servers, in process or over HTTP."""
