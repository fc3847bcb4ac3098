"""How many impressions a session will need, before it starts: a fitted model, and the response made from it."""
