"""Signed out in the middle of an answer: what was typed is still there after signing in again."""

import re
import uuid

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import PASSWORD, Watched, new_learner
from tests.serving import Service

pytestmark = pytest.mark.e2e


def test_an_answer_typed_before_a_sign_out_is_in_its_field_after_signing_in(
    watched: Watched, service: Service
) -> None:
    page, name = watched.context.new_page(), f"learner-{uuid.uuid4().hex[:12]}"
    new_learner(page, service, name)
    page.goto(f"{service.url}/study/?card=bert-base-d-head")
    page.get_by_label("Your answer").fill("77")
    watched.context.clear_cookies(name="sessionid")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your answer 77 is kept in this browser")).to_be_visible()
    page.fill("[name=login]", name)
    page.fill("[name=password]", PASSWORD)
    page.get_by_role("button", name=re.compile("^Sign in")).click()
    expect(page.get_by_label("Your answer")).to_have_value("77")
    page.keyboard.press("Enter")
    expect(page.locator("#result")).to_have_text(re.compile("^Not yet"))
