"""Writing a card in the admin, as an author does."""

from typing import Any

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.test import Client
from django.urls import reverse

from cards.authoring.editors import editor
from cards.authoring.versions import NotPublishable, copy_to_edit, latest_version, publish, write_version
from cards.files import read_decks
from cards.loading import CONTENT, load_content
from cards.models import Card, CardVersion, Deck, Source, Topic

ADD = "admin:cards_card_add"


@pytest.fixture
def topic(db: None) -> Topic:
    """A local topic with one source beside it."""
    Source.objects.create(key="vaswani-2017", title="Attention Is All You Need", as_of="2026-11-30")
    return Topic.objects.create(slug="own", title="Own", deck=Deck.objects.create(slug="mine", title="Mine"))


@pytest.fixture
def desk(sol: AbstractBaseUser) -> Client:
    """An author signed in."""
    client = Client()
    client.force_login(sol)
    return client


def written(topic: Topic, **changes: Any) -> dict[str, Any]:
    """What an author types for a numeric card."""
    return {
        "topic": topic.pk,
        "slug": "bert-width",
        "position": 1,
        "answer_type": "numeric",
        "prompt": "How wide is a head of BERT-base?",
        "compute": "d_head",
        "arguments": "model: bert-base",
        "tolerance": "exact",
        "unit": "dims",
        "mistakes": (
            "- {name: heads_for_width, key: {compute: num_heads, model: bert-base}, "
            "says: '{answer} is the number of heads.'}"
        ),
        "explanation": "$768 / 12 = 64$.",
        "hints": "Divide the width of the model.",
        "picture": "- {kind: head_split, parameters: {model: bert-base}}",
        "sources": ["vaswani-2017"],
        "waivers": "",
        "edit": "major",
        **changes,
    }


def test_the_form_asks_for_the_answer_type_first_and_then_knows_it(desk: Client) -> None:
    assert "numeric" in desk.get(reverse(ADD)).content.decode()
    assert 'name="compute"' in desk.get(reverse(ADD) + "?answer_type=numeric").content.decode()
    choice = desk.get(reverse(ADD) + "?answer_type=choice").content.decode()
    assert 'name="option_1"' in choice
    assert 'name="compute"' not in choice


def test_a_saved_card_is_a_draft_and_its_preview_recomputes_the_key(desk: Client, topic: Topic) -> None:
    answer = desk.post(reverse(ADD), written(topic), follow=True)
    card = Card.objects.get(slug="bert-width")
    assert (card.state, card.published_version) == ("draft", None)
    page = answer.content.decode()
    assert "Key: <strong>64 dims</strong>, recomputed now" in page
    assert "heads for width" in page
    assert "<code>12</code>" in page
    assert "Nothing stands against publishing" in page


def test_publishing_gives_learners_the_new_version_and_an_edit_writes_the_next(
    desk: Client, topic: Topic
) -> None:
    page = desk.post(reverse(ADD), written(topic))
    desk.post(page.headers["Location"], {"publish": "1"})
    card = Card.objects.get(slug="bert-width")
    assert card.state == Card.State.PUBLISHED
    assert card.published_version is not None
    change = reverse("admin:cards_card_change", args=[card.pk])
    desk.post(change, written(topic, prompt="How wide is one head of BERT-base?"))
    assert [v.number for v in card.versions.all()] == [1, 2]
    card.refresh_from_db()
    assert card.published_version is not None
    assert card.published_version.number == 1
    desk.post(change, written(topic, prompt="How wide is one head of BERT-base?"))
    assert card.versions.count() == 2


@pytest.mark.parametrize(
    ("field", "typed", "reason"),
    [
        ("arguments", "model: no-such-model", "no-such-model"),
        ("arguments", "model: [", "line"),
        ("mistakes", "name: not a list", "list"),
        ("mistakes", "- &a {name: x}\n- *a", "aliases are not used here"),
        ("tolerance", "about", "relative 0.01"),
        ("prompt", "x" * 20_001, "20000"),
        ("compute", "os.system", "not one of the available choices"),
    ],
)
def test_what_cannot_be_written_is_said_at_the_form_and_leaves_no_row(
    desk: Client, topic: Topic, field: str, typed: str, reason: str
) -> None:
    page = desk.post(reverse(ADD), written(topic, **{field: typed}))
    assert page.status_code == 200
    assert reason in page.content.decode()
    assert (Card.objects.count(), CardVersion.objects.count()) == (0, 0)


def test_a_mistake_that_changes_no_grade_keeps_the_card_from_learners(desk: Client, topic: Topic) -> None:
    same = "- {name: same_as_key, key: {compute: d_head, model: bert-base}, says: 'no'}"
    page = desk.post(reverse(ADD), written(topic, mistakes=same), follow=True).content.decode()
    assert "Publishing is off until everything above is mended" in page
    version = latest_version(Card.objects.get(slug="bert-width"))
    assert version is not None
    with pytest.raises(NotPublishable, match="same_as_key"):
        publish(version)
    assert Card.objects.get(slug="bert-width").state == Card.State.DRAFT


def test_a_shipped_card_is_shown_and_only_its_copy_can_be_edited(desk: Client, sol: AbstractBaseUser) -> None:
    load_content()
    card = Card.objects.get(slug="bert-base-d-head")
    change = reverse("admin:cards_card_change", args=[card.pk])
    assert 'name="prompt"' not in desk.get(change).content.decode()
    assert desk.post(change, {"slug": "stolen"}).status_code == 403
    desk.post(
        reverse("admin:cards_card_changelist"), {"action": "copy_to_edit", "_selected_action": [card.pk]}
    )
    copy = Card.objects.get(slug="bert-base-d-head-copy-1")
    assert (copy.origin, copy.state) == ("local", "draft")
    page = desk.get(reverse("admin:cards_card_change", args=[copy.pk])).content.decode()
    assert 'name="prompt"' in page


def test_every_shipped_answer_survives_its_editor() -> None:
    for card in (card for deck in read_decks(CONTENT) for topic in deck.topics for card in topic.cards):
        stored = {k: v for k, v in card.answer.items() if k != "type"}
        written_back = _typed(card.answer_type, stored)
        assert _without_ids(written_back) == _without_ids(stored), card.slug


def _typed(answer_type: str, stored: dict[str, Any]) -> dict[str, Any]:
    """The answer after a trip through the form's fields as text."""
    one = editor(answer_type)
    fields, initial = one.fields(), one.initial(stored)
    cleaned = {name: f.clean(f.prepare_value(initial.get(name, f.initial))) for name, f in fields.items()}
    return one.answer(cleaned)


def _without_ids(answer: dict[str, Any]) -> dict[str, Any]:
    options = answer.get("options")
    return (
        {**answer, "options": [{k: v for k, v in o.items() if k != "id"} for o in options]}
        if options
        else answer
    )


def test_a_copy_says_the_same_and_writing_it_again_writes_nothing(sol: AbstractBaseUser, db: None) -> None:
    load_content()
    copy = copy_to_edit(Card.objects.get(slug="pipeline-order"), author=sol)
    version = latest_version(copy)
    assert version is not None
    original = Card.objects.get(slug="pipeline-order").published_version
    assert original is not None
    assert version.content_hash == original.content_hash
    content = {name: getattr(version, name) for name in ("answer_type", "answer", "prompt", "explanation")}
    rest = {
        name: getattr(version, name) for name in ("parameters", "mistakes", "hints", "picture", "sources")
    }
    assert write_version(copy, {**content, **rest}, author=sol, edit="major") == version
