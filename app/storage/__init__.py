"""Sessions in SQLite or PostgreSQL: tables, one writer with group commit, readers. SQL lives here and nowhere else."""
