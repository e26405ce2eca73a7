"""The shipped content in a test's database: loaded once a process, copied row by row after that.

Loading reads, renders and checks its cards (0.25 s); hundreds of tests want the same rows.
"""

from copy import copy

from django.core.management.color import no_style
from django.db import connection
from django.db.models import Model

from cards.loading import load_content
from cards.models import Card, CardVersion, Deck, Source, Topic

MODELS: tuple[type[Model], ...] = (Deck, Source, Topic, Card, CardVersion)
_rows: dict[type[Model], list[Model]] = {}


def shipped_content() -> None:
    """Every shipped deck, as `load_content` leaves it in an empty database."""
    if not _rows:
        load_content()
        _rows.update({model: list(model._default_manager.order_by("pk")) for model in MODELS})
        return
    for model, rows in _rows.items():
        model._default_manager.bulk_create([copy(row) for row in rows])
    with connection.cursor() as cursor:  # PostgreSQL counts on from where the copies end
        for statement in connection.ops.sequence_reset_sql(no_style(), MODELS):
            cursor.execute(statement)
