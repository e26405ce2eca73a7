"""Every page: who may see it, what it is made of, what it costs, and that none gives a key away."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from cards.answering import key_text
from cards.generators import concrete
from cards.models import Card
from studyhub.study.models import Attempt

PAGES = [
    *("/", "/topics/", "/topics/d-head/", "/progress/"),
    *("/study/", "/study/done/", "/study/?card=pipeline-order"),
]
OPEN_PAGES = ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
ACCOUNT_PAGES = ["/accounts/logout/", "/accounts/password/change/", "/accounts/email/"]
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta"}
SVG = {"rect", "line", "path", "circle"}


class Markup(HTMLParser):
    """What a test asks of a page: its elements with their attributes, and tags that were left open."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.inline_scripts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in {"script", "style"} and data.strip():
            self.inline_scripts.append(data)


@pytest.fixture
def all_pages(browser: Any) -> dict[str, str]:
    """Every page a learner meets, results of each answer type among them."""
    shown = {address: browser.open(address) for address in [*PAGES, *ACCOUNT_PAGES]}
    shown["wrong"] = browser.answer("more-than-eight-heads", text="10")
    shown["tried"] = browser.open(shown["wrong"].redirect_chain[-1][0] + "&try=16")
    shown["hint"] = browser.answer("more-than-eight-heads", text="1", hint="1")
    shown["unread"] = browser.answer("more-than-eight-heads", text="12 or so")
    shown["shape"] = browser.answer("shape-after-transpose", text="2, 4, 12, 64")
    shown["choice"] = browser.answer("where-librarians-fail", choices="input-slices")
    shown["revealed"] = browser.answer("why-64-to-128", reveal="1")
    shown["rated"] = browser.rate(browser.answer("bert-base-d-head", text="64"), 3)
    shown["progress"] = browser.open("/progress/")
    shown["missing"] = browser.open("/nothing-here/")
    pages = {name: page.content.decode() for name, page in shown.items()}
    return pages | {address: Client().get(address).content.decode() for address in OPEN_PAGES}


def test_no_page_has_an_inline_script_handler_or_style(all_pages: dict[str, str]) -> None:
    for name, page in all_pages.items():
        markup = Markup(page)
        assert not markup.inline_scripts, name
        for tag, attributes in markup.elements:
            styled = "style" in attributes and not tag.startswith("m")
            assert not styled, f"{name}: <{tag} style>"
            assert not [one for one in attributes if one.startswith("on")], f"{name}: <{tag}>"
            assert tag != "style", name


def test_every_page_has_one_main_one_heading_of_level_1_and_unique_ids(all_pages: dict[str, str]) -> None:
    for name, page in all_pages.items():
        elements = Markup(page).elements
        first = [tag for tag, at in elements if tag == "h1" or at.get("aria-level") == "1"]
        assert len(first) == 1, name
        assert [tag for tag, _ in elements].count("main") == 1, name
        ids = [at["id"] for _, at in elements if "id" in at]
        assert len(ids) == len(set(ids)), f"{name}: {sorted(one for one in ids if ids.count(one) > 1)}"


def test_every_label_and_description_points_at_something_on_the_page(all_pages: dict[str, str]) -> None:
    for name, page in all_pages.items():
        elements = Markup(page).elements
        ids = {at["id"] for _, at in elements if "id" in at}
        for tag, at in elements:
            for attribute in ("for", "aria-labelledby", "aria-describedby", "form"):
                missing = set(at.get(attribute, "").split()) - ids
                assert not missing, f"{name}: <{tag} {attribute}> names {missing}"


def test_every_page_skips_to_its_content_and_loads_nothing_foreign(all_pages: dict[str, str]) -> None:
    for name, page in all_pages.items():
        assert 'href="#main"' in page, name
        loaded = re.findall(r'<(?:script|link|img)\b[^>]*(?:src|href)="([^"]+)"', page)
        assert all(address.startswith("/static/") for address in loaded), name


def test_every_page_forbids_inline_code_by_its_header(browser: Any) -> None:
    policy = browser.open("/study/")["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "style-src 'self';" in policy


@pytest.mark.parametrize("address", [*PAGES, "/study/?attempt=6f0e4a3c-7f5b-5d0e-9a52-3f1d6b0c7e11"])
def test_a_stranger_is_asked_to_sign_in(shelf: None, address: str) -> None:
    response = Client().get(address)
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/login/?next=")


@pytest.mark.parametrize("address", ["/study/", "/study/rate/", "/study/undo/"])
def test_a_stranger_cannot_send_a_form(shelf: None, address: str) -> None:
    assert Client().post(address, {"text": "12"})["Location"].startswith("/accounts/login/")
    assert Attempt.objects.count() == 0


def test_another_learners_attempt_is_missing(browser: Any, cy: Any) -> None:
    result = browser.answer("more-than-eight-heads", text="10")
    stranger = Client()
    stranger.force_login(cy)
    address = result.redirect_chain[-1][0]
    assert stranger.get(address).status_code == 404
    form = browser.hidden(result, "/study/rate/")
    assert stranger.post("/study/rate/", {**form, "rating": "1"}).status_code == 404


def test_another_learners_rating_cannot_be_undone(browser: Any, cy: Any) -> None:
    page = browser.rate(browser.answer("more-than-eight-heads", text="10"), 3)
    stranger = Client()
    stranger.force_login(cy)
    assert stranger.post("/study/undo/", browser.hidden(page, "/study/undo/")).status_code == 404


def test_a_draft_is_not_asked(browser: Any) -> None:
    Card.objects.filter(slug="more-than-eight-heads").update(state=Card.State.DRAFT)
    assert browser.open("/study/?card=more-than-eight-heads").status_code == 404


def test_forms_want_their_token(shelf: None, ben: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ben)
    refused = client.post("/study/", {"text": "12"})
    assert refused.status_code == 403
    assert "This form had expired" in refused.content.decode()


@pytest.mark.parametrize(
    "broken",
    [
        {"client_id": "x"},
        {"client_id": ""},
        {"version": "0"},
        {"version": "9" * 40},
        {"variant_seed": "-1"},
        {"variant_seed": str(2**63)},
        {"hints": "9"},
        {"topic": "a b"},
        {"card": "\x00"},
    ],
)
def test_a_form_whose_hidden_part_was_changed_is_refused(browser: Any, broken: dict[str, str]) -> None:
    form = browser.hidden(browser.open("/study/?card=more-than-eight-heads"), "/study/")
    response = browser.client.post("/study/", {**form, "text": "12", **broken})
    assert response.status_code in (400, 404)
    assert Attempt.objects.count() == 0


def test_addresses_of_nonsense_are_missing(browser: Any) -> None:
    for address in ("/study/?attempt=x", "/study/?card=%00", "/topics/none/", "/study/?card=none"):
        assert browser.open(address).status_code == 404, address


@pytest.mark.parametrize("address", ["/study/rate/", "/study/undo/"])
def test_forms_are_sent_by_post_alone(browser: Any, address: str) -> None:
    assert browser.client.get(address).status_code == 405


HINT_NUMBERS = r'name="hint" value="\d"|Show hint \d|hints__number" aria-hidden="true">\d'


def test_no_question_page_contains_its_key_before_an_attempt(browser: Any) -> None:
    cards = Card.objects.select_related("published_version").filter(published_version__answer_type="numeric")
    for card in cards:
        seed = seed_of(browser, card)
        key = re.search(r"[\d,]+", key_text(card.published_version, seed))[0]
        page = re.sub(HINT_NUMBERS, "", question_of(browser, card))
        asked = re.sub(r"[^\d,]+", " ", str(concrete(card.published_version, seed).prompt)).split()
        if key in asked:  # a question may name the number among others
            continue
        for written in {key, key.replace(",", "")}:
            assert not re.search(rf"(?<![\w#.-]){written}(?![\w-])", page), f"{card.slug}: {written}"


def seed_of(browser: Any, card: Card) -> int:
    """What the values of the card's page are drawn from."""
    page = browser.open(f"/study/?card={card.slug}").content.decode()
    return int(re.search(r'name="variant_seed" value="(\d+)"', page)[1])


def question_of(browser: Any, card: Card) -> str:
    """The card's page without what differs by visit: ids, tokens, times, the progress line."""
    page = browser.open(f"/study/?card={card.slug}").content.decode()
    main = page[page.index("<main") :]
    return re.sub(r'<input type="hidden"[^>]*>|maxlength="\d+"|<svg.*?</svg>', "", main, flags=re.DOTALL)


def test_no_question_page_tells_mistakes_hints_explanation_or_picture(browser: Any) -> None:
    for card in Card.objects.select_related("published_version"):
        page = browser.open(f"/study/?card={card.slug}").content.decode()
        assert "<study-picture" not in page
        assert "explanation" not in page
        for mistake in card.published_version.mistakes:
            assert mistake["name"] not in page
        for hint in card.published_version.hints:
            assert str(hint) not in page


def test_every_shipped_card_is_asked_and_its_result_shown(browser: Any) -> None:
    for card in Card.objects.filter(state=Card.State.PUBLISHED):
        result = browser.answer(card.slug, reveal="1")
        assert result.status_code == 200, card.slug
        assert 'name="rating"' in result.content.decode(), card.slug
    assert Attempt.objects.count() == Card.objects.filter(state=Card.State.PUBLISHED).count()


@pytest.mark.parametrize(
    ("address", "most"),
    [("/", 16), ("/topics/", 8), ("/topics/d-head/", 16), ("/study/", 23), ("/study/done/", 12)],
)
def test_a_page_costs_a_fixed_number_of_queries(
    browser: Any, django_assert_max_num_queries: Any, address: str, most: int
) -> None:
    browser.open(address)
    with django_assert_max_num_queries(most):
        browser.client.get(address)


def test_a_result_costs_a_fixed_number_of_queries(browser: Any, django_assert_max_num_queries: Any) -> None:
    address = browser.answer("more-than-eight-heads", text="10").redirect_chain[-1][0]
    with django_assert_max_num_queries(16):
        browser.client.get(address)


def test_signing_up_leads_to_today(shelf: None) -> None:
    values = {"username": "dee", "email": "", "password1": "a-long-pass-word-1"}
    page = Client().post(reverse("account_signup"), values, follow=True)
    assert page.redirect_chain[-1][0] == "/"
    assert "20 cards" in page.content.decode()


def test_signing_out_takes_one_button(browser: Any) -> None:
    page = browser.send(browser.open("/"), "/accounts/logout/")
    assert "Sign in" in browser.text(page)


def test_a_wrong_password_is_said_on_the_page(shelf: None, ben: Any) -> None:
    page = Client().post("/accounts/login/", {"login": "ben", "password": "no"}).content.decode()
    assert "errorlist" in page
    assert "Sign in" in page
