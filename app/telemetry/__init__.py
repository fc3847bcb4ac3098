"""What operators see: counts that several processes add up to, and log lines. It knows nothing of sessions or SQL."""
