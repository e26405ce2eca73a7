"""Django's entry for this room."""

from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import post_delete, post_migrate, post_save

from studyhub.study.ledger import guard_after_migrate, register_ledger_function


class StudyConfig(AppConfig):
    """The app `studyhub.study`."""

    name = "studyhub.study"

    def ready(self) -> None:
        """Every connection answers the ledger's triggers, no migration loses them; a new card is seen."""
        from cards.models import Card, Topic
        from studyhub.study.asking.unmet import shelf_changed

        connection_created.connect(register_ledger_function, dispatch_uid="study.ledger.function")
        post_migrate.connect(guard_after_migrate, sender=self, dispatch_uid="study.ledger.guard")
        for signal in (post_save, post_delete):
            for shelved in (Card, Topic):
                signal.connect(shelf_changed, sender=shelved, dispatch_uid=f"study.shelf.{shelved.__name__}")
