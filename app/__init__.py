"""Finds the best pair of items to show to a mixed population, and proves it."""
