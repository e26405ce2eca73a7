"""Signed out in another tab: where a form leads that is sent then, and what is said."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from studyhub.study.models import Attempt, Review

HEADS = "more-than-eight-heads"


def led(page: Any) -> dict[str, list[str]]:
    """The query of the sign-in page one was led to."""
    address = urlsplit(page.redirect_chain[0][0])
    assert address.path == "/accounts/login/"
    return parse_qs(address.query)


def test_an_answer_sent_signed_out_leads_back_to_its_own_card(browser: Any) -> None:
    question = browser.open(f"/study/?card={HEADS}")
    browser.client.logout()
    page = browser.send(question, "/study/", text="77")
    assert led(page)["next"] == [f"/study/?card={HEADS}"]
    assert "You were signed out while answering. Nothing was counted." in browser.text(page)
    assert Attempt.objects.count() == 0


def test_signing_in_asks_that_card_again_even_after_a_wrong_password(browser: Any, ben: Any) -> None:
    ben.set_password("attention is all")
    ben.save()
    browser.client.force_login(ben)
    question = browser.open(f"/study/?card={HEADS}")
    browser.client.logout()
    page = browser.send(question, "/study/", text="77")
    action = "/accounts/login/?answering=1"
    refused = browser.send(page, action, login=ben.get_username(), password="another")
    assert "signed out while answering" in browser.text(refused)
    again = browser.send(refused, action, login=ben.get_username(), password="attention is all")
    assert again.redirect_chain[-1][0] == f"/study/?card={HEADS}"
    assert f'name="card" value="{HEADS}"' in again.content.decode()


@pytest.mark.parametrize("card", ["//evil.example", "a&next=/admin/", "../admin", "x" * 500, ""])
def test_no_sent_value_leads_anywhere_else(browser: Any, card: str) -> None:
    browser.client.logout()
    page = browser.client.post("/study/", {"card": card}, follow=True)
    (address,) = led(page)["next"]
    assert urlsplit(address).path == "/study/"
    assert not urlsplit(address).netloc


def test_a_rating_sent_signed_out_leads_back_to_its_answer(browser: Any) -> None:
    result = browser.answer(HEADS, text="12")
    browser.client.logout()
    page = browser.rate(result, 3)
    assert led(page)["next"] == [f"/study/?attempt={Attempt.objects.get().client_id}"]
    assert "answering" not in led(page)
    assert Review.objects.count() == 0


def test_a_page_that_was_opened_is_opened_after_signing_in(browser: Any) -> None:
    browser.client.logout()
    page = browser.open("/study/?topic=d-head")
    assert led(page) == {"next": ["/study/?topic=d-head"]}
    assert "signed out while" not in browser.text(page)
