"""Pages of an account: their words, where their mail is, and what the log keeps quiet of."""

import logging
import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

THEIRS = ("Sign In", "Remember Me", "Password Reset", "Forgotten", "E-?mail Address", "Re-send", "contact us")
FOREIGN = re.compile("|".join((*THEIRS, "Username", "New Password")))
SIGNED_OUT = [
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/accounts/password/reset/done/",
]
SIGNED_IN = ["/accounts/email/", "/accounts/password/change/", "/accounts/logout/"]


def words(page: Any) -> str:
    main = page.content.decode().partition("<main")[2].partition("</main>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main))


@pytest.mark.parametrize("address", SIGNED_OUT)
def test_pages_for_those_signed_out_are_in_our_words(db: None, address: str) -> None:
    page = Client().get(address)
    assert page.status_code == 200
    assert not FOREIGN.search(words(page))
    assert page.content.decode().count("<h1>") == 1
    assert "placeholder" not in page.content.decode()


@pytest.mark.parametrize("address", SIGNED_IN)
def test_pages_for_those_signed_in_are_in_our_words(ben: Any, address: str) -> None:
    client = Client()
    client.force_login(ben)
    page = client.get(address)
    assert page.status_code == 200
    assert not FOREIGN.search(words(page))


def test_signing_in_leaves_no_message_for_a_later_page(ben: Any) -> None:
    ben.set_password("query key value")
    ben.save()
    client = Client()
    client.post("/accounts/login/", {"login": ben.get_username(), "password": "query key value"})
    assert "signed in as" not in words(client.get("/accounts/email/"))
    client.post("/accounts/logout/")
    assert "signed out" not in words(client.get("/accounts/login/"))


def test_the_sign_in_page_asks_in_plain_words(db: None) -> None:
    page = words(Client().get("/accounts/login/"))
    assert "Keep me signed in" in page
    assert "User name or e-mail address" in page


@pytest.mark.parametrize(
    ("backend", "embedded", "place"),
    [
        ("console", True, "printed in the terminal where it runs"),
        ("console", False, "printed in the log of its web process"),
        ("smtp", True, ""),
    ],
)
@pytest.mark.parametrize("address", ["/accounts/password/reset/", "/accounts/password/reset/done/"])
def test_the_page_says_where_the_mail_is_printed(
    db: None, settings: Any, address: str, backend: str, embedded: bool, place: str
) -> None:
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    settings.EMBEDDED = embedded
    page = words(Client().get(address))
    assert place in page
    assert ("no mail server" in page) == bool(place)


def test_a_forgotten_password_is_renewed_by_the_link_of_the_mail(ben: Any) -> None:
    ben.email = "ben@example.org"
    ben.save()
    client = Client()
    sent = client.post("/accounts/password/reset/", {"email": "ben@example.org"}, follow=True)
    assert "The link is on its way" in words(sent)
    link = re.search(r"http://[^/\s]+(/accounts/password/reset/key/\S+)", str(mail.outbox[0].body))
    assert link
    form = client.get(link[1], follow=True)
    assert "Choose another password" in words(form)
    new = {"password1": "query key value", "password2": "query key value"}
    done = client.post(form.redirect_chain[-1][0], new, follow=True)
    assert "Your password is changed" in words(done)
    assert client.login(username=ben.get_username(), password="query key value")
    assert "does not work any more" in words(Client().get(link[1], follow=True))


def test_an_address_is_added_and_shown_as_not_confirmed(ben: Any) -> None:
    client = Client()
    client.force_login(ben)
    page = client.post("/accounts/email/", {"email": "b@example.org", "action_add": ""}, follow=True)
    assert re.search(r"b@example\.org (main, )?not confirmed", words(page))


def test_every_page_finds_its_icon(db: None) -> None:
    icon = Client().get("/favicon.ico")
    assert icon.status_code == 302
    assert icon["Location"].endswith("/studyhub/mark.svg")


@pytest.mark.parametrize(
    ("address", "sent", "status"),
    [
        ("/study/", None, 422),
        ("/nothing/", None, 404),
        ("/study/?attempt=x", None, 404),
        ("/api/v1/visualizations", {"kind": "none", "parameters": {}, "seed": 0}, 422),
    ],
)
def test_what_a_learner_gets_wrong_is_no_warning_of_the_service(
    browser: Any, caplog: pytest.LogCaptureFixture, address: str, sent: Any, status: int
) -> None:
    with caplog.at_level(logging.WARNING):
        if address == "/study/":
            page = browser.answer("bert-base-d-head", text="twelve")
        elif sent:
            page = browser.client.post(address, sent, content_type="application/json")
        else:
            page = browser.client.get(address)
    assert page.status_code == status
    assert [record.getMessage() for record in caplog.records] == []
