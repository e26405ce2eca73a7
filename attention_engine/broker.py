"""The embedded broker: a kombu virtual transport over SQLite. Knows nothing of tasks."""

import sqlite3
from queue import Empty
from typing import Any

from kombu import transport
from kombu.transport import virtual
from kombu.utils.json import dumps, loads

from attention_engine.sqlite import SqliteFile

SCHEME = "studyhubsqlite"  # without '+': kombu splits a scheme there
SCHEMA = """
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS messages_by_queue ON messages (queue, id);
"""
WAITING = "SELECT 1 FROM messages WHERE queue = ? LIMIT 1"
TAKE = """
DELETE FROM messages WHERE id = (SELECT id FROM messages WHERE queue = ? ORDER BY id LIMIT 1) RETURNING body
"""
LONGEST_WAIT = 0.25  # seconds a consumer waits before its loop looks up, so that a worker stops at once


class Channel(virtual.Channel):
    """Queues as rows of one table. A message is taken by deleting it: exactly one consumer gets it."""

    def _put(self, queue: str, message: dict[str, Any], **_: Any) -> None:
        self._file.connection().execute(
            "INSERT INTO messages (queue, body) VALUES (?, ?)", (queue, dumps(message))
        )

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:  # noqa: ARG002
        connection = self._file.connection()
        # Reading takes no lock, so an idle worker disturbs nobody; only then is the write lock asked for.
        if connection.execute(WAITING, (queue,)).fetchone() is None:
            raise Empty
        taken = connection.execute(TAKE, (queue,)).fetchall()  # to the end: only then is the DELETE committed
        if not taken:
            raise Empty
        message: dict[str, Any] = loads(taken[0][0])
        return message

    def _size(self, queue: str) -> int:
        sql = "SELECT count(*) FROM messages WHERE queue = ?"
        return int(self._file.connection().execute(sql, (queue,)).fetchone()[0])

    def _purge(self, queue: str) -> int:
        return self._file.connection().execute("DELETE FROM messages WHERE queue = ?", (queue,)).rowcount

    @property
    def _file(self) -> SqliteFile:
        file: SqliteFile = self.connection.file  # type: ignore[attr-defined]
        return file


class Transport(virtual.Transport):
    """`studyhubsqlite:///relative/path` or `studyhubsqlite:////absolute/path`."""

    Channel = Channel
    driver_type = "sqlite"
    driver_name = "sqlite3"
    polling_interval = 0.02  # seconds; kombu's own default of 1 s costs up to 1.4 s a job
    # kombu takes these for "the broker is away" and turns them into its OperationalError.
    connection_errors = (*virtual.Transport.connection_errors, sqlite3.Error, OSError)
    implements = virtual.Transport.implements.extend(exchange_type=frozenset(["direct"]))

    def __init__(self, client: Any, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        self.file = SqliteFile(client.virtual_host, SCHEMA)

    def establish_connection(self) -> Any:
        """Opens the file at once, so that a broker that cannot be reached says so here."""
        self.file.connection()
        return super().establish_connection()

    def drain_events(self, connection: Any, timeout: float | None = None, **_: Any) -> None:
        """Delivers one message. Raises socket.timeout after `timeout` seconds, or sooner when it is long."""
        super().drain_events(connection, timeout=timeout and min(timeout, LONGEST_WAIT))

    @property
    def default_connection_params(self) -> dict[str, Any]:
        """None: a file has no host (kombu would warn that it makes one up)."""
        return {}

    def driver_version(self) -> str:
        """The version of SQLite."""
        return sqlite3.sqlite_version


def register_transport() -> None:
    """Makes `studyhubsqlite://` known to kombu."""
    transport.TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
