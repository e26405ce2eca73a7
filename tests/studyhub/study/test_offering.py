"""An offer shows what its review gives: its draw goes out with the intervals and comes with the rating."""

from random import Random

import pytest

from studyhub.study.asking.offering import offer_of, offers
from studyhub.study.asking.queue import study_queue
from studyhub.study.keeping import kept
from studyhub.study.models import DeckRules, Memory, Review
from studyhub.study.rating import NAMES
from studyhub.study.scheduling.days import rollover
from tests.studyhub.study.memories import DAY, MONDAY, remembered

STATES = ("new", "learning", "review", "relearning")


def anyhow(room, card, random: Random) -> None:
    """A random memory of the card, in any state."""
    state = random.choice(STATES)
    if state == "new":
        return
    interval = random.choice([1, 2, 3, 7, 20, 55, 140, 900])
    ago = random.randint(0, 2 * interval)
    steps = {} if state == "review" else {"interval_days": 0, "due": MONDAY, "step": random.randint(0, 1)}
    remembered(room, card, interval=interval, ago=ago, state=state, **steps, lapses=random.randint(0, 9))


@pytest.fixture
def family(new_card, topic):
    """Six cards of one topic, the first three of one family."""
    cards = [new_card(f"card-{number}", topic, number) for number in range(6)]
    for card in cards[:3]:
        card.family = "heads"
        card.save(update_fields=["family"])
    return cards


@pytest.mark.parametrize("seed", range(4))
def test_row_14_an_offer_is_what_its_review_gives_whatever_was_rated_meanwhile(room, family, seed):
    random = Random(seed)
    room.learner.easy_days = ["normal"] * 5 + ["reduced", "minimum"]
    room.learner.save()
    for card in family:
        anyhow(room, card, random)
    made = offers(room.learner, [(card, memory_of(room, card)) for card in family], MONDAY)
    for number in random.sample(range(len(family)), len(family)):  # each of them after others were rated
        card, offer, rating = family[number], made[number], random.randint(1, 4)
        review = room.rate(room.answer(card), rating, draw=offer.draw)
        assert review.outcome["intervals"] == offer.intervals
        assert review.outcome["interval_seconds"] == offer.intervals[NAMES[rating]]


def memory_of(room, card) -> Memory | None:
    return Memory.objects.filter(learner=room.learner, card=card).first()


@pytest.mark.parametrize("interval", [3, 10, 45, 200])
def test_row_12_a_pass_offers_no_less_than_the_interval_before(room, card, interval):
    remembered(room, card, interval=interval, ago=interval)
    shown = offer_of(room.learner, card, MONDAY).intervals
    assert interval * 86_400 <= shown["hard"] <= shown["good"] <= shown["easy"]


def test_the_same_question_is_offered_the_same_twice(room, family):
    remembered(room, family[0], interval=30, ago=30)
    assert offer_of(room.learner, family[0], MONDAY) == offer_of(room.learner, family[0], MONDAY)


def good_day(room, card) -> int:
    return offer_of(room.learner, card, MONDAY).intervals["good"] // 86_400


def test_a_sibling_is_not_put_on_the_same_day(room, family):
    first, second = family[:2]
    days = set()
    for reps in range(8):
        remembered(room, first, interval=20, ago=20, reps=reps)
        day = good_day(room, first)
        due = rollover((MONDAY + day * DAY).date(), time_zone="UTC", hour=4)
        remembered(room, second, interval=day, ago=0, due=due)
        days.add(good_day(room, first) - day)
        Memory.objects.filter(card=second).delete()
    assert 0 not in days


def test_a_card_before_its_time_is_no_sibling_and_no_load_of_its_own(room, family):
    """The answer gives its own place up, so the offer is that of a card that is due on no day to come."""
    for interval in (10, 20, 40):
        memory = remembered(room, family[0], interval=interval, ago=interval)
        kept.clear()
        found = offer_of(room.learner, family[0], MONDAY)
        day = (MONDAY + good_day(room, family[0]) * DAY).date()
        memory.due = rollover(day, time_zone="UTC", hour=4)
        memory.save()
        kept.clear()
        assert found == offer_of(room.learner, family[0], MONDAY)


def test_a_full_day_is_passed_over_for_an_empty_one(room, new_card, topic, card):
    remembered(room, card, interval=20, ago=20)
    before = good_day(room, card)
    for number in range(60):
        remembered(room, new_card(f"load-{number}", topic), interval=before, ago=0)
    kept.clear()
    assert good_day(room, card) != before


def test_loads_are_kept_for_a_while(room, new_card, topic, card, django_assert_num_queries):
    remembered(room, card, interval=20, ago=20)
    offer_of(room.learner, card, MONDAY)
    with django_assert_num_queries(2):  # the memory, and the rules of decks
        offer_of(room.learner, card, MONDAY)


def test_an_easy_day_is_avoided(room, new_card, topic):
    room.learner.easy_days = ["minimum"] + ["normal"] * 6
    room.learner.spread_load = False
    for number in range(12):
        card = new_card(f"card-{number}", topic)
        remembered(room, card, interval=12, ago=12)
        day = MONDAY + good_day(room, card) * DAY
        assert day.weekday() != 0


def test_a_deck_is_offered_by_its_own_retention(room, card, topic):
    remembered(room, card, interval=20, ago=20)
    usual = good_day(room, card)
    DeckRules.objects.create(learner=room.learner, deck=topic.deck, desired_retention=0.97)
    assert good_day(room, card) < usual
    offer = offer_of(room.learner, card, MONDAY)
    review = room.rate(room.answer(card), draw=offer.draw)
    assert review.desired_retention == 0.97
    assert review.outcome["intervals"] == offer.intervals


@pytest.mark.parametrize("spread", [True, False])
def test_fifty_offers_take_four_queries(room, new_card, topic, spread, django_assert_max_num_queries):
    room.learner.spread_load = spread
    cards = [new_card(f"card-{number}", topic) for number in range(50)]
    for card in cards:
        card.family = f"family-{card.pk % 9}"
    asked = [(card, remembered(room, card, interval=20, ago=20)) for card in cards]
    kept.clear()
    with django_assert_max_num_queries(4):
        assert len({offer.draw for offer in offers(room.learner, asked, MONDAY)}) > 10


def test_the_queue_carries_the_draw_that_gives_its_intervals(room, family):
    remembered(room, family[0], interval=20, ago=22)
    item = study_queue(room.learner, MONDAY)[0]
    review = room.rate(room.answer(item.card), 3, draw=item.draw)
    assert review.outcome["intervals"] == item.intervals
    assert Review.objects.get().draw == item.draw
