"""Test vectors: questions, responses and the verdicts of this grader, for graders in other languages.

Made from the self-tests of the shipped cards and from `vectors/chosen.json` (questions with responses and no
verdict), one file an answer type. A test fails while a file says otherwise than the grader.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from cards.answer_types import ANSWER_TYPES, answer_type
from cards.answering import question_of
from cards.files import read_decks
from cards.generators import is_parametrised
from cards.grading import Question, Unreadable, read_response

CONTENT = Path(__file__).parent / "content"
FOLDER = Path(__file__).parent / "vectors"
CHOSEN = "chosen.json"
VARIANTS = (0, 1)  # seeds of a card with variants that vectors are made for
Vector = dict[str, Any]


class UnknownVectors(ValueError):
    """No vectors of that name: no answer type, or one that is not graded offline."""


def offline_types() -> tuple[str, ...]:
    """The answer types a client can grade alone."""
    return tuple(name for name in ANSWER_TYPES if answer_type(name).OFFLINE)


def vector_text(name: str, *, content: Path = CONTENT, folder: Path = FOLDER) -> str:
    """What the file of an answer type has to say, as JSON."""
    vectors = [*_of_cards(name, content), *_chosen(name, folder)]
    return json.dumps({"answer_type": name, "vectors": vectors}, indent=1, ensure_ascii=False) + "\n"


def write_vectors(*, content: Path = CONTENT, folder: Path = FOLDER) -> list[Path]:
    """Brings the files to what the grader says; those that changed or went."""
    changed = []
    texts = ((name, vector_text(name, content=content, folder=folder)) for name in offline_types())
    wanted = {folder / f"{name}.json": text for name, text in texts}
    for path in set(folder.glob("*.json")) - set(wanted) - {folder / CHOSEN}:
        path.unlink()
        changed.append(path)
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return sorted(changed)


@lru_cache(maxsize=32)
def vector_file(name: str) -> tuple[bytes, str]:
    """The published vectors of an answer type and their ETag. Raises UnknownVectors."""
    path = FOLDER / f"{name}.json"
    if name not in ANSWER_TYPES or not answer_type(name).OFFLINE or not path.exists():
        raise UnknownVectors(f"no vectors of {name[:40]!r}; there are: {', '.join(offline_types())}")
    body = path.read_bytes()
    return body, f'"{hashlib.sha256(body).hexdigest()}"'


def _of_cards(name: str, content: Path) -> Iterator[Vector]:
    """The self-tests of the shipped cards of one type."""
    cards = [card for deck in read_decks(content) for topic in deck.topics for card in topic.cards]
    for card in sorted((card for card in cards if card.answer_type == name), key=lambda card: card.slug):
        for seed in VARIANTS if is_parametrised(card) else (0,):
            question = question_of(card, seed)
            responses = [example.response for example in answer_type(name).examples(question)]
            about = f"{card.slug}@{seed}" if is_parametrised(card) else card.slug
            yield from _vectors(name, about, question, responses)


def _chosen(name: str, folder: Path) -> Iterator[Vector]:
    """Questions made for what the shipped cards do not show."""
    rows = json.loads((folder / CHOSEN).read_text(encoding="utf-8"))
    for row in rows:
        if row["answer_type"] == name:
            question = Question(row["answer"], row.get("mistakes", ()), {}, row.get("seed", 0))
            yield from _vectors(name, row["name"], question, row["responses"])


def _vectors(
    name: str, about: str, question: Question, responses: Sequence[Mapping[str, Any]]
) -> Iterator[Vector]:
    """One vector a response, with the responses that are right by the question's own self-test."""
    right = [dict(one.response) for one in answer_type(name).examples(question) if not one.mistake]
    for number, response in enumerate(responses, 1):
        yield {
            "name": f"{about}/{number}",
            "answer": dict(question.answer),
            "mistakes": [dict(mistake) for mistake in question.mistakes],
            "parameters": {k: v for k, v in question.parameters.items() if k != "waivers"},
            "seed": question.seed,
            "right": right,
            "response": dict(response),
            **_verdict(name, question, response),
        }


def _verdict(name: str, question: Question, response: Mapping[str, Any]) -> Vector:
    """What this grader says of a response."""
    try:
        grade = answer_type(name).grade(question, read_response(response))
    except Unreadable:
        return {"outcome": "unreadable", "score": 0.0, "mistake": ""}
    return {"outcome": grade.outcome, "score": grade.score, "mistake": grade.mistake}
