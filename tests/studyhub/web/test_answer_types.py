"""Every type of answer on plain pages, as a browser without a script sends it."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client

from cards.models import Card
from studyhub.study.models import Attempt
from studyhub.web.result import result_view
from tests.answer_cards import BY_KIND, CARDS, AnswerCard, publish_all
from tests.studyhub.web.conftest import Browser

GRADED_AT_ONCE = [card for card in CARDS if not card.waits]
TITLE = re.compile(r'<h2 class="result__title"[^>]*>(.*?)</h2>', re.DOTALL)


class Fields(HTMLParser):
    """What the fields of the answer hold: texts, cells, places, what is chosen."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.held: dict[str, Any] = {}
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = str(given.get("name", ""))
        if tag == "input" and given.get("type") == "text" and name != "try":
            self._hold(name, str(given.get("value") or ""))
        elif tag == "input" and given.get("type") in ("radio", "checkbox") and "checked" in given:
            self.held.setdefault(name, []).append(given["value"])
        elif tag in ("textarea", "select"):
            self._open = name
        elif tag == "option" and "selected" in given:
            self._hold(self._open, str(given.get("value") or ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("textarea", "select"):
            self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open == "text":
            self._hold("text", data.removeprefix("\n"))

    def _hold(self, name: str, value: str) -> None:
        if value:
            self.held[name] = value


@pytest.fixture
def asked(ben: Any, request: pytest.FixtureRequest) -> Browser:
    """Ben at a browser, and the test's own card on the shelf; all of them where it names none."""
    given = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    card = given.get("card") or BY_KIND.get(given.get("kind", ""))
    publish_all(*([card] if card else []))
    client = Client()
    client.force_login(ben)
    return Browser(client)


def named(card: AnswerCard) -> str:
    return card.kind


def answered(browser: Any, card: AnswerCard, fields: dict[str, Any]) -> Any:
    """The page after these fields were sent."""
    return browser.answer(card.slug, **{name.replace("-", "__"): fields[name] for name in fields}, check="1")


def title(page: Any) -> str:
    found = TITLE.search(page.content.decode())
    assert found
    return found[1].strip()


@pytest.mark.parametrize("card", GRADED_AT_ONCE, ids=named)
def test_a_right_answer_is_right(asked: Any, card: AnswerCard) -> None:
    assert title(answered(asked, card, card.right)).startswith("Right")
    assert Attempt.objects.get().outcome == "correct"


@pytest.mark.parametrize("card", GRADED_AT_ONCE, ids=named)
def test_a_wrong_answer_is_named(asked: Any, card: AnswerCard) -> None:
    page = answered(asked, card, card.wrong)
    assert re.match(r"Not yet: |Partly: ", title(page))
    assert re.search(rf"(Named )?[mM]istake: {card.mistake}", asked.text(page))


@pytest.mark.parametrize("card", CARDS, ids=named)
def test_what_cannot_be_read_is_kept_and_leaves_no_row(asked: Any, card: AnswerCard) -> None:
    page = answered(asked, card, card.unreadable)
    assert page.status_code == 422
    assert Attempt.objects.count() == 0
    assert "Nothing was counted." in asked.text(page)
    given = {name: value for name, value in card.unreadable.items() if value}
    assert Fields(page.content.decode()).held == given


@pytest.mark.parametrize("card", CARDS, ids=named)
def test_a_hint_keeps_what_was_put_in(asked: Any, card: AnswerCard) -> None:
    fields = {name.replace("-", "__"): value for name, value in card.right.items()}
    page = asked.send(asked.open(f"/study/?card={card.slug}"), "/study/", **fields, hint="1")
    held = Fields(page.content.decode()).held
    assert {name: sorted(v) if isinstance(v, list) else v for name, v in held.items()} == card.right
    assert Attempt.objects.count() == 0


@pytest.mark.parametrize("card", CARDS, ids=named)
def test_i_do_not_know_shows_the_answer(asked: Any, card: AnswerCard) -> None:
    page = asked.send(asked.open(f"/study/?card={card.slug}"), "/study/", reveal="1")
    assert page.status_code == 200
    assert Attempt.objects.get().outcome in ("incorrect", "undecided")


@pytest.mark.parametrize(
    ("kind", "shown"), [("table", "num_heads of BERT-large 16"), ("rubric", "tuned for 64")]
)
def test_an_answer_that_was_only_shown_has_no_verdict_part_by_part(asked: Any, kind: str, shown: str) -> None:
    words = asked.text(asked.send(asked.open(f"/study/?card={BY_KIND[kind].slug}"), "/study/", reveal="1"))
    assert shown in words
    assert "Red flag" not in words
    assert "Verdict" not in words


def test_an_answer_with_right_options_was_shown_by_their_texts(asked: Any) -> None:
    page = asked.send(asked.open(f"/study/?card={BY_KIND['multi_choice'].slug}"), "/study/", reveal="1")
    assert title(page) == "Not yet: the answer is 8, 12"
    assert "Verdict" not in asked.text(page)


@pytest.mark.parametrize(("kind", "place"), [("einsum", "-"), ("formula", "$"), ("program", "(")])
def test_the_place_that_cannot_be_read_is_marked(asked: Any, kind: str, place: str) -> None:
    page = answered(asked, BY_KIND[kind], BY_KIND[kind].unreadable).content.decode()
    assert f'<mark class="at">{place}' in page


def test_what_is_wrong_with_a_cell_stands_beside_it_and_names_it(asked: Any) -> None:
    card = BY_KIND["table"]
    page = answered(asked, card, card.unreadable)
    html = page.content.decode()
    assert re.search(r'name="cell-width"[^>]*aria-invalid="true" aria-describedby="error-width"', html)
    assert html.count("aria-invalid") == 1
    assert 'id="error-width"' in html
    assert "Not graded: d_head of BERT-base: " in asked.text(page)


def test_a_table_names_each_cell_and_its_verdict(asked: Any) -> None:
    card = BY_KIND["table"]
    words = asked.text(answered(asked, card, card.right | {"cell-width": "63"}))
    assert "num_heads of BERT-base Right 12" in words
    assert "d_head of BERT-base Not yet 63 64" in words


def test_gaps_are_in_the_sentence_and_their_answers_are_not(asked: Any) -> None:
    page = asked.open(f"/study/?card={BY_KIND['cloze'].slug}").content.decode()
    sentence = re.search(r'<p class="answer__cloze".*?</p>', page, re.DOTALL)
    assert sentence
    assert sentence[0].count("<input") == 2
    assert 'aria-label="gap 1: a root"' in sentence[0]
    assert "sqrt" not in page


def test_a_formula_is_shown_as_it_was_read(asked: Any) -> None:
    card = BY_KIND["formula"]
    page = answered(asked, card, card.wrong).content.decode()
    assert re.search(r'class="result__read">Read as <math', page)
    assert "Names you may use:" in asked.text(asked.open(f"/study/?card={card.slug}"))


def test_an_answer_that_could_be_simpler_is_right_with_a_note(asked: Any) -> None:
    version = Card.objects.get(slug=BY_KIND["words"].slug).published_version
    told = {
        "outcome": "correct",
        "notes": ["Not simplified: `768/12` is 64."],
        "read_as_mathml": "<math></math>",
    }
    page = render_to_string("web/_result.html", {"result": result_view(version, grade=told)})
    assert '<p class="result__note">Not simplified: <code>768/12</code> is 64.</p>' in page
    assert "Read as <math></math>" in page


def test_several_options_are_shown_again_with_what_became_of_each(asked: Any) -> None:
    card = BY_KIND["multi_choice"]
    words = asked.text(answered(asked, card, card.wrong))
    assert re.search(r"Your answer [A-D] and [A-D]", words)
    assert words.count("Not yet") >= 2
    assert "None of these" in asked.text(asked.open(f"/study/?card={card.slug}")).replace("none", "None")


def test_a_row_may_be_left_out_of_an_order(asked: Any) -> None:
    card = BY_KIND["ordering"]
    answered(asked, card, card.right)
    assert Attempt.objects.get().response["order"] == ["project", "split", "scores"]
    unplaced = answered(asked, card, card.right | {"place-average": ""})
    assert unplaced.status_code == 422
    assert "3 of 4 rows have a place." in asked.text(unplaced)


def test_a_wrong_order_marks_its_first_wrong_place_a_row_too_many_and_what_is_left_out(asked: Any) -> None:
    card = BY_KIND["ordering"]
    given = {"place-project": "1", "place-average": "2", "place-split": "3", "place-scores": "out"}
    words = asked.text(answered(asked, card, given))
    yours, _, right = words.partition("The right order")
    assert "average the heads first wrong place Heads are laid side by side, not averaged." in yours
    assert "Left out scores of queries with keys" in yours
    assert "average" not in right.partition("Why")[0]


def test_points_are_ticked_beside_the_learners_own_text_and_settle_the_answer(asked: Any) -> None:
    card = BY_KIND["rubric"]
    page = answered(asked, card, card.right)
    assert title(page) == "Not graded yet: tick what your answer says"
    assert card.right["text"] in asked.text(page)
    assert "tuned" not in asked.text(asked.open(f"/study/?card={card.slug}"))
    ticked = asked.send(page, "/study/ticks/", choices=["kernels"], tick="1")
    assert title(ticked).startswith("Partly")
    assert "Missing" in asked.text(ticked)
    assert "Red flag" not in asked.text(ticked)
    again = asked.send(page, "/study/ticks/", choices=["kernels", "trade"], tick="1")
    assert title(again) == title(ticked)


def test_no_tick_says_none_of_the_points_and_a_red_flag_is_named(asked: Any) -> None:
    card = BY_KIND["rubric"]
    none = asked.send(answered(asked, card, card.right), "/study/ticks/", tick="1")
    assert title(none).startswith("Not yet")
    flagged = asked.send(answered(asked, card, card.wrong), "/study/ticks/", choices=["law"], tick="1")
    assert "mistake: called a law" in asked.text(flagged)
    assert "Red flag" in asked.text(flagged)


def test_ticks_of_another_answer_or_of_none_are_refused(asked: Any) -> None:
    settled = asked.send(
        answered(asked, BY_KIND["rubric"], BY_KIND["rubric"].right),
        "/study/ticks/",
        choices="kernels",
        tick="1",
    )
    assert settled.status_code == 200
    answered(asked, BY_KIND["words"], BY_KIND["words"].wrong)
    other = Attempt.objects.get(card_version__card__slug=BY_KIND["words"].slug)
    sent = {"attempt": str(other.client_id), "choices": "kernels"}
    assert asked.client.post("/study/ticks/", sent).status_code == 400
    assert asked.client.post("/study/ticks/", {"attempt": "x"}).status_code == 400


def test_time_out_of_sight_is_not_taken_for_thinking(asked: Any) -> None:
    asked.answer(BY_KIND["words"].slug, text="batch", away="1", shown_at="1")
    assert Attempt.objects.get().elapsed_ms == 0
