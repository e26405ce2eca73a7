"""A learner with years of answers, in the tables: cards of 200 decks, attempts, lines, memories, their sums.

Lines are those of `study_courses`, written in bulk; memories and sums are made from them by the replay and
the recount of the study room, so an audit finds nothing. Only the texts are alike in every row.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import connection, transaction

from benchmarks.study_courses import AGAIN, DAY, EPOCH, Answer, Answers, played
from benchmarks.study_tables import text, write
from cards.models import Card, CardVersion, Deck, Topic
from studyhub.study import rollups
from studyhub.study.batch_replay import rebuild
from studyhub.study.models import Attempt, Learner, Review, learner_of
from studyhub.study.zones import study_day_of

DECKS, TOPICS_A_DECK = 200, 1
ZONE = "Europe/Berlin"
RIGHT, WRONG = "12", "64"
ANSWER = {"type": "numeric", "key": {"compute": "num_heads", "model": "bert-base"}, "tolerance": "exact"}
PROMPT = (
    "BERT-base reads a sentence with 12 layers of 768 features, each split among its heads. "
    "How many attention heads does one layer have?"
)
GRADE = {
    "outcome": "correct", "score": 1.0, "mistake": None, "title": "Right: 12 heads", "place": None,
    "feedback_html": "<p>768 features in heads of 64 are 12 heads.</p>", "read_as": "12", "notes": [],
    "read_as_mathml": "", "key_text": "12", "facts": {},
}  # fmt: skip


@dataclass(frozen=True)
class Made:
    """What there is: the learner, cards on the shelf, cards met, lines, memories and study days."""

    learner: Learner
    cards: int
    met: int
    lines: int
    days: int


def make(cards: int, lines: int, *, now: datetime, seed: int = 1) -> Made:
    """Fills empty tables. The same arguments give the same rows, but for the name of the learner's user."""
    user = get_user_model().objects.create(username="learner of the benchmark")
    learner = learner_of(user)
    Learner.objects.filter(pk=learner.pk).update(time_zone=ZONE)
    learner.refresh_from_db()
    _make_room()
    with transaction.atomic():
        _write_cards(cards, now, random.Random(seed))
        answers = played(cards, lines, now=now, today=study_day_of(learner, now), seed=seed)
        _write_answers(learner, answers, seed)
        met = rebuild(learner)
        days = rollups.rewrite(learner)
    _settle()
    return Made(learner, cards, met, len(answers), days)


def _make_room() -> None:
    """SQLite sorts its indexes in memory and keeps no journal meanwhile, until the connection closes."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -1000000"):
                cursor.execute(f"PRAGMA {setting}")


def _settle() -> None:
    """What a database does in time by itself: PostgreSQL's autovacuum. SQLite keeps no statistics."""
    connection.close()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")


def _write_cards(number: int, now: datetime, chance: random.Random) -> None:
    """In the order of the shelf; two of five belong to a family of two."""
    decks = Deck.objects.bulk_create([Deck(slug=f"deck-{n}", title=f"Deck {n}") for n in range(DECKS)])
    topics = Topic.objects.bulk_create(
        [
            Topic(slug=f"{deck.slug}-topic-{n}", deck=deck, position=n, title=f"Topic {n}")
            for deck in decks
            for n in range(TOPICS_A_DECK)
        ]
    )
    ids = [topics[n * len(topics) // number].pk for n in range(number)]
    names = ("id", "uuid", "slug", "topic_id", "position", "family", "published_version_id")
    uuids = [UUID(int=chance.getrandbits(128), version=4).hex for _ in range(number)]
    rows = (
        (n + 1, uuids[n], f"card-{n}", ids[n], n, f"family-{n // 2}" if n % 5 < 2 else "", n + 1)
        for n in range(number)
    )
    write(Card, names, rows, state=Card.State.PUBLISHED.value)
    versions = ((n + 1, n + 1, f"{n:064x}") for n in range(number))
    write(
        CardVersion, ("id", "card_id", "content_hash"), versions, number=1, answer_type="numeric",
        prompt=PROMPT, prompt_html=f"<p>{PROMPT}</p>", answer=ANSWER, created_at=now,
        explanation=PROMPT, explanation_html=f"<p>{PROMPT}</p>",
    )  # fmt: skip


def _write_answers(learner: Learner, answers: Answers, seed: int) -> None:
    """Attempts and the lines that rate them, numbered in the order they came."""
    names = (
        *("id", "client_id", "card_version_id", "response", "outcome", "score", "grade"),
        *("elapsed_ms", "created_at", "body_digest", "suggested_rating", "reason"),
    )
    write(Attempt, names, _attempts(answers, seed), learner_id=learner.pk)
    names = (
        *("id", "client_id", "card_id", "card_version_id", "attempt_id", "rating", "suggested_rating"),
        *("answered_at", "received_at", "study_day", "draw", "state_before", "interval_before"),
        *("recall_before", "elapsed_ms", "device_sequence", "body_digest", "outcome"),
    )
    write(
        Review, names, _lines(answers, seed), learner_id=learner.pk, kind=Review.Kind.REVIEW.value,
        time_zone=ZONE, device="browser",
    )  # fmt: skip


def _attempts(answers: Answers, seed: int) -> Iterator[tuple[Any, ...]]:
    chance = random.Random(f"attempts {seed}")
    right, wrong = text({"text": RIGHT}), text({"text": WRONG})
    grades = text(GRADE), text(GRADE | {"outcome": "incorrect", "score": 0.0})
    for number, one in enumerate(answers.in_time(), start=1):
        name, missed = f"{chance.getrandbits(128):032x}", one.rating == AGAIN
        rating, reason = _suggested(one)
        yield (
            number, name, one.card + 1, wrong if missed else right, "incorrect" if missed else "correct",
            0.0 if missed else 1.0, grades[missed], one.elapsed_ms, stamp(one.at), name * 2, rating, reason,
        )  # fmt: skip


def _lines(answers: Answers, seed: int) -> Iterator[tuple[Any, ...]]:
    chance, grade = random.Random(f"lines {seed}"), text(GRADE)
    for number, one in enumerate(answers.in_time(), start=1):
        name, at, day = f"{chance.getrandbits(128):032x}", stamp(one.at), calendar_day(one.day)
        due = stamp(one.at + one.due_in)
        rating, reason = _suggested(one)
        outcome = (
            f'{{"due": "{due}", "state": "{one.state}", "interval_seconds": {one.due_in}, "grade": {grade}, '
            f'"rating": {one.rating}, "suggested_rating": {rating}, "reason": "{reason}"}}'
        )
        yield (
            number, name, one.card + 1, one.card + 1, number, one.rating, rating, at, at, day, one.draw,
            one.state_before, one.interval_before, one.recall_before, one.elapsed_ms, number, name * 2,
            outcome,
        )  # fmt: skip


@lru_cache(maxsize=10_000)
def calendar_day(ordinal: int) -> str:
    """A day as both databases read it."""
    return date.fromordinal(ordinal).isoformat()


def stamp(at: int) -> str:
    """An instant (s since 1970) as both databases read it."""
    minutes, seconds = divmod(at % DAY, 60)
    return f"{calendar_day(at // DAY + EPOCH)} {minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}"


def _suggested(one: Answer) -> tuple[int, str]:
    return (1, "Suggested: Again, a miss") if one.rating == AGAIN else (3, "Suggested: Good, right")
