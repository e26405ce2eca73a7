"""Cards of several types, signed-in clients, and what a problem must look like."""

import json
import uuid
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from rest_framework.throttling import ScopedRateThrottle

from attention_engine.store import FrameStore
from cards.models import Card, CardVersion, Deck, Topic
from studyhub.api.schema.job_shapes import INTERVIEW
from studyhub.delivery import pictures
from studyhub.operations import jobs
from studyhub.operations.models import Job
from studyhub.study.models import Interview, Parameters, learner_of
from studyhub.study.scheduling import DEFAULT_PARAMETERS

ANSWERS = {
    "heads": {
        "answer_type": "numeric",
        "answer": {
            "type": "numeric",
            "key": {"compute": "smallest_divisor_above", "n": 768, "above": 8},
            "tolerance": "exact",
            "unit": "heads",
        },
        "picture": [{"kind": "answer_executed", "parameters": {"d_model": 768, "num_heads": "$answer"}}],
        "mistakes": [
            {
                "name": "width_for_heads",
                "key": {"compute": "d_head", "model": "bert-base"},
                "title": "64 is a width",
                "says": "64 is the width of a head.",
            }
        ],
    },
    "shelf": {
        "answer_type": "choice",
        "answer": {
            "type": "choice",
            "options": [
                {"id": "whole", "text": "reads all of it", "correct": True},
                {"id": "part", "text": "reads a part", "mistake": "owns_a_part"},
            ],
        },
        "mistakes": [
            {"name": "owns_a_part", "title": "no head owns input", "says": "Every head reads it all."}
        ],
    },
    "steps": {
        "answer_type": "ordering",
        "answer": {
            "type": "ordering",
            "items": [
                {"id": "project", "text": "project"},
                {"id": "view", "text": "view"},
                {"id": "transpose", "text": "transpose"},
            ],
        },
    },
    "written": {
        "answer_type": "rubric",
        "answer": {
            "type": "rubric",
            "points": [
                {"id": "kernels", "text": "Names the kernels.", "weight": 3},
                {"id": "trade", "text": "Wider heads are fewer heads."},
            ],
            "red_flags": [{"id": "law", "text": "It is called a law.", "mistake": "called_a_law"}],
            "pass": 0.7,
        },
        "mistakes": [{"name": "called_a_law", "says": "Nothing forces it."}],
    },
    "aloud": {"answer_type": "reveal", "answer": {"type": "reveal", "rubric": ["Names the kernels."]}},
}


@dataclass
class Shelf:
    """The cards by short name."""

    topic: Topic
    cards: dict[str, Card] = field(default_factory=dict)

    def attempt(self, name: str, **changes) -> dict:
        """A body for POST attempts."""
        return {
            "id": str(uuid.uuid4()),
            "card": str(self.cards[name].uuid),
            "card_version": 1,
            "response": {"text": "10"},
        } | changes

    def inline(self, **changes) -> dict:
        """A body for POST grade."""
        content = {name: deepcopy(ANSWERS["heads"][name]) for name in ("answer_type", "answer", "mistakes")}
        return content | {"response": {"text": "64"}} | changes

    def reading(self, name: str = "heads", **changes) -> dict:
        """A body for POST readings."""
        return {"card": str(self.cards[name].uuid), "card_version": 1, "text": "3*4"} | changes

    def review(self, **changes) -> dict:
        """A body for POST reviews, without what is rated."""
        return {
            "id": str(uuid.uuid4()),
            "rating": "good",
            "answered_at": "2026-11-30T09:15:00+01:00",
            "time_zone": "Europe/Berlin",
        } | changes

    def events(self, card: str) -> list[dict]:
        """Events for POST sync: one of every type, then some that cannot be stored."""
        offline = {"card": card, "card_version": 1, "response": {"text": "12"}}
        review = self.review(type="review", **offline)
        day = {"target_day": "2026-12-24"}
        kinds = ({"type": "suspend"}, {"type": "unsuspend"}, {"type": "reset"})
        kinds = (*kinds, {"type": "bury", **day}, {"type": "set_due", **day})
        events = [{"id": str(uuid.uuid4()), "card": card, **kind} for kind in kinds]
        void = {"type": "void", "id": str(uuid.uuid4()), "review": review["id"]}
        unknown = {"type": "void", "id": str(uuid.uuid4()), "review": str(uuid.uuid4())}
        unreadable = self.review(type="review", **offline) | {"response": {"text": "?"}}
        return [review, *events, void, review, unknown, unreadable, {"type": "dance"}, 7]


@pytest.fixture
def shelf(db) -> Shelf:
    """One topic with a published card of each type and a draft."""
    deck = Deck.objects.create(slug="transformers", title="Transformers")
    topic = Topic.objects.create(
        slug="d-head",
        deck=deck,
        title="d_head",
        sections=[
            {
                "kind": "rule",
                "title": "The rule",
                "markdown": "secret *source*",
                "html": "<p>x</p>",
                "read_seconds": 9,
            }
        ],
    )
    shelf = Shelf(topic)
    for position, (name, content) in enumerate(ANSWERS.items()):
        shelf.cards[name] = publish(topic, name, position=position, **content)
    shelf.cards["draft"] = Card.objects.create(slug="draft", topic=topic, position=99)
    CardVersion.objects.create(card=shelf.cards["draft"], number=1, answer_type="numeric", prompt="?")
    return shelf


def publish(topic: Topic, slug: str, *, position: int, **content) -> Card:
    """A published card with one version."""
    card = Card.objects.create(slug=slug, topic=topic, position=position, state=Card.State.PUBLISHED)
    prompt = {"prompt": f"About {slug}?", "prompt_html": f"<p>About {slug}?</p>", "content_hash": slug}
    card.published_version = CardVersion.objects.create(card=card, number=1, **prompt, **content)
    card.save()
    return card


@pytest.fixture
def frame_store(settings, tmp_path) -> FrameStore:
    """A store of frames and a broker of this test's own."""
    settings.FRAMES_URL = f"sqlite:///{tmp_path / 'frames.sqlite3'}"
    settings.CELERY_BROKER_URL = f"studyhubsqlite:///{tmp_path / 'broker.sqlite3'}"
    return pictures.store()


class Api:
    """A client that speaks JSON to /api/v1/ as somebody."""

    def __init__(self, user=None) -> None:
        self.client = Client(raise_request_exception=False)
        self.user = user
        if user is not None:
            self.client.force_login(user)
            learner_of(user)

    def get(self, path: str, **options):
        return self.client.get(f"/api/v1/{path}", **options)

    def send(self, method: str, path: str, body=None):
        """A request of any method, with a JSON body."""
        content = json.dumps(body) if body is not None else ""
        return self.client.generic(method, f"/api/v1/{path}", content, content_type="application/json")

    def post(self, path: str, body):
        return self.client.post(f"/api/v1/{path}", json.dumps(body), content_type="application/json")


@pytest.fixture
def as_user():
    """`as_user(ben).get("study/queue")`."""
    return Api


@pytest.fixture
def learner_api(ben, shelf) -> Api:
    """Ben, with the cards there."""
    return Api(ben)


@pytest.fixture
def problem():
    """Checks the form of a problem and gives (type name, {field: reason})."""

    def read(response, status: int) -> tuple[str, dict[str, str]]:
        assert response["Content-Type"] == "application/problem+json", response.content[:300]
        body = json.loads(response.content)
        assert response.status_code == body["status"] == status, body
        return body["type"].removeprefix("/problems/"), {e["field"]: e["reason"] for e in body["errors"]}

    return read


@pytest.fixture(autouse=True)
def _fresh_throttles(settings):
    """Nobody is throttled for what another test sent; passwords are hashed in no time."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    cache.clear()


@pytest.fixture
def throttles_off(monkeypatch):
    """For tests that send more than a person does."""
    monkeypatch.setattr(ScopedRateThrottle, "allow_request", lambda self, request, view: True)


def planned_interview(user) -> Job:
    """An interview with a plan that is in use, and the job that is making the next one."""
    learner, now = learner_of(user), timezone.now()
    plan = INTERVIEW["plan"] | {"previous": {"desired_retention": 0.9, "new_per_day": 20}}
    day = now.date() + timedelta(days=20)
    Interview.objects.create(learner=learner, day=day, minutes_per_day=20, plan=plan, planned_at=now)
    return jobs.enqueue("plan", learner, now=now)


def offered_version(user) -> Parameters:
    """Numbers of a fit, to adopt or not."""
    rules = {"learning_steps": [60, 600], "relearning_steps": [600], "origin": "fit"}
    numbers = {"numbers": list(DEFAULT_PARAMETERS), "created_at": timezone.now()}
    return Parameters.objects.create(learner=learner_of(user), version=1, **numbers, **rules)


def asked_interview(days: int = 12) -> dict:
    """A body for PUT study/interview."""
    day = timezone.now().date() + timedelta(days=days)
    return {"day": day.isoformat(), "minutes_per_day": 15, "topics": ["d-head"]}
