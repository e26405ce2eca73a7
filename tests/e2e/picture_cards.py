"""Local cards whose options are run: for each kind of picture a right and a wrong answer. Starts no browser.

`publish_in` writes them into the data of a running service."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

from tests.serving import ROOT, Service

REFERENCE = "q.view(B, T, H, D).transpose(1, 2)"
LOST = "q.view(B, H, T, D)"
Parameters = dict[str, Any]


@dataclass(frozen=True)
class PictureCard:
    """A choice of two: what an option runs stands for $answer. `more` are drawn whatever is chosen."""

    name: str
    kind: str
    parameters: Parameters
    right: Any
    wrong: Any
    more: tuple[Parameters, ...] = field(default=())
    alone: bool = False
    """Whether the picture of a wrong answer shows the right one beside it, so that no other is drawn."""

    @property
    def slug(self) -> str:
        """Its address, and how its screenshots are called."""
        return f"drawn-{self.name}"

    def picture(self) -> list[dict[str, Any]]:
        """As an author writes it."""
        asked = (self.parameters, *self.more)
        return [{"kind": self.kind, "parameters": parameters} for parameters in asked]


CARDS = (
    PictureCard("heads", "answer_executed", {"model": "bert-base", "num_heads": "$answer"}, 12, 10),
    PictureCard(
        "program",
        "answer_executed",
        {"model": "bert-base", "program": "$answer", "reference": REFERENCE},
        REFERENCE,
        LOST,
    ),
    PictureCard(
        "head_split",
        "head_split",
        {"model": "$answer"},
        "llama-3-70b",
        "bert-base",
        more=({"model": "deepseek-v3-r1-671b"},),
    ),
    PictureCard(
        "silent_mistake",
        "silent_mistake",
        {"model": "bert-base", "mistake": "$answer"},
        "softmax_over_queries",
        "view_as_heads",
        more=({"model": "bert-base", "mistake": "merge_without_transpose"},),
    ),
    PictureCard(
        "memory_tape",
        "memory_tape",
        {"model": "bert-base", "answer_strides": "$answer"},
        [3072, 256, 64, 1],
        [3072, 64, 768, 1],
        alone=True,
    ),
    PictureCard("saturation", "saturation", {"d_head": 64, "divisor": "$answer"}, 8, 64),
    PictureCard(
        "attention_pattern",
        "attention_pattern",
        {"layer": 2, "head": 7, "mask": "$answer"},
        "causal",
        "none",
        more=({"layer": 2, "head": 7, "scale": "none"},),
    ),
)


def publish_all() -> None:
    """Writes and publishes the cards, in the process that has Django set up."""
    import django

    django.setup()
    from cards.authoring.versions import publish, write_version
    from cards.models import Card, Deck, Source, Topic

    deck = Deck.objects.create(slug="drawn", title="Drawn")
    topic = Topic.objects.create(slug="drawn", title="Drawn", deck=deck)
    source = Source.objects.order_by("pk").values_list("key", flat=True)[0]
    for position, card in enumerate(CARDS):
        row = Card.objects.create(slug=card.slug, topic=topic, position=position)
        publish(write_version(row, _content(card) | {"sources": [source]}, author=None, edit="major"))


def _content(card: PictureCard) -> dict[str, Any]:
    options = [
        {"id": "right", "text": f"`{card.right}`", "runs": card.right, "correct": True},
        {"id": "wrong", "text": f"`{card.wrong}`", "runs": card.wrong, "mistake": "the_other"},
    ]
    return {
        "answer_type": "choice",
        "answer": {"type": "choice", "options": options},
        "mistakes": [{"name": "the_other", "title": "it is the other one", "says": "See what it does."}],
        "prompt": f"Which of the two does what is meant: {card.name.replace('_', ' ')}?",
        "explanation": "The pictures show both.",
        "hints": ["Look at the numbers."],
        "picture": card.picture(),
    }


def publish_in(service: Service) -> None:
    """The cards in the data of a running service. Raises CalledProcessError with what Django said."""
    env = {**os.environ, **service.env, "DJANGO_SETTINGS_MODULE": "studyhub.settings"}
    code = "from tests.e2e.picture_cards import publish_all; publish_all()"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, check=True)
