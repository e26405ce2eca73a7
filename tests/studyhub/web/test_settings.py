"""The settings page: what is saved, what is refused beside its field, and that nothing is half-saved."""

import re
from typing import Any

import pytest

from studyhub.study.models import DeckRules, Learner, Memory, Parameters
from studyhub.study.preferences import settings_of
from studyhub.study.statistics.aims import aims
from studyhub.web.steps_text import read_steps, steps_text


@pytest.fixture
def learner(browser: Any, ben: Any) -> Learner:
    browser.open("/settings/")
    return Learner.objects.get(user=ben)


def sent(page: Any, **changed: Any) -> dict[str, Any]:
    """The form as a browser would send it, but for what is changed; None leaves a field out."""
    html = page.content.decode()
    form = next(one for one in re.findall(r"<form\b.*?</form>", html, re.DOTALL) if "learning_steps" in one)
    fields = {
        name: re.search(r'value="([^"]*)"', whole).group(1)
        if 'value="' in whole
        else "on" * ("checked" in whole)
        for whole, name in re.findall(r'(<input\b[^>]*name="([^"]+)"[^>]*>)', form)
        if 'type="checkbox"' not in whole or "checked" in whole
    }
    for name, body in re.findall(r'<select\b[^>]*name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        fields[name] = re.search(r'value="([^"]*)" selected', body).group(1)
    return {name: value for name, value in {**fields, **changed}.items() if value is not None}


def save(browser: Any, **changed: Any) -> Any:
    page = browser.open("/settings/")
    return browser.client.post("/settings/", sent(page, **changed), follow=True)


def test_all_settings_are_saved_at_once(browser: Any, learner: Learner) -> None:
    page = save(
        browser,
        desired_retention="92.5",
        new_per_day="7",
        reviews_per_day="60",
        rollover_hour="3",
        learning_steps="30s 10m 1d",
        relearning_steps="",
        maximum_interval="365",
        leech_after="5",
        leech_suspends="on",
        spread_load=None,
        **{"day-6": "minimum"},
    )
    assert "Saved. Answers from now on follow it; no due date has moved." in browser.text(page)
    learner.refresh_from_db()
    found = settings_of(learner)
    assert (found["desired_retention"], found["new_per_day"], found["reviews_per_day"]) == (0.925, 7, 60)
    assert (found["rollover_hour"], found["spread_load"]) == (3, False)
    assert found["easy_days"] == ["normal"] * 6 + ["minimum"]
    assert found["schedule"] == {
        "version": 1,
        "learning_steps": [30, 600, 86_400],
        "relearning_steps": [],
        "maximum_interval": 365,
        "leech_after": 5,
        "leech_suspends": True,
    }
    again = browser.open("/settings/").content.decode()
    assert 'value="92.5"' in again
    assert 'value="30s 10m 1d"' in again


def test_a_deck_has_an_aim_of_its_own_until_its_field_is_emptied(browser: Any, learner: Learner) -> None:
    name = re.search(r'name="(deck-[-\w]+)"', browser.open("/settings/").content.decode()).group(1)
    save(browser, **{name: "95"})
    assert DeckRules.objects.get().desired_retention == 0.95
    save(browser, **{name: ""})
    assert not DeckRules.objects.exists()


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("desired_retention", "120", "Give a percentage from 70 to 99; 90 is usual."),
        ("desired_retention", "", "Give a percentage from 70 to 99"),
        ("new_per_day", "-1", "Give a whole number from 0 to 9,999."),
        ("reviews_per_day", "many", "Give a whole number from 0 to 9,999."),
        ("learning_steps", "1m 10x", "10x is no step. Write a number with s, m, h or d"),
        ("learning_steps", "31d", "31d is not between 1s and 30d."),
        ("learning_steps", " ".join(["1m"] * 11), "11 steps are more than 10."),
        ("maximum_interval", "0", "Give a whole number from 1 to 36,500."),
        ("leech_after", "100", "Give a whole number from 0 to 99."),
    ],
)
def test_what_cannot_be_is_said_beside_its_field_kept_and_nothing_saved(
    browser: Any, learner: Learner, field: str, value: str, words: str
) -> None:
    page = save(browser, **{"new_per_day": "7", field: value})
    text = browser.text(page)
    assert page.status_code == 422
    assert text.count(words) == 2  # in the summary, and at the field
    assert "1 setting cannot be as it is. Nothing was saved." in text
    assert re.search(rf'name="{field}"[^>]*aria-invalid="true"', page.content.decode())
    learner.refresh_from_db()
    assert learner.new_per_day == 20
    assert not Parameters.objects.exists()


def test_a_week_without_a_normal_day_is_refused_by_what_would_do(browser: Any, learner: Learner) -> None:
    week = {f"day-{number}": "reduced" for number in range(6)} | {"day-6": "minimum"}
    page = save(browser, **week)
    assert "no day is normal; leave at least one, or make all seven alike" in browser.text(page)
    learner.refresh_from_db()
    assert not learner.easy_days


def test_saving_the_same_again_changes_nothing(browser: Any, learner: Learner) -> None:
    assert "Nothing was changed." in browser.text(save(browser))
    assert not Parameters.objects.exists()


def test_no_setting_moves_a_due_date(browser: Any, learner: Learner) -> None:
    browser.rate(browser.answer("bert-base-d-head", text="64"), 4)
    before = Memory.objects.get().due
    save(browser, desired_retention="97", maximum_interval="2")
    assert Memory.objects.get().due == before


def test_who_is_signed_out_signs_in_first(client: Any, db: None) -> None:
    for address in ("/settings/", "/study/custom/", "/study/recent/", "/study/suspended/"):
        assert client.get(address)["Location"].startswith("/accounts/login/"), address
    for address in ("/settings/", "/study/card/", "/study/catch-up/"):
        assert client.post(address)["Location"].startswith("/accounts/login/"), address


def test_remembering_more_costs_more_and_the_present_aim_is_marked(browser: Any, learner: Learner) -> None:
    browser.rate(browser.answer("bert-base-d-head", text="64"), 4)
    found = aims(learner, (0.8, 0.9, 0.95))
    loads = [one.per_day for one in found.aims]
    assert (found.cards, sorted(loads)) == (1, loads)
    assert found.aims[1].days == pytest.approx(100)
    text = browser.text(browser.open("/settings/"))
    assert "90% now 100 days" in text
    assert "those of 1 card past the first steps" in text


@pytest.mark.parametrize("text", ["1m 10m 1d", "90s", "", "12h 30d"])
def test_steps_read_back_as_they_are_written(text: str) -> None:
    assert steps_text(read_steps(text)) == text
