"""Erases a learner: the one place outside tests that opens the ledger. Knows no request."""

from django.db import connections, router

from studyhub.study.ledger import open_ledger
from studyhub.study.models import Attempt, Learner, Memory, Review


def erase_learner(learner: Learner) -> int:
    """Deletes a learner and all they did; the user stays. Returns how many lines of the ledger went."""
    with open_ledger(connections[router.db_for_write(Review)]):
        Memory.objects.filter(learner=learner).delete()
        lines = Review.objects.filter(learner=learner)
        count = lines.count()
        lines.filter(kind=Review.Kind.VOID).delete()  # before what they void, which they protect
        lines.delete()
        Attempt.objects.filter(learner=learner).delete()
        learner.delete()
    return count
