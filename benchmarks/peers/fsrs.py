"""The two public FSRS-6 implementations on our histories: py-fsrs (`fsrs`) and fsrs-rs (`fsrs-rs-python`)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from studyhub.study.scheduling.histories import Histories

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def py_fit(histories: Histories) -> Callable[[], list[float]]:
    """py-fsrs's Optimizer, its logs made beforehand; its days are 24 hours, so each answer is at noon."""
    from fsrs import Optimizer, Rating, ReviewLog

    columns = (histories.card, histories.rating, histories.day, histories.position)
    logs = [
        ReviewLog(card, Rating(rating), START + timedelta(days=day, seconds=place), None)
        for card, rating, day, place in zip(*(column.tolist() for column in columns), strict=True)
    ]
    return lambda: list(Optimizer(logs).compute_optimal_parameters())


def rs_fit(histories: Histories) -> Callable[[], list[float]]:
    """fsrs-rs's compute_parameters, its items made beforehand: for each term all answers up to it."""
    from fsrs_rs_python import DEFAULT_PARAMETERS, FSRS, FSRSItem, FSRSReview

    ratings, elapsed = histories.rating.tolist(), histories.elapsed.tolist()
    starts, lane = histories.starts.tolist(), histories.lane.tolist()
    reviews = [FSRSReview(rating, days) for rating, days in zip(ratings, elapsed, strict=True)]
    items: list[Any] = [FSRSItem(reviews[starts[lane[end]] : end + 1]) for end in histories.in_time.tolist()]
    model = FSRS(list(DEFAULT_PARAMETERS))
    return lambda: list(model.compute_parameters(items))


def py_preview() -> Callable[[], object]:
    """Four cards answered, one with each button."""
    from fsrs import Card, Rating, Scheduler

    scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    card, _ = scheduler.review_card(Card(), Rating.Good, START)
    later = START + timedelta(days=3)
    return lambda: [scheduler.review_card(card, rating, later) for rating in Rating]


def rs_preview() -> Callable[[], object]:
    """next_states of one card."""
    from fsrs_rs_python import DEFAULT_PARAMETERS, FSRS, MemoryState

    model, state = FSRS(list(DEFAULT_PARAMETERS)), MemoryState(2.3, 2.1)
    return lambda: model.next_states(state, 0.9, 3)
