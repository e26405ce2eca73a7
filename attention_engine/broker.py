"""The embedded broker: a kombu virtual transport over SQLite. Knows nothing of tasks."""


def register_transport() -> None:
    """Makes `studyhubsqlite://` known to kombu."""
