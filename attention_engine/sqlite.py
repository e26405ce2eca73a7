"""SQLite files that several processes and threads write: one connection for each of them. Knows no table."""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_inherited: list[
    sqlite3.Connection
] = []  # a parent's connections: closing them in a child could harm its WAL


class SqliteFile:
    """A database file in WAL mode; `schema` is run once on every new connection and must be repeatable."""

    def __init__(self, path: str, schema: str, *, timeout: float = 5.0) -> None:
        """`timeout` in seconds: how long a writer waits for another one."""
        self.path = path
        self._schema = schema
        self._timeout = timeout
        self._local = threading.local()

    def connection(self) -> sqlite3.Connection:
        """The connection of this process and thread (autocommit). Raises sqlite3.Error."""
        held: tuple[int, sqlite3.Connection] | None = getattr(self._local, "held", None)
        if held and held[0] == os.getpid():
            return held[1]
        if held:
            _inherited.append(held[1])
        connection = self._opened()
        self._local.held = (os.getpid(), connection)
        return connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction that holds the write lock from its start, so it never fails half-way for a lock."""
        connection = self.connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def close(self) -> None:
        """Closes the connection of this thread."""
        held = getattr(self._local, "held", None)
        if held and held[0] == os.getpid():
            held[1].close()
        self._local.held = None

    def _opened(self) -> sqlite3.Connection:
        Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            self.path, timeout=self._timeout, isolation_level=None, check_same_thread=False
        )
        try:
            _into_wal(connection)
            connection.executescript(self._schema)
        except BaseException:
            connection.close()
            raise
        return connection


def _into_wal(connection: sqlite3.Connection) -> None:
    """Switches to WAL; beside another process that does it too, SQLite does not wait, so we try again."""
    for patience in (0.02, 0.05, 0.1, 0.2, 0.4, 0.0):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError:
            if not patience:
                raise
            time.sleep(patience)
    connection.execute("PRAGMA synchronous=NORMAL")
