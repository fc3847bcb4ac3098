"""What a session is: its settings, its items, its state, and the rows that store it."""
