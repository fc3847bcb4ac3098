"""Benchmarks of the service: processor time per request, scaling, latency while planning, and the cost of a plan."""
