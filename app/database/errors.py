"""What an operator has to put right before the store can start. Callers of the service never see these."""


class StoreCannotStart(Exception):
    """Base of what keeps a store from starting; `detail` says what to do."""

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)


class UnsupportedDatabase(StoreCannotStart):
    """The URL names a database that cannot keep sessions."""


class DatabaseInUse(StoreCannotStart):
    """Another server process has this SQLite file."""


class DatabaseLost(StoreCannotStart):
    """The SQLite file is gone, but its write-ahead log is there."""


class DatabaseBehind(StoreCannotStart):
    """The database's tables are not those this version of the code needs."""
