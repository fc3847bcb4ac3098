"""Use cases of a session and the rules behind them: impressions, maturity, plans, verdicts. No SQL, no HTTP."""
