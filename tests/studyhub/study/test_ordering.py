"""The order of due cards: what is forgotten most first, neighbours pulled apart, one of a family."""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyhub.study.asking.ordering import REACH, Candidate, apart, by_need, by_turn, one_of_a_family

pytestmark = pytest.mark.plain


def card(number: int, chance: float = 0.9, topic: int = 1, family: str = "") -> Candidate:
    return Candidate(memory=number, card=number, topic=topic, family=family, chance=chance)


def ordered(cards, key="1:2026-12-01:0") -> list[int]:
    return [one.card for one in sorted(cards, key=lambda one: by_turn(one, key))]


def test_what_is_forgotten_most_comes_first():
    cards = [card(1, 0.92), card(2, 0.41), card(3, 0.77)]
    assert ordered(cards) == [2, 3, 1]


def test_within_five_points_the_order_belongs_to_the_key():
    cards = [card(number, 0.90 + number / 1000) for number in range(40)]
    first, other_seed = ordered(cards), ordered(cards, key="1:2026-12-01:1")
    assert first == ordered(reversed(cards))
    assert first != other_seed
    assert sorted(first) == sorted(other_seed) == list(range(40))


def test_where_time_is_short_the_chance_alone_decides():
    cards = [card(1, 0.913), card(2, 0.912), card(3, 0.911)]
    assert [one.card for one in sorted(cards, key=by_need)] == [3, 2, 1]


def test_every_card_comes_first_under_some_seed():
    cards = [card(number) for number in range(5)]
    first = Counter(ordered(cards, key=str(seed))[0] for seed in range(200))
    assert set(first) == set(range(5))


def test_of_a_family_one_card_is_asked_and_none_where_it_had_its_turn():
    cards = [card(1, family="heads"), card(2), card(3, family="heads"), card(4, family="masks"), card(5)]
    assert [one.card for one in one_of_a_family(cards)] == [1, 2, 4, 5]
    assert [one.card for one in one_of_a_family(cards, barred={"heads", ""})] == [2, 4, 5]


@pytest.mark.parametrize(
    ("topics", "after", "expected"),
    [
        ([1, 1, 2, 2], 0, [1, 2, 1, 2]),
        ([1, 1, 2, 2], 1, [2, 1, 2, 1]),
        ([1, 1, 1, 2], 0, [1, 2, 1, 1]),
        ([1, 1, 1], 1, [1, 1, 1]),
        ([], 3, []),
    ],
)
def test_cards_of_a_topic_are_pulled_apart(topics, after, expected):
    cards = [card(number, topic=topic) for number, topic in enumerate(topics)]
    assert [one.topic for one in apart(cards, after)] == expected


@given(st.lists(st.integers(1, 4), max_size=60), st.integers(0, 4))
def test_pulling_apart_loses_no_card_and_draws_none_forward_by_more_than_its_reach(topics, after):
    cards = [card(number, topic=topic) for number, topic in enumerate(topics)]
    pulled = list(apart(cards, after))
    assert sorted(pulled) == sorted(cards)
    assert all(one.card - place < REACH for place, one in enumerate(pulled))


@given(st.lists(st.integers(1, 3), min_size=2, max_size=40))
def test_asking_one_card_at_a_time_gives_the_order_of_the_whole_queue(topics):
    cards = [card(number, topic=topic) for number, topic in enumerate(topics)]
    whole, left, after = list(apart(cards)), list(cards), 0
    for expected in whole:
        (one,) = islice(apart(left, after), 1)
        assert one == expected
        left.remove(one)
        after = one.topic
