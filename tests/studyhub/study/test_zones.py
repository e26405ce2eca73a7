"""A learner is where their device was last, so a button shows the interval it gives, everywhere."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from studyhub.study.asking.offering import offer_of
from studyhub.study.models import Learner
from studyhub.study.reviews import InvalidSubmission, ReviewSubmission, record_review
from studyhub.study.scheduling import zone_names
from studyhub.study.zones import set_time_zone, study_day_of

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
ZONES = [
    *("Pacific/Pago_Pago", "Pacific/Marquesas", "America/Los_Angeles", "America/St_Johns", "UTC"),
    *("Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo", "Australia/Lord_Howe"),
    *("Pacific/Chatham", "Pacific/Kiritimati"),
]


def zone_of(room) -> str:
    return Learner.objects.get(pk=room.learner.pk).time_zone


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("hours", [0, 5, 10, 15, 20])
@pytest.mark.parametrize("from_home", [True, False], ids=["first seen here", "learned at home"])
def test_offered_intervals_are_those_of_the_review_around_the_world(room, card, zone, hours, from_home):
    if not from_home:
        room.graduate(card, at=MONDAY - timedelta(days=2, hours=hours))
    now = MONDAY + timedelta(hours=hours)
    attempt = room.answer(card, now=now, time_zone=zone)
    offered = offer_of(attempt.learner, card, now)
    review = room.rate(attempt, at=now, time_zone=zone, draw=offered.draw)
    assert review.outcome["intervals"] == offered.intervals
    assert review.outcome["interval_seconds"] == offered.intervals["good"]
    assert review.study_day == study_day_of(Learner.objects.get(), now)


def test_the_zone_of_a_review_is_the_learners_from_then_on(room, card):
    room.rate(room.answer(card), time_zone="Asia/Tokyo")
    assert zone_of(room) == "Asia/Tokyo"
    room.study(card)
    assert zone_of(room) == "Asia/Tokyo"


def test_a_review_sent_again_moves_nobody(room, card):
    offline = ReviewSubmission(
        uuid.uuid4(), rating=3, answered_at=MONDAY, time_zone="Asia/Tokyo",
        version=card.published_version, response={"text": "12"},
    )  # fmt: skip
    record_review(room.learner, offline, now=MONDAY)
    set_time_zone(room.learner, "Europe/Berlin")
    record_review(room.learner, offline, now=MONDAY)
    assert zone_of(room) == "Europe/Berlin"


def test_a_refused_review_moves_nobody(room, other_room, card):
    attempt = room.answer(card)
    with pytest.raises(InvalidSubmission):
        other_room.rate(attempt, time_zone="Asia/Tokyo")
    assert zone_of(other_room) == "UTC"


def test_the_zone_is_no_part_of_the_answer(room, card):
    client_id = uuid.uuid4()
    first = room.answer(card, client_id=client_id, time_zone="Asia/Tokyo")
    assert room.answer(card, client_id=client_id, time_zone="Europe/Berlin") == first
    assert zone_of(room) == "Asia/Tokyo"


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "../../etc/passwd", "localtime", "x" * 5000, "\x00"])
def test_a_name_that_is_no_zone_moves_nobody(room, card, name):
    assert not set_time_zone(room.learner, name)
    room.answer(card, time_zone=name)
    assert zone_of(room) == room.learner.time_zone == "UTC"


def test_a_known_zone_is_kept_and_every_one_fits_the_row(room):
    assert set_time_zone(room.learner, "Asia/Kathmandu")
    assert zone_of(room) == room.learner.time_zone == "Asia/Kathmandu"
    assert max(map(len, zone_names())) <= 64
