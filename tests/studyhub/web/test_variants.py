"""Drawn values on the page, in the preview and over the API: what is shown is what is graded."""

import re
import uuid

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from cards.authoring.versions import copy_to_edit, latest_version
from cards.generators import concrete, drawn
from cards.models import Card
from studyhub.study.models import Attempt
from tests.shipped import shipped_content


@pytest.fixture
def card(db) -> Card:
    shipped_content()
    return Card.objects.select_related("published_version").get(slug="width-of-one-head")


@pytest.fixture
def desk(ada) -> Client:
    """An author who may change cards."""
    ada.is_staff = True
    ada.save()
    ada.user_permissions.add(Permission.objects.get(codename="change_card"))
    client = Client()
    client.force_login(ada)
    return client


@pytest.fixture
def learner(ben) -> Client:
    client = Client()
    client.force_login(ben)
    return client


def hidden(page: str, name: str) -> str:
    return re.search(rf'name="{name}" value="([^"]*)"', page)[1]


def test_the_page_asks_what_its_seed_drew_and_grades_and_explains_that(learner, card):
    page = learner.get(f"/study/?card={card.slug}").content.decode()
    seed = int(hidden(page, "variant_seed"))
    values = drawn(card.published_version, seed)
    asked = concrete(card.published_version, seed)
    assert seed > 0
    assert asked.prompt_html.strip() in page
    names = ("client_id", "card", "version", "variant_seed", "hints", "shown_at")
    form = {name: hidden(page, name) for name in names}
    hint = learner.post("/study/", form | {"hint": "1", "text": ""}).content.decode()
    assert asked.prompt_html.strip() in hint
    result = learner.post("/study/", form | {"text": str(values["d_head"])}, follow=True).content.decode()
    assert Attempt.objects.get().outcome == "correct"
    assert asked.prompt_html.strip() in result
    assert asked.explanation_html.strip() in result
    assert "{{" not in result


def test_the_queue_of_the_api_asks_what_the_attempt_is_graded_for(learner, card):
    queue = learner.get("/api/v1/study/queue?limit=50").json()
    drawing = [item for item in queue if item["variant_seed"]]
    assert drawing
    for item in drawing:
        version = Card.objects.get(uuid=item["card"]).published_version
        assert item["prompt_html"] == concrete(version, item["variant_seed"]).prompt_html
        assert "$" not in item["prompt_text"] + str(item["input"])
    body = {name: drawing[0][name] for name in ("card", "card_version", "variant_seed")}
    told = learner.post(
        "/api/v1/attempts",
        {**body, "id": str(uuid.uuid4()), "response": {"revealed": True}},
        content_type="application/json",
    ).json()
    version = Card.objects.get(uuid=body["card"]).published_version
    assert Attempt.objects.get().variant_seed == body["variant_seed"]
    assert told["grade"]["key_text"]
    assert concrete(version, body["variant_seed"]).prompt != concrete(version, 0).prompt


def test_the_preview_steps_through_variants_each_with_its_key_and_mistakes(desk, card):
    version = card.published_version
    address = f"{reverse('web:preview')}?version={version.pk}"
    for seed in (0, 1, 2):
        values = drawn(version, seed)
        page = desk.get(f"{address}&seed={seed}").content.decode()
        assert f"Key: <strong>{values['d_head']} numbers per head</strong>" in page
        assert f"<code>{values['num_heads']}</code>" in page
        assert f"seed={seed + 1}" in page
        assert "changes no grade" not in page
        frame = desk.get(f"{address}&frame=1&seed={seed}").content.decode()
        assert concrete(version, seed).prompt_html.strip() in frame
        graded = desk.post(f"{address}&frame=1&seed={seed}", {"text": str(values["d_head"])})
        assert concrete(version, seed).explanation_html.strip() in graded.content.decode()


@pytest.mark.parametrize("seed", ["", "-1", "x", "9" * 17, "1e3"])
def test_a_preview_of_no_seed_there_is_shows_a_variant_all_the_same(desk, card, seed):
    address = f"{reverse('web:preview')}?version={card.published_version.pk}&seed={seed}"
    assert "Variant of seed" in desk.get(address).content.decode()


def test_an_author_writes_variants_and_is_told_which_draw_does_not_work(desk, ada, card):
    ada.user_permissions.add(*Permission.objects.filter(codename__in=("add_card", "view_card")))
    copy = copy_to_edit(card, author=ada)
    change = reverse("admin:cards_card_change", args=[copy.pk])
    form = desk.get(change).context["adminform"].form
    sent = {name: form[name].value() for name in form.fields}
    sent = {name: "" if value is None else value for name, value in sent.items()}
    assert "num_heads" in sent["variants"]
    refused = desk.post(change, sent | {"variants": "d_model: $heads * 2", "_continue": "1"})
    assert "there is no heads among d_model" in refused.content.decode()
    assert copy.versions.count() == 1
    desk.post(change, sent | {"variants": sent["variants"].replace("- 8\n", "- 40\n"), "_continue": "1"})
    assert copy.versions.count() == 2
    page = desk.get(f"{reverse('web:preview')}?version={latest_version(copy).pk}").content.decode()
    assert "d_head 40, num_heads 40, d_model 1600" in page
    assert "To mend" in page
