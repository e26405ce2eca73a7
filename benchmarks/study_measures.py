"""What one learner's day asks of the service, each with its goal. Makes no data; the audit comes last."""

import gzip
import json
import random
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from rest_framework.throttling import ScopedRateThrottle

from benchmarks.study import Found, Goal, Rounds
from benchmarks.study_rows import RIGHT, ZONE, Made
from studyhub.study.asking.counting import counts, deck_counts
from studyhub.study.asking.queue import study_queue
from studyhub.study.batch_replay import rebuild
from studyhub.study.checking import check
from studyhub.study.keeping import kept
from studyhub.study.models import Memory
from studyhub.study.reviews import AttemptSubmission, ReviewSubmission, record_attempt, record_review
from studyhub.study.scheduling import Rules, simulate
from studyhub.study.statistics.figures import figures

EVENTS, MOST_CARDS = 200, 6_000
MOST_BYTES = 20_000
NEXT = Goal(p95=25, anki="Anki 0.1 / 0.2 warm, 35 to build its queue")
COLD = Goal(p95=80, anki="Anki 35 to build its queue")
ANSWER = Goal(p50=15, p95=40, anki="Anki 3.8 / 7.8")
DUE = Goal(p95=30, anki="Anki 14-36")
STATISTICS = Goal(p50=300, p95=300, anki="Anki 430, over all history")
SYNC = Goal(p95=100, anki="Anki 10-17, without grading")
UNDO = Goal(anki="Anki 4")
REPLAY = Goal(p50=10_000, anki="pure goal 5,000; fsrs-rs 400 without due dates, steps or reading")
SIMULATOR = Goal(p50=500, anki="Anki 70")


def rows(made: Made, rounds: Rounds) -> Iterator[Found]:
    """Reads first, then writes, then replay and audit over all that was written."""
    ScopedRateThrottle.allow_request = lambda *_: True  # type: ignore[method-assign]
    day = _Day(made)
    yield from _reads(day, rounds)
    yield from _writes(day, rounds)
    yield from _wholes(made, rounds)


class _Day:
    """A signed-in learner, and the requests they send."""

    def __init__(self, made: Made) -> None:
        self.learner, self.client = made.learner, Client()
        self.client.force_login(made.learner.user)
        self.chance = random.Random(2)
        self.item: dict[str, Any] = {}
        self.attempt = self.review = ""
        self.cards: list[str] = []

    def get(self, path: str) -> HttpResponse:
        """A GET that must be answered."""
        told = self.client.get(path)
        assert told.status_code == 200, (path, told.status_code, told.content[:500])
        return told

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """A POST of JSON that must be stored."""
        told = self.client.post(f"/api/v1/{path}", json.dumps(body), content_type="application/json")
        assert told.status_code == 201, (path, told.status_code, told.content[:500])
        return told.json()

    def next(self) -> None:
        """Fetches the next card."""
        self.item = self.get("/api/v1/study/queue?limit=1").json()[0]  # type: ignore[attr-defined]

    def answer(self) -> None:
        """Sends the answer of the card at hand."""
        self.attempt = str(uuid.uuid4())
        asked = {name: self.item[name] for name in ("card", "card_version", "variant_seed")}
        response = {"text": RIGHT if self.chance.random() < 0.9 else "64"}
        self.post(
            "attempts",
            {**asked, "id": self.attempt, "response": response, "elapsed_ms": 4000, "time_zone": ZONE},
        )

    def rate(self) -> None:
        """Rates it."""
        self.review, at = str(uuid.uuid4()), timezone.now().isoformat()
        told = {"attempt": self.attempt, "rating": "good", "draw": self.item["draw"], "time_zone": ZONE}
        self.post("reviews", {"id": self.review, "answered_at": at, "device": "browser", **told})

    def answer_and_rate(self) -> None:
        """Both."""
        self.answer()
        self.rate()

    def undo(self) -> None:
        """Takes the rating back."""
        self.post(f"reviews/{self.review}/void", {"id": str(uuid.uuid4())})

    def study(self) -> None:
        """The same without requests: the next card, graded and rated."""
        now = timezone.now()
        (item,) = study_queue(self.learner, now, limit=1)
        sent = AttemptSubmission(uuid.uuid4(), item.version, item.variant_seed, {"text": RIGHT}, 4000)
        attempt, _ = record_attempt(self.learner, sent, now=now)
        rated = ReviewSubmission(uuid.uuid4(), 3, now, ZONE, attempt=attempt, draw=item.draw)
        record_review(self.learner, rated, now=now)

    def offline(self) -> list[dict[str, Any]]:
        """What a phone did yesterday: 200 answers to cards that were due, each once as far as there are."""
        at = timezone.now() - timedelta(hours=20)
        if len(self.cards) < EVENTS:
            due = Memory.objects.filter(learner=self.learner).order_by("due")[:MOST_CARDS]
            self.cards = [str(one) for one in due.values_list("card__uuid", flat=True)]
            self.chance.shuffle(self.cards)
        taken, self.cards = self.cards[:EVENTS], self.cards[EVENTS:]
        return [
            {
                "type": "review",
                "id": str(uuid.uuid4()),
                "card": card,
                "card_version": 1,
                "response": {"text": RIGHT},
                "rating": self.chance.choice(("again", "hard", "good", "good")),
                "answered_at": (at + timedelta(seconds=20 * number)).isoformat(),
                "time_zone": ZONE,
                "device": "phone",
                "device_sequence": number,
                "elapsed_ms": self.chance.randint(2000, 20_000),
                "draw": self.chance.randrange(10_000) / 10_000,
            }
            for number, card in enumerate(taken)
        ]


def _reads(day: _Day, rounds: Rounds) -> Iterator[Found]:
    learner, get, cold = day.learner, day.get, kept.clear
    queue = "/api/v1/study/queue?limit="

    def function(act: Callable[..., Any], **named: Any) -> Callable[[], Any]:
        return lambda: act(learner, timezone.now(), **named)

    yield rounds("next card, function, warm", NEXT, function(study_queue, limit=1), count=40)
    yield rounds("next card, api, warm", NEXT, lambda: get(f"{queue}1"), count=40)
    yield rounds("next card, api, cold", COLD, lambda: get(f"{queue}1"), count=15, before=cold)
    yield rounds("page of the next card, warm", Goal(), lambda: get("/study/"), count=40)
    yield rounds("page of the next card, cold", Goal(), lambda: get("/study/"), count=15, before=cold)
    yield rounds("50 cards with their four offers, api, warm", Goal(), lambda: get(f"{queue}50"), count=20)
    yield rounds(
        "50 cards with their four offers, api, cold", Goal(), lambda: get(f"{queue}50"), count=10, before=cold
    )
    yield rounds("due counts of 200 decks, warm", DUE, function(deck_counts), count=30)
    yield rounds("due counts of 200 decks, cold", DUE, function(deck_counts), count=10, before=cold)
    yield rounds("due counts of all, warm", DUE, function(counts), count=30)
    yield rounds("page of today, warm", Goal(), lambda: get("/"), count=15)
    yield rounds("statistics, function", STATISTICS, function(figures), count=10)
    yield rounds("statistics, api", STATISTICS, lambda: get("/api/v1/study/statistics"), count=10)
    yield rounds("page of progress", STATISTICS, lambda: get("/progress/"), count=10)


def _writes(day: _Day, rounds: Rounds) -> Iterator[Found]:
    def answered() -> None:
        day.next()
        day.answer()

    def rated() -> None:
        answered()
        day.rate()

    yield rounds("answer: attempt, api", Goal(), day.answer, count=40, before=day.next)
    yield rounds("answer: rating, api", Goal(), day.rate, count=40, before=answered)
    yield rounds("answer: attempt and rating, api", ANSWER, day.answer_and_rate, count=100, before=day.next)
    yield rounds("next card, attempt, rating, functions", Goal(), day.study, count=40)
    yield rounds("undo, api", UNDO, day.undo, count=30, before=rated)
    yield _sync(day, rounds)
    yield rounds("next card, api, after the answers", NEXT, day.next, count=20)


def _sync(day: _Day, rounds: Rounds) -> Found:
    sizes: list[int] = []
    body = b""

    def packed() -> None:
        nonlocal body
        body = gzip.compress(json.dumps({"events": day.offline()}).encode())
        sizes.append(len(body))

    def sent() -> None:
        told = day.client.post(
            "/api/v1/sync", body, content_type="application/json", headers={"Content-Encoding": "gzip"}
        )
        refused = [one for one in told.json()["outcomes"] if one["status"] != 201]
        assert not refused, refused[0]

    found = rounds(f"sync of {EVENTS} reviews, api", SYNC, sent, count=20, before=packed)
    wrong = "" if max(sizes) <= MOST_BYTES else f"more than {MOST_BYTES:,} bytes up"
    return _noted(found, notes=f"{max(sizes):,} bytes up, goal {MOST_BYTES:,}", wrong=wrong)


def _wholes(made: Made, rounds: Rounds) -> Iterator[Found]:
    differing: list[int] = []
    found = rounds(
        f"replay of {made.lines:,} lines, read and compared", REPLAY,
        lambda: differing.append(rebuild(made.learner)), count=2, warm_up=0,
    )  # fmt: skip
    yield _noted(found, wrong=f"{sum(differing)} memories differed" if any(differing) else "")
    faults: list[int] = []
    found = rounds(
        "checkdb: memories, sums, lines", Goal(),
        lambda: faults.append(check(made.learner).total), count=1, warm_up=0,
    )  # fmt: skip
    told = f"{max(faults)} differences"
    yield _noted(found, notes=told, wrong=told if any(faults) else "")
    yield rounds("simulator, 4 x 1,000 cards x 365 days", SIMULATOR, _simulated(), count=3, warm_up=1)


def _noted(found: Found, *, notes: str = "", wrong: str = "") -> Found:
    return Found(found.name, found.goal, found.wall, found.cpu, found.queries, "" if wrong else notes, wrong)


def _simulated() -> Callable[[], Any]:
    new = np.zeros(1000)
    whole = new.astype(int)
    cards = simulate.Cards(new, new, whole, whole, whole)
    courses = _courses(retentions=(0.8, 0.85, 0.9, 0.95))
    return lambda: simulate.simulate(
        cards, courses, days=365, behaviour=simulate.Behaviour(), rules=Rules(), seed=1
    )


def _courses(retentions: Sequence[float]) -> simulate.Courses:
    four = np.ones(len(retentions))
    return simulate.Courses(
        np.array(retentions), np.full(len(four), 20), 3600 * four, np.zeros(len(four), int), four, four,
        np.zeros(len(four), int),
    )  # fmt: skip
