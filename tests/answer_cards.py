"""Local cards, one for each type of answer, with an answer of each fate as the form of a page sends it.

`publish_all` writes them into the database of the process, `publish_in` into that of a running service."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from tests.serving import ROOT, Service

Fields = dict[str, Any]
TODAY = date(2026, 11, 30)


@dataclass(frozen=True)
class AnswerCard:
    """A card and what may be sent to it. `says`: what the page says of the wrong answer and its mistake."""

    answer: dict[str, Any]
    mistakes: list[dict[str, Any]]
    right: Fields
    wrong: Fields
    mistake: str
    unreadable: Fields
    prompt: str
    waits: str = ""
    """What an answer waits for before it has a verdict."""
    picture: list[dict[str, Any]] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The type of its answer."""
        return str(self.answer["type"])

    @property
    def slug(self) -> str:
        """Its address, and how its screenshots are called."""
        return f"asked-{self.kind.replace('_', '-')}"

    def content(self) -> dict[str, Any]:
        """As an author writes it."""
        return {
            "answer_type": self.kind,
            "answer": self.answer,
            "mistakes": self.mistakes,
            "prompt": self.prompt,
            "explanation": "The arithmetic is $768 / 12 = 64$ for BERT-base.",
            "hints": ["Write the shapes down."],
            "picture": self.picture,
        }


SPLIT = "q.view(2, 4, 12, 64).transpose(1, 2)"
CARDS = (
    AnswerCard(
        {"type": "words", "key": "batch", "accepts": ["batch axis"], "typos": 1},
        [
            {
                "name": "tokens_for_batch",
                "words": ["tokens"],
                "key": "tokens",
                "says": "`{answer}` are axis 1.",
            }
        ],
        right={"text": "the Batch axis"},
        wrong={"text": "tokens"},
        mistake="tokens for batch",
        unreadable={"text": "  "},
        prompt="A layer takes $x$ of shape (2, 4, 768). What is axis 0 called?",
    ),
    AnswerCard(
        {"type": "einsum", "key": "b h q d, b h k d -> b h q k", "operands": ["Q", "K"]},
        [
            {
                "name": "keys_not_summed",
                "key": "b h q d, b h k d -> b h q d",
                "says": "The keys are summed away.",
            }
        ],
        right={"text": "bhid,bhjd->bhij"},
        wrong={"text": "bhqd,bhkd->bhqd"},
        mistake="keys not summed",
        unreadable={"text": "bhqd,bhkd-)bhqk"},
        prompt="Write the scores of every query with every key as an einsum of Q and K.",
    ),
    AnswerCard(
        {
            "type": "formula",
            "key": "2 L H_kv d_k T b",
            "symbols": {
                "L": ["layers"],
                "H_kv": ["num_kv_heads"],
                "d_k": ["d_head"],
                "T": ["tokens"],
                "b": ["bytes"],
            },
        },
        [{"name": "forgot_k_and_v", "key": "L H_kv d_k T b", "says": "The cache holds K and V: twice that."}],
        right={"text": "L*H_kv*d_k*T*b*2"},
        wrong={"text": r"L \cdot H_{kv} d_k T b"},
        mistake="forgot k and v",
        unreadable={"text": "2 L H_kv $ d_k T b"},
        prompt="How many bytes does a key and value cache of $T$ tokens take?",
    ),
    AnswerCard(
        {
            "type": "matrix_formula",
            "key": "softmax(Q K^T / sqrt(d_k)) V",
            "matrices": {"Q": ["n", "d_k"], "K": ["m", "d_k"], "V": ["m", "d_v"]},
            "names": {"d_k": ["d_head"]},
        },
        [
            {
                "name": "no_root",
                "key": "softmax(Q K^T / d_k) V",
                "says": "The spread of a sum of $d_k$ terms is its root.",
            }
        ],
        right={"text": r"softmax(\frac{Q K^\top}{\sqrt{d_k}}) V"},
        wrong={"text": "softmax(Q K^T / d_k) V"},
        mistake="no root",
        unreadable={"text": "softmax(Q K^T / sqrt(d_k) V"},
        prompt="Write the attention of queries Q on keys K and values V.",
    ),
    AnswerCard(
        {"type": "program", "reference": SPLIT, "model": "bert-base"},
        [{"name": "not_transposed", "program": "q.view(2, 12, 4, 64)", "says": "Rows are cut across heads."}],
        right={"text": "x = q.reshape(2, 4, 12, 64)\nx.permute(0, 2, 1, 3)"},
        wrong={"text": "q.view(2, 12, 4, 64)"},
        mistake="not transposed",
        unreadable={"text": "x = q.view(2, 4, 12, 64)\nx.tranpose((1, 2)"},
        prompt="Cut `q` of shape (2, 4, 768) into 12 heads, heads before tokens.",
        waits="worker",
    ),
    AnswerCard(
        {
            "type": "multi_choice",
            "options": [
                {"id": "eight", "text": "8", "correct": True},
                {"id": "ten", "text": "10", "mistake": "does_not_divide"},
                {"id": "twelve", "text": "12", "correct": True},
                {"id": "fourteen", "text": "14", "mistake": "does_not_divide"},
            ],
        },
        [{"name": "does_not_divide", "says": "$768 = 10 \\cdot 76 + 8$."}],
        right={"choices": ["eight", "twelve"]},
        wrong={"choices": ["eight", "ten"]},
        mistake="does not divide",
        unreadable={},
        prompt="Which numbers of heads divide a width of 768?",
    ),
    AnswerCard(
        {
            "type": "ordering",
            "items": [
                {"id": "project", "text": "project with $W_Q$"},
                {"id": "split", "text": "split into heads"},
                {"id": "scores", "text": "scores of queries with keys"},
            ],
            "before": [["project", "split"], ["split", "scores"]],
            "distractors": [{"id": "average", "text": "average the heads", "mistake": "heads_averaged"}],
        },
        [
            {"name": "heads_averaged", "says": "Heads are laid side by side, not averaged."},
            {"name": "scores_first", "before": ["scores", "split"], "says": "Scores are per head."},
        ],
        right={"place-project": "1", "place-split": "2", "place-scores": "3", "place-average": "out"},
        wrong={"place-project": "1", "place-split": "3", "place-scores": "2", "place-average": "out"},
        mistake="scores first",
        unreadable={"place-project": "1", "place-split": "1", "place-scores": "3", "place-average": "out"},
        prompt="Put the steps in order; leave out what is no part of attention.",
    ),
    AnswerCard(
        {
            "type": "table",
            "columns": ["d_model", "num_heads", "d_head"],
            "rows": [
                {
                    "title": "BERT-base",
                    "cells": [
                        {"given": "768"},
                        {
                            "id": "heads",
                            "type": "numeric",
                            "key": {"compute": "num_heads", "model": "bert-base"},
                        },
                        {
                            "id": "width",
                            "type": "numeric",
                            "key": {"compute": "head_width", "d_model": 768, "num_heads": {"cell": "heads"}},
                        },
                    ],
                },
                {
                    "title": "BERT-large",
                    "cells": [
                        {"given": "1,024"},
                        {
                            "id": "large",
                            "type": "numeric",
                            "key": {"compute": "num_heads", "model": "bert-large"},
                        },
                        {"given": "64"},
                    ],
                },
            ],
        },
        [],
        right={"cell-heads": "12", "cell-width": "64", "cell-large": "16"},
        wrong={"cell-heads": "64", "cell-width": "12", "cell-large": "16"},
        mistake="cells swapped",
        unreadable={"cell-heads": "12", "cell-width": "64 or so", "cell-large": ""},
        prompt="Fill in the heads and their width.",
    ),
    AnswerCard(
        {
            "type": "cloze",
            "text": "Scores are divided by {{root::\\sqrt{d_k}::a root}}, which is {{width}} for BERT-base.",
            "gaps": {
                "root": {
                    "type": "formula",
                    "symbols": ["d_k"],
                    "mistakes": [{"name": "no_root", "key": "d_k", "says": "The divisor is the root of it."}],
                },
                "width": {"type": "numeric", "key": {"compute": "scale_divisor", "d_head": 64}},
            },
        },
        [],
        right={"cell-root": "sqrt(d_k)", "cell-width": "8"},
        wrong={"cell-root": "d_k", "cell-width": "8"},
        mistake="no root",
        unreadable={"cell-root": "sqrt(d_k", "cell-width": "8"},
        prompt="Say what the scores are divided by.",
    ),
    AnswerCard(
        {
            "type": "rubric",
            "points": [
                {"id": "kernels", "text": "kernels are tuned for 64 and 128", "weight": 2},
                {"id": "trade", "text": "more heads are narrower heads"},
            ],
            "red_flags": [{"id": "law", "text": "it is called a law", "mistake": "called_a_law"}],
        },
        [{"name": "called_a_law", "says": "It is a habit; Gemma uses 256."}],
        right={"text": "Kernels are tuned for these widths, and more heads would be narrower."},
        wrong={"text": "It must be so, by a law."},
        mistake="called a law",
        unreadable={"text": "   "},
        prompt="Why is a head so often 64 or 128 wide?",
        waits="ticks",
    ),
)
BY_KIND = {card.kind: card for card in CARDS}


def publish_all(*cards: AnswerCard) -> None:
    """Writes and publishes these cards, or all, and a source to cite, where Django is set up."""
    from cards.authoring.versions import publish, write_version
    from cards.models import Card, Deck, Source, Topic

    deck = Deck.objects.create(slug="asked", title="Asked")
    topic = Topic.objects.create(slug="asked", title="Asked", deck=deck)
    source, _ = Source.objects.get_or_create(key="asked-2026", defaults={"title": "Asked", "as_of": TODAY})
    for position, card in enumerate(cards or CARDS):
        row = Card.objects.create(slug=card.slug, topic=topic, position=position)
        publish(write_version(row, card.content() | {"sources": [source.key]}, author=None, edit="major"))


def publish_in(service: Service) -> None:
    """The cards in the data of a running service. Raises CalledProcessError with what Django said."""
    env = {**os.environ, **service.env, "DJANGO_SETTINGS_MODULE": "studyhub.settings"}
    code = "import django; django.setup(); from tests.answer_cards import publish_all; publish_all()"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, check=True)
