"""What to spend impressions on: guesses and prices. They prove nothing: a wrong one costs impressions only."""
