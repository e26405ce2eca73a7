"""Writes rows of a model by the hundred thousand, with the defaults of its fields. Knows no learner, no card.

Values go as text the way both databases read them: to PostgreSQL by COPY, to SQLite by one prepared INSERT.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from django.core.management.color import no_style
from django.db import connection
from django.db.models import Field, JSONField, Model

Row = Sequence[Any]


def write(model: type[Model], names: Sequence[str], rows: Iterable[Row], **same: Any) -> None:
    """Inserts rows of the named attributes; `same` holds for all of them, as the fields' defaults do."""
    fields = {field.attname: field for field in model._meta.concrete_fields}
    others = [field for name, field in fields.items() if name not in {"id", *names}]
    constants = tuple(text(same.get(field.attname, _default(field))) for field in others)
    columns = [field.column for field in (*(fields[name] for name in names), *others)]
    _insert(model._meta.db_table, columns, ((*row, *constants) for row in rows))
    _count_on(model)


def text(value: Any) -> Any:
    """A value as both databases read it."""
    if isinstance(value, dict | list):
        return json.dumps(value)
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, UUID):
        return value.hex
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
    return value.isoformat() if isinstance(value, date) else value


def _default(field: "Field[Any, Any]") -> Any:
    value = field.get_default()
    return json.dumps(value) if isinstance(field, JSONField) else value


def _insert(table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    named = ", ".join(columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({named}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join("?" * len(columns))
            connection.connection.executemany(f"INSERT INTO {table} ({named}) VALUES ({marks})", rows)


def _count_on(model: type[Model]) -> None:
    """Lets PostgreSQL number what comes after rows that brought their numbers."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)
