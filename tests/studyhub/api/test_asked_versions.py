"""Both doors, the page and the API, take answers to what a learner was asked, and never show a draft."""

import uuid

import pytest

from cards.models import Card, CardVersion
from studyhub.study.models import Attempt, Review

SECRET = "SECRET WORDING"


@pytest.fixture
def card(shelf) -> Card:
    return shelf.cards["heads"]


@pytest.fixture
def draft(card) -> CardVersion:
    """The next wording of a published card, not yet published; all of it says SECRET WORDING."""
    seen = card.published_version
    return CardVersion.objects.create(
        card=card, number=2, answer_type=seen.answer_type, answer=seen.answer, mistakes=seen.mistakes,
        prompt=SECRET, prompt_html=SECRET, hints=[SECRET], explanation=SECRET, explanation_html=SECRET,
    )  # fmt: skip


def move(card: Card, state: str) -> None:
    card.state = state
    card.save()


class Page:
    """The form of the study page, sent without a script."""

    def __init__(self, api, card) -> None:
        self.api, self.card, self.id = api, card, str(uuid.uuid4())

    def send(self, number: int = 1, **values):
        form = {"client_id": self.id, "card": self.card.slug, "version": number, "variant_seed": 0}
        return self.api.client.post("/study/", form | (values or {"text": "12"}), follow=True)


class Door:
    """POST attempts."""

    def __init__(self, api, card) -> None:
        self.api, self.card, self.id = api, card, str(uuid.uuid4())

    def send(self, number: int = 1, **values):
        body = {"id": self.id, "card": str(self.card.uuid), "card_version": number}
        return self.api.post("attempts", body | {"response": values or {"text": "12"}})


class Offline(Door):
    """POST reviews with the answer in it."""

    def send(self, number: int = 1, **values):
        said = {"id": self.id, "rating": "good", "answered_at": "2026-11-30T09:15:00Z", "time_zone": "UTC"}
        body = {"card": str(self.card.uuid), "card_version": number, "response": values or {"text": "12"}}
        return self.api.post("reviews", said | body)


@pytest.fixture(params=[Page, Door, Offline], ids=["page", "attempts", "reviews"])
def door(request, learner_api, card):
    return request.param(learner_api, card)


@pytest.fixture
def page(learner_api, card) -> Page:
    return Page(learner_api, card)


@pytest.mark.parametrize("state", Card.State.values)
def test_a_draft_version_is_never_answered_nor_shown(door, card, draft, state):
    move(card, state)
    response = door.send(draft.number)
    assert response.status_code == 404
    assert SECRET not in response.content.decode()
    assert not Attempt.objects.exists()


@pytest.mark.parametrize("state", Card.State.values)
@pytest.mark.parametrize(
    "values", [{"hint": "1"}, {"reveal": "1"}, {"text": "?"}], ids=["hint", "reveal", "?"]
)
def test_a_draft_version_gives_no_hint_and_no_answer_on_the_page(page, card, draft, state, values):
    move(card, state)
    response = page.send(draft.number, **values)
    assert response.status_code == 404
    assert SECRET not in response.content.decode()


def test_a_card_that_was_never_published_is_not_answered(learner_api, shelf, door):
    door.card = shelf.cards["draft"]
    assert door.send().status_code == 404


def test_an_answer_to_a_card_retired_meanwhile_is_stored(door, card):
    move(card, Card.State.RETIRED)
    assert door.send().status_code in {200, 201}
    assert Attempt.objects.get().outcome == "correct"


def test_an_answer_to_an_older_wording_is_stored_with_it(door, card, draft):
    card.published_version = draft
    card.save()
    assert door.send(1).status_code in {200, 201}
    assert Attempt.objects.get().card_version.number == 1


@pytest.mark.parametrize("state", [Card.State.DRAFT, Card.State.RETIRED])
def test_a_repetition_answers_with_the_stored_outcome_whatever_became_of_the_card(door, card, state):
    first = door.send()
    move(card, state)
    Card.objects.filter(pk=card.pk).update(published_version=None)
    second = door.send()
    assert (first.status_code, second.status_code) in {(200, 200), (201, 200)}
    if not isinstance(door, Page):
        assert first.json() == second.json()
    assert Attempt.objects.count() == 1
    assert Review.objects.count() == (1 if isinstance(door, Offline) else 0)


def test_what_another_learner_answered_opens_no_draft(door, card, as_user, cy):
    assert Door(as_user(cy), card).send().status_code == 201
    move(card, Card.State.DRAFT)
    assert door.send().status_code == 404


@pytest.mark.parametrize(
    "values",
    [
        {"text": "1" * 4097},
        {"text": "12", "choices": ["x" * 81]},
        {"text": "12", "order": ["a"] * 65},
    ],
    ids=["text", "a choice", "rows"],
)
def test_too_long_an_answer_is_unreadable_and_leaves_no_row(door, values):
    assert door.send(**values).status_code == 422
    assert not Attempt.objects.exists()


def test_long_cells_are_unreadable_on_the_page_and_in_the_api(page, learner_api, card):
    cells = {f"c{n}": "x" * 4000 for n in range(5)}
    assert page.send(text="12", **{f"cell-{name}": text for name, text in cells.items()}).status_code == 422
    assert Door(learner_api, card).send(text="12", cells=cells).status_code == 422
    assert not Attempt.objects.exists()
