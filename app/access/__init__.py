"""Access control: keys, scopes, rate limits and the audit trail. Below `sessions`, above `database`."""
