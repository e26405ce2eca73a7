"""What must hold on this machine, told by `manage.py check` before it hurts. Knows no learner."""

import os
import sqlite3
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

NEEDED = (3, 35, 0)  # DELETE ... RETURNING


@register()
def sqlite_is_new_enough(**_: Any) -> list[CheckMessage]:
    """The embedded broker takes a message by DELETE ... RETURNING."""
    if sqlite3.sqlite_version_info >= NEEDED:
        return []
    text = f"SQLite {sqlite3.sqlite_version} is too old for the embedded broker, which needs 3.35."
    return [
        Error(text, hint="Take a Python built with a newer SQLite, or set REDIS_URL.", id="studyhub.E001")
    ]


@register()
def data_folder_is_writable(**_: Any) -> list[CheckMessage]:
    """Data, broker, frames and keys live in STUDYHUB_VAR."""
    if os.access(settings.VAR, os.W_OK):
        return []
    text = f"The data folder {settings.VAR} cannot be written."
    return [Error(text, hint="Mend its rights or set STUDYHUB_VAR.", id="studyhub.E002")]
