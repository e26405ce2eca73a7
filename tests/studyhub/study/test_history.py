"""From the ledger to arrays: what counts, what is left out, and why."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from studyhub.study.history import answers_of, training_answers
from studyhub.study.models import Review

from .conftest import MONDAY


def ratings(room) -> list[int]:
    return answers_of(room.learner).histories.rating.tolist()


def test_answers_come_card_by_card_in_time_with_their_study_days(room, card, new_card, topic):
    other = new_card("other", topic, position=1)
    room.study(card, 3, at=MONDAY)
    room.study(other, 1, at=MONDAY + timedelta(minutes=1))
    room.study(card, 4, at=MONDAY + timedelta(days=3))
    found = answers_of(room.learner).histories
    by_card = {pk: found.rating[found.card == pk].tolist() for pk in (card.pk, other.pk)}
    assert by_card == {card.pk: [3, 4], other.pk: [1]}
    assert found.elapsed[found.card == card.pk].tolist() == [0, 3]
    assert np.diff(found.at[found.card == card.pk]) == pytest.approx(3 * 86_400)


def test_the_numbers_of_days_are_those_of_the_calendar(room, card):
    room.study(card, 3, at=MONDAY)
    (day,) = answers_of(room.learner).histories.day.tolist()
    assert day == (MONDAY.date() - datetime(1970, 1, 1).date()).days


def test_what_is_undone_does_not_count(room, card):
    room.study(card, 3, at=MONDAY)
    room.undo(room.study(card, 1, at=MONDAY + timedelta(days=1)), now=MONDAY + timedelta(days=1))
    assert ratings(room) == [3]


def test_a_reset_cuts_what_came_before_it(room, card):
    from studyhub.study.reviews import record_event

    room.study(card, 1, at=MONDAY)
    later = MONDAY + timedelta(days=1)
    record_event(room.learner, card, Review.Kind.RESET, client_id=room.new_id(), now=later)
    room.study(card, 4, at=later + timedelta(hours=1))
    found = answers_of(room.learner)
    assert found.histories.rating.tolist() == [4]
    assert found.dropped["before_reset"] == 1


def test_another_learners_answers_are_not_read(room, other_room, card):
    other_room.study(card, 2)
    assert ratings(room) == []


def imported(room, card, *, interval: int, at: datetime) -> Review:
    """A line as an import leaves it."""
    return Review.objects.create(
        learner=room.learner,
        client_id=room.new_id(),
        kind=Review.Kind.IMPORT,
        card=card,
        rating=3,
        answered_at=at,
        received_at=at,
        study_day=at.date(),
        state_before="review" if interval else "new",
        interval_before=interval,
        body_digest="-",
    )


def test_a_card_whose_beginning_was_not_imported_is_left_out_of_fitting(room, card, new_card, topic):
    whole = new_card("whole", topic, position=1)
    imported(room, card, interval=12, at=MONDAY)
    imported(room, whole, interval=0, at=MONDAY)
    room.study(card, 3, at=MONDAY + timedelta(days=9))
    found = training_answers(answers_of(room.learner))
    assert found.histories.card.tolist() == [whole.pk]
    assert found.dropped["begun_elsewhere"] == 2


def test_row_17_cards_marked_in_bulk_are_left_out_from_the_mark_on(room, topic, new_card):
    cards = [new_card(f"card-{number}", topic, position=number) for number in range(12)]
    for number, one in enumerate(cards):
        imported(room, one, interval=0, at=MONDAY + timedelta(minutes=number))
    for number, one in enumerate(cards[:11]):
        imported(room, one, interval=3, at=MONDAY + timedelta(days=3, milliseconds=300 * number))
    imported(room, cards[0], interval=3, at=MONDAY + timedelta(days=6))
    found = training_answers(answers_of(room.learner))
    assert len(found.histories) == 12
    assert found.dropped["in_bulk"] == 12


def test_nine_quick_answers_are_no_bulk(room, topic, new_card):
    for number in range(9):
        at = MONDAY + timedelta(milliseconds=300 * number)
        imported(room, new_card(f"card-{number}", topic, position=number), interval=0, at=at)
    assert len(training_answers(answers_of(room.learner)).histories) == 9
