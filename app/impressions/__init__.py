"""Hand out pairs and take feedback: tickets, the order of a plan, and what feedback does to an impression."""
