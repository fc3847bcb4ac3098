"""Everything a caller reads: best-pair snapshots, health, events, history, estimates, certificates, exports."""
