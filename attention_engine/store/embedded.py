"""Frames in one SQLite file: the embedded default. Knows tables, leaves the rules to rules.py."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from attention_engine.sqlite import SqliteFile
from attention_engine.store import contract, rules
from attention_engine.store.base import NOTHING, FrameStore, Step, alive, row
from attention_engine.store.contract import StoreUnavailable
from attention_engine.store.rules import Change, Picture, Situation

SCHEMA = """
CREATE TABLE IF NOT EXISTS pictures (digest TEXT PRIMARY KEY, spec TEXT, owner TEXT, state TEXT,
    since REAL, sent_at REAL, expires_at REAL, attempt INTEGER, token TEXT, lease_until REAL, lapses INTEGER,
    count INTEGER, code TEXT, sentence TEXT, holds_until REAL);
CREATE INDEX IF NOT EXISTS pictures_unfinished ON pictures (holds_until, owner);
CREATE INDEX IF NOT EXISTS pictures_expiry ON pictures (expires_at);
CREATE TABLE IF NOT EXISTS frames (digest TEXT, n INTEGER, event TEXT, body TEXT, PRIMARY KEY (digest, n));
CREATE TABLE IF NOT EXISTS tensors (sha256 TEXT PRIMARY KEY, body BLOB, expires_at REAL);
CREATE INDEX IF NOT EXISTS tensors_expiry ON tensors (expires_at);
CREATE TABLE IF NOT EXISTS uses (digest TEXT, sha256 TEXT, PRIMARY KEY (digest, sha256));
CREATE TABLE IF NOT EXISTS signs (name TEXT PRIMARY KEY, until REAL);
"""
FIELDS = tuple(Picture.__dataclass_fields__)
LOAD = f"SELECT {', '.join(FIELDS)} FROM pictures WHERE digest = ?"  # noqa: S608 - our own field names
SAVE = (
    f"INSERT OR REPLACE INTO pictures ({', '.join(FIELDS)}, holds_until)"  # noqa: S608
    f" VALUES ({', '.join(':' + name for name in FIELDS)}, :holds_until)"
)
COUNTS = "SELECT coalesce(sum(owner = ?), 0), count(*) FROM pictures WHERE holds_until > ?"
SIGN = "INSERT OR REPLACE INTO signs VALUES (?, ?)"
KEEP_TENSORS = """
UPDATE tensors SET expires_at = max(expires_at, :until)
WHERE sha256 IN (SELECT sha256 FROM uses WHERE digest = :digest)
"""


class SqliteFrameStore(FrameStore):
    """Frames, pictures and tensors as rows; one writer at a time, readers never wait."""

    def __init__(self, path: str, *, clock: Callable[[], float] = time.time) -> None:
        self._file = SqliteFile(path, SCHEMA)
        self._now = clock

    def watch(self, digest: str) -> None:
        """Somebody follows this picture, for the next 15 s."""
        self._sign(f"watched {digest}")

    def watched(self, digest: str) -> bool:
        """Somebody followed this picture in the last 15 s."""
        return self._signs(f"watched {digest}") > 0

    def forget_drawn(self) -> None:
        """Done pictures become absent; the next claim sweeps what is left of them."""
        with self._transaction() as connection:
            connection.execute("UPDATE pictures SET expires_at = 0 WHERE state = 'done'")

    def announce(self, worker: str) -> None:
        """This worker lives, for the next 15 s."""
        self._sign(f"worker {worker}")

    def workers(self) -> int:
        """How many workers announced themselves in the last 15 s."""
        return self._signs("worker *")

    def get(self, sha256: str) -> bytes | None:
        """The tensor's bytes, kept for another hour; None when expired or never there."""
        with self._connection() as connection:
            found = connection.execute(
                "SELECT body, expires_at FROM tensors WHERE sha256 = ?", (sha256,)
            ).fetchone()
        if found is None or found[1] <= self._now():
            return None
        if found[1] < self._now() + contract.KEEP_SECONDS:
            with self._transaction() as connection:
                connection.execute(
                    "UPDATE tensors SET expires_at = ? WHERE sha256 = ?", (self._kept_until(), sha256)
                )
        return bytes(found[0])

    def ping(self) -> None:
        """Returns if the file can be read."""
        with self._connection() as connection:
            connection.execute("SELECT 1 FROM pictures LIMIT 1").fetchone()

    def _load(self, digest: str) -> tuple[float, Picture | None]:
        now = self._now()
        with self._connection() as connection:
            return now, _loaded(connection, digest, now)

    def _frames(self, picture: Picture, after: int) -> list[tuple[str, str]]:
        # The event names the attempt: rows of a newer one are left for the next look, which will say "reset".
        sql = "SELECT event, body FROM frames WHERE digest = ? AND n > ? AND event = ? || n ORDER BY n"
        with self._connection() as connection:
            return connection.execute(sql, (picture.digest, after, f"{picture.attempt}-")).fetchall()

    def _steps(
        self, steps: Mapping[str, Step], *, owner: str = "", tensors: Mapping[str, bytes] = NOTHING
    ) -> dict[str, Change | None]:
        now, until, changes = self._now(), self._kept_until(), {}
        with self._transaction() as connection:
            kept = [(sha256, body, until) for sha256, body in tensors.items()]
            connection.executemany("INSERT OR REPLACE INTO tensors VALUES (?, ?, ?)", kept)
            for digest, step in steps.items():
                counts = connection.execute(COUNTS, (owner, now)).fetchone() if owner else (0, 0)
                changes[digest] = _stepped(connection, digest, step, now=now, counts=counts)
        return changes

    def _kept_until(self) -> float:
        return self._now() + contract.KEEP_SECONDS + contract.KEEP_SLACK_SECONDS

    def _sign(self, name: str) -> None:
        with self._transaction() as connection:
            connection.execute(SIGN, (name, self._now() + contract.WATCH_SECONDS))

    def _signs(self, pattern: str) -> int:
        sql = "SELECT count(*) FROM signs WHERE name GLOB ? AND until > ?"
        with self._connection() as connection:
            return int(connection.execute(sql, (pattern, self._now())).fetchone()[0])

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with _as_unavailable():
            yield self._file.connection()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with _as_unavailable(), self._file.transaction() as connection:
            yield connection


@contextmanager
def _as_unavailable() -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailable(f"the frame store does not answer: {error}") from error


def _loaded(connection: sqlite3.Connection, digest: str, now: float) -> Picture | None:
    found = connection.execute(LOAD, (digest,)).fetchone()
    return alive(Picture(*found), now) if found else None


def _stepped(
    connection: sqlite3.Connection, digest: str, step: Step, *, now: float, counts: tuple[int, int]
) -> Change | None:
    picture = _loaded(connection, digest, now)
    change = step(Situation(now, picture, *counts))
    if change is not None:
        _store(connection, digest, change, before=picture)
    if change is not None and change.created:
        _sweep(connection, now)
    return change


def _store(connection: sqlite3.Connection, digest: str, change: Change, *, before: Picture | None) -> None:
    if change.clears:
        connection.execute("DELETE FROM frames WHERE digest = ?", (digest,))
        connection.execute("DELETE FROM uses WHERE digest = ?", (digest,))
    picture = change.picture
    if picture is None:
        connection.execute("DELETE FROM pictures WHERE digest = ?", (digest,))
        return
    if picture != before:
        connection.execute(SAVE, row(picture) | {"holds_until": picture.holds_until})
    came = [(digest, *event) for event in rules.events(change)]
    connection.executemany("INSERT INTO frames VALUES (?, ?, ?, ?)", came)
    uses = [(digest, sha256) for sha256 in change.tensors]
    connection.executemany("INSERT OR IGNORE INTO uses VALUES (?, ?)", uses)
    if before is not None and picture.expires_at != before.expires_at:
        connection.execute(KEEP_TENSORS, {"digest": digest, "until": picture.expires_at})


def _sweep(connection: sqlite3.Connection, now: float) -> None:
    """Forgets what has expired; on every new claim, so the file stays as large as an hour of pictures."""
    for table in ("frames", "uses"):
        connection.execute(
            f"DELETE FROM {table} WHERE digest IN (SELECT digest FROM pictures WHERE expires_at <= ?)",  # noqa: S608
            (now,),
        )
    connection.execute("DELETE FROM pictures WHERE expires_at <= ?", (now,))
    connection.execute("DELETE FROM tensors WHERE expires_at <= ?", (now,))
    connection.execute("DELETE FROM signs WHERE until <= ?", (now,))
