"""Everything that callers read: best-pair snapshots, health, events, history, estimates, certificates, exports."""
