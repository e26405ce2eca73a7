"""The ledger refuses UPDATE and DELETE on both engines, whoever asks; only erasure opens it."""

import sqlite3

import pytest
from django.contrib.auth import get_user_model
from django.db import DatabaseError, connection, transaction
from django.db.models import ProtectedError

from studyhub.study.erasure import erase_learner
from studyhub.study.ledger import guard_after_migrate, open_ledger
from studyhub.study.models import Attempt, Learner, Memory, Review

REFUSED = pytest.raises(DatabaseError, match="is a ledger")


def test_a_line_cannot_be_updated(room, card):
    review = room.study(card)
    with REFUSED, transaction.atomic():
        Review.objects.filter(pk=review.pk).update(rating=4)
    review.rating = 4
    with REFUSED, transaction.atomic():
        review.save()
    assert Review.objects.get().rating == 3


def test_a_line_cannot_be_deleted_by_raw_sql(room, card):
    room.study(card)
    with REFUSED, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM study_review")
    assert Review.objects.count() == 1


def test_a_user_who_has_studied_cannot_be_deleted_by_accident(room, card):
    room.study(card)
    with pytest.raises((ProtectedError, DatabaseError)), transaction.atomic():
        room.learner.user.delete()
    assert (Review.objects.count(), Memory.objects.count()) == (1, 1)


def test_an_opened_ledger_closes_again(room, card):
    review = room.study(card)
    with open_ledger(connection):
        Review.objects.filter(pk=review.pk).update(device="mended")
    with REFUSED, transaction.atomic():
        Review.objects.filter(pk=review.pk).update(device="again")
    assert Review.objects.get().device == "mended"


def test_an_opened_ledger_closes_after_an_error_and_takes_all_back(room, card):
    review = room.study(card)

    def fail_half_way() -> None:
        with open_ledger(connection):
            Review.objects.filter(pk=review.pk).update(device="half")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail_half_way()
    with REFUSED, transaction.atomic():
        Review.objects.filter(pk=review.pk).update(device="again")
    assert Review.objects.get().device == ""


def test_erasure_takes_one_learner_whole_and_leaves_the_others(room, other_room, card):
    room.undo(room.study(card))
    room.graduate(card)
    other_room.study(card)
    assert erase_learner(room.learner) == 4
    assert list(Learner.objects.all()) == [other_room.learner]
    for model in (Attempt, Review, Memory):
        assert set(model.objects.values_list("learner", flat=True)) == {other_room.learner.pk}
    assert get_user_model().objects.filter(username="ben").exists()


def test_triggers_a_migration_lost_are_put_back(room, card):
    names = {
        "sqlite": ("study_review_refuses_update", "DROP TRIGGER {}"),
        "postgresql": ("study_review_refuses_change", "DROP TRIGGER {} ON study_review"),
    }
    name, drop = names[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(drop.format(name))
    guard_after_migrate(using="default")
    review = room.study(card)
    with REFUSED, transaction.atomic():
        Review.objects.filter(pk=review.pk).update(rating=4)


@pytest.mark.django_db(transaction=True)
def test_another_tool_on_the_sqlite_file_is_refused(room, card):
    if connection.vendor != "sqlite":
        pytest.skip("on PostgreSQL the setting guards every client")
    room.study(card)
    name = connection.settings_dict["NAME"]
    stranger = sqlite3.connect(name, uri=str(name).startswith("file:"))
    with pytest.raises(sqlite3.OperationalError, match="studyhub_ledger_open"):
        stranger.execute("UPDATE study_review SET rating = 4")
    stranger.close()


@pytest.mark.django_db(transaction=True)
def test_the_flush_after_a_transactional_test_has_lines_to_take(room, card):
    room.study(card)


@pytest.mark.django_db(transaction=True)
def test_and_took_them():
    assert Review.objects.count() == 0
