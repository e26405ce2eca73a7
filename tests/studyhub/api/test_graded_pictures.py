"""Pictures of a grade as a client gets them: with the learner's own answer, and asked for as they are."""

import json
import uuid

import pytest

from cards.answering import answer_type, question_of
from cards.files import read_decks
from cards.loading import CONTENT
from cards.models import Card
from tests.shipped import shipped_content

SHIPPED = {card.slug: card for deck in read_decks(CONTENT) for topic in deck.topics for card in topic.cards}
ODD = ("0", "-3", "1/8", "11.31", "1/3", "10^30", "999999999999", "2^2000", "7.5", "1/10^9")
MOST_UNFINISHED = 3


@pytest.fixture
def ben_api(as_user, ben, db, throttles_off):
    """Ben, with the shipped cards."""
    shipped_content()
    return as_user(ben)


def attempted(api, slug: str, response: dict) -> dict:
    """The grade of an answer to a shipped card."""
    card = Card.objects.select_related("published_version").get(slug=slug)
    assert card.published_version is not None
    body = {
        "id": str(uuid.uuid4()),
        "card": str(card.uuid),
        "card_version": card.published_version.number,
        "response": response,
    }
    answer = api.post("attempts", body)
    assert answer.status_code in (201, 202), answer.content
    assert api.post("attempts", body).json()["grade"] == answer.json()["grade"]
    return answer.json()["grade"]


@pytest.mark.parametrize(
    ("slug", "response", "placed"),
    [
        (
            "softmax-axis",
            {"choices": ["queries"]},
            [("yours", "program", "scores.softmax(dim=-2)"), ("right", "program", "scores.softmax(dim=-1)")],
        ),
        (
            "scale-for-heads-of-64",
            {"text": "1/8"},
            [("yours", "divisor", "0.125"), ("right", "divisor", "8")],
        ),
        (
            "stride-after-transpose",
            {"text": "40"},
            [("yours", "answer_strides", [160, 40, 32, 1]), ("right", "answer_strides", [160, 8, 32, 1])],
        ),
        (
            "divides-by-the-root",
            {"choices": ["t5"]},
            [("yours", "model", "t5-11b"), ("right", "model", "llama-3-70b")],
        ),
        ("bytes-of-a-copy", {"text": "6144"}, [("right", "dtype", "float32")]),
    ],
)
def test_a_grade_names_the_pictures_of_the_learners_own_answer(ben_api, slug, response, placed):
    pictures = attempted(ben_api, slug, response)["pictures"]
    told = [(one["role"], name, one["parameters"].get(name)) for one in pictures for name in (placed[0][1],)]
    assert told[: len(placed)] == placed
    assert all(set(one) == {"role", "kind", "parameters", "seed"} for one in pictures)


@pytest.mark.parametrize("slug", sorted(SHIPPED))
def test_every_picture_of_a_grade_is_taken_as_it_stands(ben_api, frame_store, slug):
    seen = set()
    for example in answer_type(SHIPPED[slug].answer_type).examples(question_of(SHIPPED[slug])):
        for one in attempted(ben_api, slug, dict(example.response))["pictures"]:
            asked = json.dumps({name: one[name] for name in ("kind", "parameters", "seed")}, sort_keys=True)
            if asked not in seen and len(seen) < MOST_UNFINISHED:
                seen.add(asked)
                taken = ben_api.post("visualizations", json.loads(asked))
                assert taken.status_code in (200, 202), taken.content
                assert taken.json()["facts"]


@pytest.mark.parametrize("slug", sorted(s for s, card in SHIPPED.items() if card.answer_type == "numeric"))
@pytest.mark.parametrize("text", ODD)
def test_a_number_that_no_picture_takes_is_graded_and_told_why(ben_api, slug, text):
    grade = attempted(ben_api, slug, {"text": text})
    waits = any("$answer" in json.dumps(row) for row in SHIPPED[slug].picture)
    yours = [one for one in grade["pictures"] if one["role"] == "yours"]
    told = grade["facts"].get("not_run", "")
    assert grade["outcome"] == "correct" or bool(yours) + bool(told) == int(waits)
    assert not told or told.endswith(".")


def test_what_an_option_runs_is_not_told_before_it_is_chosen(ben_api):
    Card.objects.exclude(slug__in=["divides-by-the-root", "softmax-axis"]).update(state=Card.State.RETIRED)
    queue = ben_api.get("study/queue?limit=50")
    asked = queue.json()
    assert len(asked) == 2
    assert all(set(option) == {"id", "text", "html"} for card in asked for option in card["input"]["options"])
    assert not any(slug in queue.content.decode() for slug in ("llama-3-70b", "t5-11b", "gemma-2-27b"))
