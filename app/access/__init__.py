"""Who may call: keys, scopes, rate limits, and the audit trail."""
