"""One database: engines, the writer with group commit, statements, tables, migrations."""
