"""Keeps the ledger of reviews append-only, on both engines, by triggers. Knows no review.

SQLite asks a function that every connection registers; PostgreSQL asks a setting of the transaction. Whoever
edits the database with another tool is refused: there the function does not exist and the setting is off.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

REFUSAL = "study_review is a ledger: append a void, a line never changes"
_OPEN = "_studyhub_ledger_open"
_SETTING = "studyhub.ledger_open"

_SQLITE = tuple(
    f"""
    CREATE TRIGGER IF NOT EXISTS study_review_refuses_{event.lower()} BEFORE {event} ON study_review
    WHEN NOT studyhub_ledger_open() BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END
    """
    for event in ("UPDATE", "DELETE")
)
_POSTGRESQL = (
    f"""
    CREATE OR REPLACE FUNCTION studyhub_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
        IF coalesce(current_setting('{_SETTING}', true), '') <> 'on' THEN
            RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    END $body$
    """,
    """
    CREATE OR REPLACE TRIGGER study_review_refuses_change BEFORE UPDATE OR DELETE ON study_review
    FOR EACH ROW EXECUTE FUNCTION studyhub_refuse_change()
    """,
)
_TRIGGERS = {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}


def register_ledger_function(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Gives a new SQLite connection the function its triggers ask."""
    if connection.vendor == "sqlite":
        connection.connection.create_function(
            "studyhub_ledger_open", 0, lambda: int(getattr(connection, _OPEN, False))
        )


def guard_ledger(connection: BaseDatabaseWrapper) -> None:
    """Creates the triggers where they are missing: SQLite drops them when a migration rebuilds the table."""
    with connection.cursor() as cursor:
        for statement in _TRIGGERS[connection.vendor]:
            cursor.execute(statement)


def guard_after_migrate(using: str, **_: Any) -> None:
    """Puts back what a later migration may have dropped."""
    connection = connections[using]
    if "study_review" in connection.introspection.table_names():
        guard_ledger(connection)


@contextmanager
def open_ledger(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """One transaction in which lines of the ledger may go: for erasure and the test fixture that flushes."""
    with transaction.atomic(using=connection.alias):
        _set_open(connection, True)
        try:
            yield
        finally:
            if not connection.needs_rollback:
                _set_open(connection, False)
            setattr(connection, _OPEN, False)


def _set_open(connection: BaseDatabaseWrapper, is_open: bool) -> None:
    """SQLite reads the flag on the wrapper; PostgreSQL's setting ends with the transaction in any case."""
    setattr(connection, _OPEN, is_open)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config(%s, %s, true)", [_SETTING, "on" if is_open else "off"])
