"""Complaints about texts that ran as scripts and pages nobody could hear. Rows of srs.md."""

import json
import re
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.utils.html import escape

from cards.models import Card
from tests.studyhub.study.conftest import MONDAY
from tests.studyhub.web.conftest import Browser

from .acting import alone, posted, rated, told
from .authoring import NUMBER, authored
from .hostile import HOSTILE, hostile_deck

HARMLESS = {"href": re.compile(r"(?:https?://|/|#|\?)[^\s]*"), "src": re.compile(r"/static/[^\s]*")}
NEVER = {"style", "iframe", "object", "embed", "base", "frame", "applet", "annotation-xml", "template"}


class Running(HTMLParser):
    """What on a page could run or load something that the page itself does not bring."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.named: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[int, str] = {}
        self._open: list[int] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.named.append((tag, values))
        foreign = [
            name for name, wanted in HARMLESS.items() if name in values and not wanted.fullmatch(values[name])
        ]
        handlers = [
            name for name in values if name.startswith("on") or name in ("srcdoc", "formaction", "xlink:href")
        ]
        inline = tag == "script" and "src" not in values
        refresh = tag == "meta" and "http-equiv" in values
        if tag in NEVER or foreign or handlers or inline or refresh:
            self.found.append(self.get_starttag_text() or tag)


@pytest.mark.plain
def test_row_31_what_looks_for_scripts_finds_them():
    """The instrument of these rows: of the raw texts it finds all but those that only Markdown makes into
    any."""
    assert sum(Running(text).found != [] for text in HOSTILE) >= 25
    assert (
        Running("<p class='x'>a <a href='/topics/'>b</a> <script src='/static/a.js'></script></p>").found
        == []
    )


def browser_of(room) -> Browser:
    client = Client()
    client.force_login(room.learner.user)
    return Browser(client)


@pytest.fixture
def hostile(topic):
    """A deck whose every field tries to run something."""
    return hostile_deck(topic)


def test_row_31_a_hostile_deck_runs_nothing_on_any_page(clock, room, hostile):
    """anki PR#3925, PR#5594 (GHSA-jw6j-j4mf-8jgm): a shared deck reached an internal API and ran scripts.
    Here a text is cleaned as it is rendered, and every page forbids by its header what might be left. (In
    Chromium: tests/e2e/test_hostile_deck.py.)"""
    browser = browser_of(room)
    pages = [browser.open(address) for address in ("/", "/topics/", "/topics/d-head/", "/study/")]
    pages += [browser.open(f"/study/?card={card.slug}") for card in hostile]
    pages += [browser.answer("number", text="10", hint="1"), browser.answer("number", text="10")]
    pages += [browser.answer("options", choices="o1"), browser.answer("points", reveal="1")]
    pages += [browser.rate(pages[-1], 1), browser.open("/progress/")]
    for page in pages:
        assert page.status_code == 200
        assert Running(page.content.decode()).found == []
        policy = page["Content-Security-Policy"]
        assert "script-src 'self';" in policy
        assert "object-src 'none'; base-uri 'none'; form-action 'self'" in policy
        assert "connect-src 'self'" in policy


def test_row_31_a_hostile_deck_runs_nothing_in_a_client_of_the_api(api, room, hostile):
    """The same issues: HTML that the API gives away is as clean as that of the pages, and is told to be
    JSON."""
    posted(api, "reviews", alone(rated(hostile[0], at=MONDAY, response={"text": "10"})))
    for path in ("study/queue", "topics/d-head", "topics", "study/statistics", "study/settings", "reviews"):
        response = api.get(path)
        assert response["Content-Type"] == "application/json"
        assert response["X-Content-Type-Options"] == "nosniff"
        html = [text for name, text in texts_of(response.json()) if name.endswith("html")]
        assert (len(html) > 0) == (path in ("study/queue", "topics/d-head"))
        for text in html:
            assert Running(text).found == []


def texts_of(value, name: str = ""):
    """(name, text) of every text within a JSON value."""
    if isinstance(value, str):
        yield name, value
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from texts_of(inner, str(key) if isinstance(value, dict) else name)


@pytest.mark.parametrize(("kind", "first"), [("words", 0), ("rubric", 1), ("formula", 2)])
def test_row_32_what_a_learner_writes_is_shown_as_it_was_written_and_runs_nothing(
    clock, room, topic, kind, first
):
    """adrianvla/mLearn#30: a field of a card was stored and run wherever it was shown. Here an answer is
    shown again, on its result and in its field, as text."""
    answer = {
        "words": {"type": "words", "key": "batch"},
        "rubric": {
            "type": "rubric",
            "points": [{"id": "one", "text": "One."}, {"id": "two", "text": "Two."}],
        },
        "formula": {"type": "formula", "key": "d_k", "symbols": ["d_k"]},
    }[kind]
    authored(topic, "written", answer)
    browser, texts, shown = browser_of(room), HOSTILE[first::3], 0
    for text in texts:
        page = browser.answer("written", text=text)
        assert page.status_code in (200, 422), text
        assert Running(page.content.decode()).found == [], text
        shown += escape(text) in page.content.decode()
    assert shown >= len(texts) - 2  # what marks the direction is left out of words


def test_row_35_every_field_and_button_has_a_name_that_a_screen_reader_can_say(
    clock, room, card, new_card, topic
):
    """Anki-Android#3795, #7913, #20110, #14934: buttons without labels since 2015. Here every control of a
    session is named, and all of it works as plain forms. (By keyboard and with axe, in Chromium: tests/e2e/
    test_answer_types.py and test_looks.py.)"""
    browser = browser_of(room)
    asked = browser.open("/study/")
    result = browser.send(asked, "/study/", text="12")
    rated_page = browser.rate(result, 3)
    for page in (
        asked,
        result,
        rated_page,
        browser.open("/"),
        browser.open("/progress/"),
        browser.open("/topics/"),
    ):
        html = page.content.decode()
        for button in re.findall(r"<(button|a)\b([^>]*)>(.*?)</\1>", html, re.DOTALL):
            said = re.sub(r"<kbd>.*?</kbd>|<[^>]+>", "", button[2]).strip()
            assert said or "aria-label=" in button[1], button
        for tag, values in Running(html).named:
            if tag in ("input", "textarea", "select") and values.get("type") not in ("hidden", "submit"):
                labelled = "aria-label" in values or "aria-labelledby" in values
                assert labelled or f'for="{values.get("id")}"' in html or "<label" in html, values
    buttons = re.findall(r'<button class="rating__button".*?</button>', result.content.decode(), re.DOTALL)
    said = [browser_words(one) for one in buttons]
    assert [one.split(" ")[0].rstrip(",") for one in said] == ["Again", "Hard", "Good", "Easy"]
    assert all(re.search(r"in \d+ (min|h|days?|months?)", one) for one in said)
    assert sum(", suggested" in one for one in said) == 1


def browser_words(html: str) -> str:
    """What is said of a piece of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).replace(" ,", ",").strip()


def statuses(html: str) -> list[str]:
    """What the live regions of a page say."""
    regions = re.findall(r'<(\w+)[^>]*role="(?:status|alert)"[^>]*>(.*?)</\1>', html, re.DOTALL)
    return [browser_words(inner) for _, inner in regions]


def test_row_36_question_verdict_and_next_interval_are_announced(clock, room, card, new_card, topic):
    """anki PR#4511: focus and announcements never came. Here the question is the page's one heading of the
    first level and its title says which card of how many; the verdict, what could not be read, and when the
    card comes back stand in live regions."""
    new_card("following", topic, position=1)
    browser = browser_of(room)
    asked = browser.open("/study/")
    html = asked.content.decode()
    assert re.search(r"<title>[^<]*, 1 of 2 - StudyHub</title>", html)
    assert html.count('role="heading" aria-level="1"') == 1
    unread = browser.send(asked, "/study/", text="?")
    assert any("Nothing was counted" in one for one in statuses(unread.content.decode()))
    result = browser.send(browser.open(f"/study/?card={card.slug}"), "/study/", text="12")
    assert any(one.startswith("Right") for one in statuses(result.content.decode()))
    following = browser.rate(result, 3).content.decode()
    assert any(re.match(r"Rated Good\. Back in 10 min", one) for one in statuses(following)), statuses(
        following
    )


def test_row_32_a_field_of_a_card_stays_text_in_json(api, room, topic):
    """The same issue: what is stored is what was sent, and JSON of it closes no script around it."""
    authored(topic, "named", NUMBER | {"unit": "</script><script>window.ran=1</script>"})
    raw = api.get("study/queue").content.decode()
    assert json.loads(raw)[0]["input"]["unit"] == "</script><script>window.ran=1</script>"
    assert Card.objects.filter(slug="named").exists()
    assert told(api, "study/queue")
