"""The author's preview: the card as a learner sees it, graded without a trace."""

from typing import Any

import pytest
from django.contrib.auth.models import AbstractBaseUser, Permission
from django.test import Client
from django.urls import reverse

from cards.authoring.versions import CONTENT, copy_to_edit, latest_version
from cards.models import Card, CardVersion
from studyhub.study.models import Attempt
from tests.shipped import shipped_content


@pytest.fixture
def ada(ada: AbstractBaseUser) -> AbstractBaseUser:
    """The author: staff who may change cards."""
    return granted(ada, "change_card")


@pytest.fixture
def address(db: None) -> str:
    """The preview of a shipped card."""
    shipped_content()
    version = Card.objects.get(slug="more-than-eight-heads").published_version
    assert version is not None
    return f"{reverse('web:preview')}?version={version.pk}"


def signed_in(user: AbstractBaseUser) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_only_staff_may_look(address: str, ada: AbstractBaseUser, ben: AbstractBaseUser) -> None:
    assert Client().get(address).status_code == 302
    assert signed_in(ben).get(address).status_code == 302
    assert signed_in(ada).get(address).status_code == 200


def test_each_named_mistake_is_shown_with_its_answer_and_grade(address: str, ada: AbstractBaseUser) -> None:
    page = signed_in(ada).get(address).content.decode()
    assert "12 heads" in page
    assert "heads that do not divide" in page
    assert "incorrect" in page
    assert "changes no grade" not in page


def test_an_order_is_shown_row_by_row_for_the_key_and_for_each_mistake(
    address: str, ada: AbstractBaseUser
) -> None:
    version = Card.objects.get(slug="pipeline-order").published_version
    assert version is not None
    client, page = signed_in(ada), f"{reverse('web:preview')}?version={version.pk}"
    words = client.get(page).content.decode()
    assert words.count('<ol class="order">') == 1 + len(version.mistakes)
    assert words.count("first wrong place") == len(version.mistakes)
    right = [item["id"] for item in version.answer["items"]]
    answered = client.post(f"{page}&frame=1", {"order": right[::-1]}).content.decode()
    assert answered.count('<ol class="order">') == 2


def test_a_draft_that_is_not_publishable_says_why_beside_its_button(
    draft: Card, sol: AbstractBaseUser
) -> None:
    good = latest_version(draft)
    assert good is not None
    kept = {name: getattr(good, name) for name in (*CONTENT, "prompt_html", "explanation_html")}
    broken = CardVersion.objects.create(card=draft, number=2, content_hash="x", **{**kept, "hints": [1]})
    page = signed_in(sol).get(f"{reverse('web:preview')}?version={broken.pk}").content.decode()
    form = page[page.index('name="publish"') :].partition("</form>")[0]
    assert 'aria-describedby="may-publish" disabled' in form
    assert "Publishing is off until everything above is mended" in form


def test_an_answer_in_the_frame_is_graded_and_forgotten(address: str, ada: AbstractBaseUser) -> None:
    client = signed_in(ada)
    frame = f"{address}&frame=1"
    assert 'name="text"' in client.get(frame).content.decode()
    answered = client.post(frame, {"text": "10"}).content.decode()
    assert "10 does not divide 768" in answered
    assert "could not read" in client.post(frame, {"text": "12 or so"}).content.decode()
    assert Attempt.objects.count() == 0


def test_the_question_in_the_frame_does_not_hold_its_key(address: str, ada: AbstractBaseUser) -> None:
    page = signed_in(ada).get(f"{address}&frame=1").content.decode()
    assert "12 heads" not in page


@pytest.mark.parametrize("version", ["", "0", "abc", "9" * 30, "-1"])
def test_a_version_that_is_not_there_is_404(address: str, ada: AbstractBaseUser, version: str) -> None:
    assert signed_in(ada).get(f"{reverse('web:preview')}?version={version}").status_code == 404


def test_a_shipped_version_cannot_be_published_by_hand(address: str, ada: AbstractBaseUser) -> None:
    page = signed_in(ada).post(address, {"publish": "1"}, follow=True).content.decode()
    assert "copy this one" in page.lower()


def granted(user: AbstractBaseUser, *names: str) -> AbstractBaseUser:
    """The user with these rights on cards."""
    rights = Permission.objects.filter(content_type__app_label="cards", codename__in=names)
    user.user_permissions.set(rights)  # type: ignore[attr-defined]
    return user


LOOK, FRAME, PUBLISH, RETIRE, COPY = "look", "frame", "publish", "retire", "copy"
STAFF_RIGHTS: dict[str, tuple[str, ...]] = {
    "ada with no rights": (),
    "ada who may view": ("view_card",),
    "ada who may add": ("view_card", "add_card"),
    "ada who may change": ("change_card",),
}
ALLOWED = {
    "ada with no rights": set(),
    "ada who may view": {LOOK, FRAME},
    "ada who may add": {LOOK, FRAME, COPY},
    "ada who may change": {LOOK, FRAME, PUBLISH, RETIRE},
    "sol": {LOOK, FRAME, PUBLISH, RETIRE, COPY},
    "ben": set(),
    "cy": set(),
    "nobody": set(),
}


@pytest.fixture
def draft(address: str, sol: AbstractBaseUser) -> Card:
    """A local draft that nothing stands against."""
    return copy_to_edit(Card.objects.get(slug="more-than-eight-heads"), author=sol)


def attempt(client: Client, act: str, card: Card) -> None:
    """One act on a draft."""
    version = latest_version(card)
    assert version is not None
    preview = f"{reverse('web:preview')}?version={version.pk}"
    cards = reverse("admin:cards_card_changelist")
    if act == PUBLISH:
        client.post(preview, {"publish": "1"})
    elif act == RETIRE:
        client.post(cards, {"action": "retire", "_selected_action": [card.pk]})
    elif act == COPY:
        client.post(cards, {"action": "copy_to_edit", "_selected_action": [card.pk]})


def done(client: Client, act: str, card: Card) -> bool:
    """Whether the act had its effect."""
    version = latest_version(card)
    assert version is not None
    preview = f"{reverse('web:preview')}?version={version.pk}"
    if act == LOOK:
        return client.get(preview).status_code == 200
    if act == FRAME:
        return client.post(f"{preview}&frame=1", {"text": "12"}).status_code == 200
    attempt(client, act, card)
    card.refresh_from_db()
    if act == COPY:
        return Card.objects.filter(slug=f"{card.slug}-copy-1").exists()
    return card.state == {PUBLISH: "published", RETIRE: "retired"}[act]


@pytest.mark.parametrize("who", ALLOWED)
@pytest.mark.parametrize("act", [LOOK, FRAME, PUBLISH, RETIRE, COPY])
def test_only_the_right_of_the_model_lets_someone_act_on_a_draft(
    request: pytest.FixtureRequest, draft: Card, who: str, act: str
) -> None:
    client = Client()
    if who != "nobody":
        user = request.getfixturevalue(who.partition(" ")[0])
        client.force_login(granted(user, *STAFF_RIGHTS[who]) if who in STAFF_RIGHTS else user)
    assert done(client, act, draft) == (act in ALLOWED[who])


def test_someone_who_may_only_look_is_offered_no_button(draft: Card, ada: AbstractBaseUser) -> None:
    version = latest_version(draft)
    assert version is not None
    page = signed_in(granted(ada, "view_card")).get(f"{reverse('web:preview')}?version={version.pk}")
    assert "Publishing takes the right to change cards" in page.content.decode()
    assert 'name="publish"' not in page.content.decode()


BROKEN = [
    {"mistakes": ["foo"]},
    {"picture": ["foo"]},
    {"picture": [{"kind": "head_split", "parameters": [1]}]},
    {"picture": [{"kind": "head_split", "seed": "abc"}]},
    {"answer": []},
    {"answer": {"key": 64}},
    {"answer_type": "essay"},
    {"answer_type": "choice", "answer": {"options": [{"id": "a", "text": "A"}, {"id": "b", "text": "B"}]}},
    {"answer_type": "ordering", "answer": {"items": ["a", "a"]}},
    {"hints": [1]},
    {"parameters": [1]},
]


@pytest.mark.parametrize("change", BROKEN, ids=str)
def test_a_stored_version_that_is_broken_can_be_looked_at_and_never_published(
    draft: Card, sol: AbstractBaseUser, change: dict[str, Any]
) -> None:
    good = latest_version(draft)
    assert good is not None
    kept = {name: getattr(good, name) for name in (*CONTENT, "prompt_html", "explanation_html")}
    version = CardVersion.objects.create(card=draft, number=2, content_hash="x", **{**kept, **change})
    client, address = signed_in(sol), f"{reverse('web:preview')}?version={version.pk}"
    assert "To mend" in client.get(address).content.decode()
    assert "cannot be shown" in client.get(f"{address}&frame=1").content.decode()
    assert client.post(f"{address}&frame=1", {"text": "1", "choices": "a"}).status_code == 200
    assert "Not published" in client.post(address, follow=True).content.decode()
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_what_is_only_worth_a_look_is_not_headed_as_something_to_mend(
    draft: Card, sol: AbstractBaseUser
) -> None:
    good = latest_version(draft)
    assert good is not None
    kept = {name: getattr(good, name) for name in (*CONTENT, "prompt_html", "explanation_html")}
    longer = [
        {"id": "a", "text": "A line that says a good deal more than the other one", "correct": True},
        {"id": "b", "text": "Short", "mistake": "the_other"},
    ]
    changed: dict[str, Any] = {
        "answer_type": "choice",
        "answer": {"type": "choice", "options": longer},
        "mistakes": [{"name": "the_other", "says": "See what it does."}],
        "picture": [],
    }
    version = CardVersion.objects.create(card=draft, number=2, content_hash="x", **{**kept, **changed})
    page = signed_in(sol).get(f"{reverse('web:preview')}?version={version.pk}").content.decode()
    assert "<h2>Worth a look</h2>" in page
    assert "option-length: " in page
    assert "To mend" not in page
    assert "Nothing stands against publishing" in page
