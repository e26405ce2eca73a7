"""The shipped decks: read, checked, graded and loaded as they are. Draws no picture."""

import re
from dataclasses import fields
from functools import cache

import pytest

from attention_engine.arithmetic import COMPUTABLE
from attention_engine.configs import ModelConfig, model
from cards.answering import accepted_names, answer_type, grade, grade_json, question_input, question_of
from cards.files import CardText, DeckText, TopicText, read_decks
from cards.generators import concrete
from cards.grading import Example
from cards.keys import compute
from cards.lint import lint_decks
from cards.loading import CONTENT, load_content
from cards.markdown import MATH_ERROR, plain_text, render, render_inline
from cards.models import Card, CardVersion, Source, Topic

KINDS = {
    *("memory_line", "analogy", "concept", "deep_dive", "pipeline", "rule", "formula", "limits", "quick"),
    *("model_table", "usage", "follow_ups", "red_flags", "brief", "objectives", "sources", "related"),
}
PICTURE_WARNING = "d-head/more-than-eight-heads.md"


@cache
def decks() -> tuple[DeckText, ...]:
    return tuple(read_decks(CONTENT))


def cards() -> list[CardText]:
    return [card for deck in decks() for topic in deck.topics for card in topic.cards]


def d_head() -> TopicText:
    return next(topic for deck in decks() for topic in deck.topics if topic.slug == "d-head")


def examples() -> list[tuple[CardText, Example]]:
    """Every card with each answer whose grade is known beforehand."""
    return [
        (card, one) for card in cards() for one in answer_type(card.answer_type).examples(question_of(card))
    ]


def named(card: CardText) -> str:
    return card.slug


def keyed(value: object) -> str:
    return value.slug if isinstance(value, CardText) else str(getattr(value, "mistake", "")) or "key"


every_card = pytest.mark.parametrize("card", cards(), ids=named)


def test_every_shipped_card_lints_without_an_error() -> None:
    report = lint_decks(decks())
    assert report.errors == []
    assert {problem.place for problem in report.problems} <= {PICTURE_WARNING}


def test_every_named_mistake_changes_a_grade_and_none_is_waived() -> None:
    report = lint_decks(decks())
    assert (report.killed, report.waived) == (report.mistakes, 0)
    assert report.mistakes >= 80


def test_the_topic_asks_in_every_basic_way_and_in_an_order_of_its_own() -> None:
    types = [card.answer_type for card in d_head().cards]
    positions = [card.position for card in d_head().cards]
    assert set(types) >= {"numeric", "shape", "choice", "ordering", "reveal"}
    assert len(types) >= 30
    assert len(set(positions)) == len(positions)


@pytest.mark.parametrize(("card", "example"), examples(), ids=keyed)
def test_an_answer_gets_the_grade_it_must_get(card: CardText, example: Example) -> None:
    given = grade(card, 0, example.response)
    if given.pending == "worker":
        return  # run in test_content_programs
    allowed = {"incorrect", "partial"} if example.mistake else {"correct"}
    assert given.outcome in allowed
    assert given.mistake == example.mistake
    if example.mistake:
        assert given.feedback
        assert given.title


@every_card
def test_a_numeric_or_shape_key_is_computed_and_never_typed(card: CardText) -> None:
    if card.answer_type not in ("numeric", "shape") or "axes" in card.answer:
        return
    assert compute(concrete(card, 0).answer["key"])
    assert all(m.get("when") or is_computed(m["key"], card) for m in card.mistakes)


def is_computed(key: object, card: CardText) -> bool:
    """Whether a key is a computation, or the name of what one gives for the values drawn."""
    if isinstance(key, str):
        return key.removeprefix("$") in card.parameters["variants"]
    return bool({"compute", "any_of"} & set(key))


@every_card
def test_a_card_has_two_or_three_hints_a_source_and_a_picture(card: CardText) -> None:
    assert 2 <= len(card.hints) <= 3
    assert card.sources
    assert card.picture
    assert card.explanation


@every_card
def test_what_a_learner_sees_before_answering_holds_no_key_and_no_mistake(card: CardText) -> None:
    seen = str(question_input(card)) + concrete(card, 0).prompt
    assert not any(str(mistake["name"]) in seen for mistake in card.mistakes)
    assert "'correct'" not in seen


@every_card
def test_words_of_a_card_are_calm_and_render(card: CardText) -> None:
    card = concrete(card, 0)
    says = [str(m[name]) for m in card.mistakes for name in ("says", "title") if name in m]
    options = [str(option["text"]) for option in card.answer.get("options", [])]
    for text in [card.prompt, card.explanation, *card.hints, *says, *options]:
        assert "!" not in text
        assert not re.search(r"\b(oops|sorry|wrong answer|great|well done|careless|you forgot)\b", text, re.I)
        assert MATH_ERROR not in render(text) + render_inline(text)


@every_card
def test_options_of_a_choice_do_not_give_the_key_away_by_length(card: CardText) -> None:
    lengths = [len(str(option["text"])) for option in card.answer.get("options", [])]
    assert not lengths or max(lengths) <= 1.35 * min(lengths)
    right = [len(str(option["text"])) for option in card.answer.get("options", []) if option.get("correct")]
    assert not right or right[0] < max(lengths) + 1


def test_ten_heads_for_768_are_told_in_the_learners_own_number() -> None:
    card = next(card for card in cards() if card.slug == "more-than-eight-heads")
    given = grade(card, 0, {"text": "10"})
    assert (given.outcome, given.mistake) == ("incorrect", "heads_that_do_not_divide")
    assert given.title == "10 does not divide 768"
    assert "768 = 10 × 76 + 8" in given.feedback
    assert given.facts["nearest"] == [{"num_heads": 8, "d_head": 96}, {"num_heads": 12, "d_head": 64}]
    assert [picture["role"] for picture in given.pictures][:2] == ["yours", "right"]
    assert given.key_text == "12 heads"


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("12", ""),
        ("4*3", ""),
        ("9", "heads_that_do_not_divide"),
        ("8", "heads_not_above_the_bound"),
        ("6", "heads_not_above_the_bound"),
        ("16", "narrower_heads_than_needed"),
        ("768", "narrower_heads_than_needed"),
    ],
)
def test_more_than_eight_heads_tells_its_mistakes_apart(text: str, mistake: str) -> None:
    card = next(card for card in cards() if card.slug == "more-than-eight-heads")
    assert grade(card, 0, {"text": text}).mistake == mistake


def test_grades_of_shipped_cards_are_json_without_open_placeholders() -> None:
    for card, example in examples():
        told = grade_json(grade(card, 0, example.response))
        assert not re.search(r"\{[a-z_]+\}", told["title"] + plain_text(told["feedback_html"]))


def test_the_topic_has_every_kind_of_section(db: None) -> None:
    load_content()
    assert {section["kind"] for section in Topic.objects.get(slug="d-head").sections} == KINDS


def test_the_topic_renders_without_a_broken_formula_or_directive(db: None) -> None:
    load_content()
    for section in Topic.objects.get(slug="d-head").sections:
        assert section["html"], section["title"]
        assert MATH_ERROR not in section["html"] + render_inline(section["title"])
        assert "merror" not in section["html"]
        assert "{{" not in section["html"]
        assert "$" not in plain_text(section["html"])


def test_the_model_table_shows_the_numbers_and_status_of_the_configurations(db: None) -> None:
    load_content()
    (section,) = [s for s in Topic.objects.get(slug="d-head").sections if s["kind"] == "model_table"]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in section["html"].split("<tr>")[2:]]
    slugs = ("bert-base", "bert-large", "gpt-2-small", "gpt-3-175b", "llama-3-70b", "gemma-7b")
    expected = []
    for one in map(model, slugs):
        numbers = (one.d_model, one.num_heads, one.num_kv_heads, one.d_head, one.num_heads * one.d_head)
        expected.append([one.name, *(f"{number:,}" for number in numbers), one.status])
    assert rows == expected


def test_the_brief_is_seven_lines_at_most() -> None:
    (brief,) = (section for section in d_head().sections if section.kind == "brief")
    assert 1 <= len([line for line in brief.markdown.splitlines() if line.startswith("- ")]) <= 7


def test_a_second_load_writes_nothing(db: None) -> None:
    first, second = load_content(), load_content()
    assert first.writes > 0
    assert second.writes == 0
    assert CardVersion.objects.count() == Card.objects.filter(state="published").count() == len(cards())


def test_every_source_is_dated_and_used(db: None) -> None:
    load_content()
    used = {key for card in cards() for key in card.sources}
    used |= {key for deck in decks() for topic in deck.topics for key in topic.sources}
    assert {source.key for source in Source.objects.all()} == used
    assert all(source.as_of and source.url and source.locator for source in Source.objects.all())


def test_the_list_of_sources_names_each_of_the_topic_with_its_date(db: None) -> None:
    load_content()
    listed = [s["html"] for s in Topic.objects.get(slug="d-head").sections if s["kind"] == "sources"]
    assert "".join(listed).count("As of 20") == len(d_head().sources)


def test_links_inside_the_page_lead_to_its_sources() -> None:
    inside = {link for s in d_head().sections for link in re.findall(r"\]\(([^)]*)\)", s.markdown)}
    assert inside == {"#sources"}
    assert [s.title for s in d_head().sections if s.kind == "sources"] == ["Sources"]


def test_no_name_a_field_accepts_tells_how_the_key_is_computed(db: None) -> None:
    load_content()
    methods = {*COMPUTABLE} - {field.name for field in fields(ModelConfig)}
    for card in Card.objects.select_related("published_version"):
        assert methods.isdisjoint(accepted_names(card.published_version)), card.slug
