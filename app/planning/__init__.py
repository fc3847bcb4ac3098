"""Decide when to plan, make plans in a worker process, and store them."""
