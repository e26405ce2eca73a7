"""Writing a card in the admin, as an author does."""

import html
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_engine.spec import KINDS as PICTURE_KINDS
from cards.authoring import mistakes_help
from cards.authoring.editors import editor
from cards.authoring.versions import NotPublishable, copy_to_edit, latest_version, publish, write_version
from cards.files import read_decks
from cards.loading import CONTENT, load_content
from cards.models import Card, CardVersion, Deck, Source, Topic

ADD = "admin:cards_card_add"


@pytest.fixture
def topic(db: None) -> Topic:
    """A local topic with one source beside it."""
    Source.objects.create(key="vaswani-2017", title="Attention Is All You Need", as_of="2026-11-30")
    return Topic.objects.create(slug="own", title="Own", deck=Deck.objects.create(slug="mine", title="Mine"))


@pytest.fixture
def desk(sol: AbstractBaseUser) -> Client:
    """An author signed in."""
    client = Client()
    client.force_login(sol)
    return client


def written(topic: Topic, **changes: Any) -> dict[str, Any]:
    """What an author types for a numeric card."""
    return {
        "topic": topic.pk,
        "slug": "bert-width",
        "position": 1,
        "answer_type": "numeric",
        "prompt": "How wide is a head of BERT-base?",
        "compute": "d_head",
        "arguments": "model: bert-base",
        "tolerance": "exact",
        "unit": "dims",
        "mistakes": (
            "- {name: heads_for_width, key: {compute: num_heads, model: bert-base}, "
            "says: '{answer} is the number of heads.'}"
        ),
        "explanation": "$768 / 12 = 64$.",
        "hints": "Divide the width of the model.",
        "picture": "- {kind: head_split, parameters: {model: bert-base}}",
        "sources": ["vaswani-2017"],
        "waivers": "",
        "edit": "major",
        **changes,
    }


def test_the_form_asks_for_the_answer_type_first_and_then_knows_it(desk: Client) -> None:
    assert "numeric" in desk.get(reverse(ADD)).content.decode()
    assert 'name="compute"' in desk.get(reverse(ADD) + "?answer_type=numeric").content.decode()
    choice = desk.get(reverse(ADD) + "?answer_type=choice").content.decode()
    assert 'name="option_1"' in choice
    assert 'name="compute"' not in choice


def test_a_saved_card_is_a_draft_and_its_preview_recomputes_the_key(desk: Client, topic: Topic) -> None:
    answer = desk.post(reverse(ADD), written(topic), follow=True)
    card = Card.objects.get(slug="bert-width")
    assert (card.state, card.published_version) == ("draft", None)
    page = answer.content.decode()
    assert "Key: <strong>64 dims</strong>, recomputed now" in page
    assert "heads for width" in page
    assert "<code>12</code>" in page
    assert "Nothing stands against publishing" in page


def test_publishing_gives_learners_the_new_version_and_an_edit_writes_the_next(
    desk: Client, topic: Topic
) -> None:
    page = desk.post(reverse(ADD), written(topic))
    desk.post(page.headers["Location"], {"publish": "1"})
    card = Card.objects.get(slug="bert-width")
    assert card.state == Card.State.PUBLISHED
    assert card.published_version is not None
    change = reverse("admin:cards_card_change", args=[card.pk])
    desk.post(change, written(topic, prompt="How wide is one head of BERT-base?"))
    assert [v.number for v in card.versions.all()] == [1, 2]
    card.refresh_from_db()
    assert card.published_version is not None
    assert card.published_version.number == 1
    desk.post(change, written(topic, prompt="How wide is one head of BERT-base?"))
    assert card.versions.count() == 2


@pytest.mark.parametrize(
    ("field", "typed", "reason"),
    [
        ("arguments", "model: no-such-model", "no-such-model"),
        ("arguments", "model: [", "line"),
        ("mistakes", "name: not a list", "list"),
        ("mistakes", "- &a {name: x}\n- *a", "aliases are not used here"),
        ("tolerance", "about", "relative 0.01"),
        ("prompt", "x" * 20_001, "20000"),
        ("compute", "os.system", "not one of the available choices"),
    ],
)
def test_what_cannot_be_written_is_said_at_the_form_and_leaves_no_row(
    desk: Client, topic: Topic, field: str, typed: str, reason: str
) -> None:
    page = desk.post(reverse(ADD), written(topic, **{field: typed}))
    assert page.status_code == 200
    assert reason in page.content.decode()
    assert (Card.objects.count(), CardVersion.objects.count()) == (0, 0)


CHOICE = {"answer_type": "choice", "right": "1", "option_1": "A", "option_2": "B", "mistake_2": "m",
          "picture": "", "mistakes": "- {name: m, says: B is not it.}"}  # fmt: skip
ORDERING = {"answer_type": "ordering", "items": "a: A\nb: B", "mistakes": "", "picture": ""}
SHAPE = {"answer_type": "shape", "compute": "shape_after", "picture": "", "mistakes": "",
         "arguments": "step: view\nbatch: 2\ntokens: 4\nnum_heads: 12\nd_head: 64"}  # fmt: skip
REVEAL = {"answer_type": "reveal", "rubric": "a\nb", "mistakes": "", "picture": ""}
MULTI = {"answer_type": "multi_choice", "credit": "net", "option_1": "8", "right_1": "on", "option_2": "10",
         "mistake_2": "m", "says_2": "8 over.", "option_3": "12", "right_3": "on", "mistake_3": "n",
         "picture": "",
         "mistakes": "- {name: m, says: No.}\n- {name: n, says: 12 too.}"}  # fmt: skip
WORDS = {"answer_type": "words", "key": "softmax", "accepts": "the softmax function", "case": "ignore",
         "typos": "1",
         "mistakes": "- {name: m, key: softmin, says: No.}", "picture": ""}  # fmt: skip
CLOZE = {"answer_type": "cloze", "text": "A head is {{width}} wide, by {{by::division}}.",
         "gaps": "width: {type: numeric, key: {compute: d_head, model: bert-base}}",
         "mistakes": "- {name: m, cell: by, key: subtraction, says: No.}", "picture": ""}  # fmt: skip
TABLE = {"answer_type": "table", "columns": "num_heads\nd_head", "mistakes": "", "picture": "",
         "rows": "- title: BERT\n  cells: [{given: '12'}, {id: a, type: numeric, "
                 "key: {compute: d_head, model: bert-base}}]"}  # fmt: skip
PARTLY = {
    **ORDERING,
    "items": "a: A\nb: B\nc: C",
    "before": "a, c\nb, c",
    "distractors": "- {id: d, text: D, mistake: m}",
    "mistakes": "- {name: m, says: No.}",
}
RANGE = {
    "compute": "",
    "arguments": "",
    "picture": "",
    "mistakes": "",
    "more": "key: {range: [{compute: d_head, model: bert-base}, {compute: d_head, model: llama-3-70b}]}",
}
SIZE = {
    "compute": "kv_bytes",
    "arguments": "model: llama-3-70b\ntokens: 8192",
    "unit": "GiB",
    "mistakes": "",
    "tolerance": "relative 0.005",
    "more": "unit_required: true\nkey_unit: bytes",
    "picture": "",
}
AXES = {"answer_type": "shape", "compute": "", "arguments": "", "sizes": "B: 2\nT: 4\nH: 12\nD: 64",
        "more": "axes: [B, H, T, D]", "mistakes": "", "picture": ""}  # fmt: skip
NAMED = {"rubric": "- {name: unit_vectors, says: No.}"}


def _example(answer_type: str) -> dict[str, str]:
    """The example below the field of a type that is written as YAML, typed as it stands."""
    answer = mistakes_help.ANSWERS[answer_type].replace("`", "")
    return {
        "answer_type": answer_type,
        "answer": answer,
        "mistakes": NAMED.get(answer_type, ""),
        "picture": "",
    }


KINDS: dict[str, dict[str, str]] = {
    "numeric": {}, "choice": CHOICE, "ordering": ORDERING, "shape": SHAPE, "reveal": REVEAL,
    "multi_choice": MULTI, "words": WORDS, "cloze": CLOZE, "table": TABLE, "ordering-partly": PARTLY,
    "range": RANGE, "size": SIZE, "axes": AXES,
    **{name: _example(name) for name in mistakes_help.ANSWERS if name != "program"},
}  # fmt: skip


def test_a_program_is_written_as_in_its_example(desk: Client, topic: Topic) -> None:
    saved = desk.post(reverse(ADD), written(topic, **_example("program")))
    assert saved.status_code == 302
    assert desk.get(saved.headers["Location"] + "&frame=1").status_code == 200


@pytest.mark.parametrize("kind", KINDS)
def test_each_type_is_written_previewed_and_published(desk: Client, topic: Topic, kind: str) -> None:
    saved = desk.post(reverse(ADD), written(topic, **KINDS[kind]))
    assert saved.status_code == 302
    assert desk.get(saved.headers["Location"] + "&frame=1").status_code == 200
    desk.post(saved.headers["Location"], {"publish": "1"})
    assert Card.objects.get(slug="bert-width").state == "published"


@pytest.mark.parametrize(
    ("kind", "field", "typed", "place", "reason"),
    [
        ("numeric", "mistakes", "- foo", "mistakes", "each mistake is"),
        (
            "numeric",
            "mistakes",
            "- {name: m, says: x, key: .nan}",
            "mistakes",
            "the number nan cannot be kept",
        ),
        ("numeric", "mistakes", "- {name: m, says: x, key: .inf}", "mistakes", "the number inf"),
        ("numeric", "mistakes", "- {name: m, says: x, when: [a]}", "mistakes", "no predicate"),
        ("numeric", "mistakes", "- {name: m, says: x, when: odd, d_model: 1}", "mistakes", "cannot take"),
        (
            "numeric",
            "mistakes",
            "- {name: m, says: x, when: does_not_divide, d_model: a}",
            "mistakes",
            "is a number",
        ),
        (
            "numeric",
            "mistakes",
            "- {name: m, says: x, when: does_not_divide, d_model: -5}",
            "mistakes",
            "n must",
        ),
        ("numeric", "mistakes", "- {name: m, says: x, key: [foo]}", "mistakes", "is not a number"),
        ("numeric", "mistakes", "- {name: [m], says: x, key: 1}", "mistakes", "name is a text"),
        ("numeric", "mistakes", "- {name: m, says: '\\0', key: 1}", "", ""),
        ("numeric", "mistakes", '- {name: m, says: "\\0", key: 1}', "mistakes", "NUL"),
        ("numeric", "arguments", "n: 12", "compute", "d_head"),
        ("numeric", "compute", "", "compute", "give the key in the further settings"),
        ("numeric", "more", "key: {range: [1, 2]}", "more", "something else than the computation"),
        ("range", "more", "key: {range: [1]}", "more", "range"),
        ("axes", "more", "axes: [B, H", "more", "line"),
        ("numeric", "tolerance", "relative 1/0", "compute", "is not a number"),
        ("numeric", "picture", "- foo", "picture", "each picture is"),
        ("numeric", "picture", "- {kind: head_split, parameters: [1]}", "picture", "parameters are"),
        ("numeric", "picture", "- {kind: head_split, seed: abc}", "picture", "seed is a whole number"),
        ("numeric", "picture", "- {kind: head_split, seed: -1}", "picture", "seed is a whole number"),
        ("numeric", "picture", "- {kind: [a], parameters: {}}", "picture", "needs a kind"),
        ("numeric", "picture", "- {kind: fireworks}", "picture", "answer_executed"),
        ("numeric", "picture", "- {kind: head_split, parameters: {model: no-such}}", "picture", "no-such"),
        ("numeric", "waivers", "hints: [1]", "waivers", "each reason a text"),
        ("choice", "right", "4", "right", "exactly one correct option"),
        ("choice", "mistakes", "- foo", "mistakes", "each mistake is"),
        ("ordering", "items", "a: A\na: B", "items", "all different"),
        ("ordering", "items", "a", "items", "two or more"),
        ("ordering", "mistakes", "- {name: m, says: x}", "mistakes", "before needs two"),
        ("shape", "compute", "d_head", "compute", "does not compute"),
        ("shape", "sizes", "- 1", "sizes", "list of `name: value` lines"),
        ("reveal", "mistakes", "- 1", "mistakes", "each mistake is"),
        ("reveal", "rubric", " ", "rubric", "required"),
        ("multi_choice", "credit", "most", "credit", "not one of the available choices"),
        ("multi_choice", "option_2", "", "option_2", "required"),
        ("words", "accepts", "x" * 401, "key", "1 to 400 characters"),
        ("words", "typos", "3", "typos", "not one of the available choices"),
        ("words", "mistakes", "- {name: m, says: x, key: 1}", "mistakes", "its key is words"),
        ("cloze", "text", "A head is {{width wide.", "text", "never closed"),
        ("cloze", "gaps", "height: {type: numeric}", "text", "gap height has no place"),
        ("table", "rows", "- {title: x, cells: []}", "rows", "0 cells for 2 columns"),
        ("table", "rows", "title: x", "rows", "list, each entry"),
        ("ordering-partly", "before", "a, z", "items", "pairs of the ids"),
        ("ordering-partly", "before", "a, b, a", "items", "pairs of the ids"),
        ("ordering-partly", "before", "a, b\nb, a", "items", "goes round in a circle"),
    ],
)
def test_a_badly_formed_draft_is_refused_at_its_field_and_leaves_no_row(
    desk: Client, topic: Topic, *, kind: str, field: str, typed: str, place: str, reason: str
) -> None:
    page = desk.post(reverse(ADD), written(topic, **{**KINDS[kind], field: typed}))
    if not place:
        assert page.status_code == 302
        return
    assert page.status_code == 200
    errors = page.context["adminform"].form.errors
    assert list(errors) == [place]
    assert reason in str(errors[place].as_data())
    assert (Card.objects.count(), CardVersion.objects.count()) == (0, 0)


LINES = {
    **CHOICE,
    "runs_1": "scores.softmax(dim=-1)",
    "runs_2": "scores.softmax(dim=-2)",
    "picture": "- {kind: answer_executed, parameters: {model: bert-base, program: $answer}}",
}
PICTURES = {
    "answer_executed": "{kind: answer_executed, parameters: {model: bert-base, d_head: $answer}}",
    "head_split": "{kind: head_split, parameters: {d_model: 768, num_heads: 12, d_head: $answer}}",
    "silent_mistake": "{kind: silent_mistake, parameters: {model: bert-base, mistake: view_as_heads}}",
    "memory_tape": "{kind: memory_tape, parameters: {shape: [4, 64], ops: T, answer_strides: [1, $answer]}}",
    "saturation": "{kind: saturation, parameters: {d_head: $answer}}",
    "attention_pattern": "{kind: attention_pattern, parameters: {mask: causal}}",
    "head_atlas": "{kind: head_atlas, parameters: {model: minilm}}",
    "head_sharing": "{kind: head_sharing, parameters: {model: llama-3-70b, answer_kv_heads: $answer}}",
    "kv_budget": "{kind: kv_budget, parameters: {model: llama-3-70b, answer_bytes: $answer}}",
    "roofline": "{kind: roofline, parameters: {d_model: 768, d_head: $answer}}",
    "config_museum": "{kind: config_museum, parameters: {model: gemma-7b, answer_d_head: $answer}}",
    "decode_cache": "{kind: decode_cache, parameters: {answer_bytes: $answer}}",
}


@pytest.mark.parametrize("kind", sorted(PICTURE_KINDS))
def test_a_picture_of_each_kind_is_written_previewed_drawn_and_published(
    desk: Client, topic: Topic, kind: str
) -> None:
    saved = desk.post(reverse(ADD), written(topic, picture=f"- {PICTURES[kind]}"))
    assert saved.status_code == 302
    preview = saved.headers["Location"]
    assert "To mend" not in desk.get(preview).content.decode()
    for text in ("64", "32"):
        frame = desk.post(preview + "&frame=1", {"text": text}).content.decode()
        assert f'<study-picture kind="{kind}"' in frame
        assert f'role-name="{"yours" if text == "32" and "$answer" in PICTURES[kind] else "right"}"' in frame
    desk.post(preview, {"publish": "1"})
    assert Card.objects.get(slug="bert-width").state == Card.State.PUBLISHED


def test_the_form_lists_every_kind_of_picture_with_what_it_takes(desk: Client) -> None:
    page = desk.get(reverse(ADD) + "?answer_type=choice").content.decode()
    for kind in PICTURE_KINDS.values():
        told = page.partition(f"<code>{kind.name}</code>: ")[2].partition("<br>")[0]
        assert all(f"<code>{parameter.name}</code>" in told for parameter in kind.parameters)
    assert 'name="runs_1"' in page


def test_lines_an_author_offers_are_run_in_the_preview_as_a_learner_chooses_them(
    desk: Client, topic: Topic
) -> None:
    saved = desk.post(reverse(ADD), written(topic, **LINES))
    preview = saved.headers["Location"]
    assert "Nothing stands against publishing" in desk.get(preview).content.decode()
    frame = desk.get(preview + "&frame=1").content.decode()
    assert "softmax" not in frame
    chosen = desk.post(preview + "&frame=1", {"choices": "option-2"}).content.decode()
    assert "What you ran" in chosen
    assert "scores.softmax(dim=-2)" in chosen
    assert "The right line" in chosen
    version = latest_version(Card.objects.get(slug="bert-width"))
    assert version is not None
    assert [option["runs"] for option in version.answer["options"]] == [LINES["runs_1"], LINES["runs_2"]]


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ("import os", "Nothing was run: program cannot be run"),
        ("", "option option-2 has no `runs`"),
        ("[2, 12]", "Nothing was run: program must be a text"),
    ],
)
def test_an_option_that_cannot_be_run_is_told_in_the_preview_and_not_published(
    desk: Client, topic: Topic, runs: str, said: str
) -> None:
    saved = desk.post(reverse(ADD), written(topic, **{**LINES, "runs_2": runs}))
    page = html.unescape(desk.get(saved.headers["Location"]).content.decode())
    assert said in page
    assert "Publishing is off until everything above is mended" in page
    desk.post(saved.headers["Location"], {"publish": "1"})
    assert Card.objects.get(slug="bert-width").state == Card.State.DRAFT


HOSTILE = [
    "import os", "q.view(" * 80, "[2, [3]]", "[1, $answer]",
    "- {kind: saturation, parameters: {divisor: $answer}}",
    "- {kind: memory_tape, parameters: {answer_strides: [$answer, $answer, 1]}}",
    "- {kind: answer_executed, parameters: {program: $answer}}", "1.5", "[2, 12, 4, 64]", "1_000",
    "", " ", "foo", "- foo", "- [1]", "[]", "{}", "- {}", "a: [1]", "- .nan", "a: .inf", "-1", "0", "9" * 400,
    "- {name: m, says: 1, key: {compute: d_head}}", "- {kind: head_split}", "1e400", "\x00", '- "\\ud800"',
    "- {name: m, says: x, when: odd}", "- {kind: head_split, parameters: {d_model: $answer, num_heads: 0}}",
    "$\\frac{1}{" * 300, "| a |\n|---|\n" * 200, "<script>alert(1)</script>", "{{ models: x }}",
    "a\na", "a: b\na: c",
    "model: bert-base\nd_model: -1", "step: 5", "n: 1099511627776", "- !!python/object/apply:os.system [x]",
    "[" * 500, "{a: " * 100, "null", "~", "true", "- null", "- true", "2026-01-01", "absolute 1/0",
    "\ud7ff", "👩‍🔬" * 50,
]  # fmt: skip
FIELDS = [
    "prompt",
    "explanation",
    "mistakes",
    "hints",
    "picture",
    "sources",
    "waivers",
    "edit",
    "slug",
    "position",
    "topic",
    "compute",
    "arguments",
    "any_of",
    "tolerance",
    "unit",
    "names",
    "sizes",
    "right",
    "option_1",
    "option_2",
    "option_6",
    "mistake_1",
    "mistake_2",
    "runs_1",
    "runs_2",
    "runs_9",
    "items",
    "rubric",
    "answer_type",
    "credit",
    "right_1",
    "says_2",
    "key",
    "accepts",
    "case",
    "typos",
    "text",
    "gaps",
    "columns",
    "rows",
    "before",
    "distractors",
]


@given(st.data())
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
def test_whatever_is_typed_the_form_answers_and_its_preview_stands(
    desk: Client, topic: Topic, data: st.DataObject
) -> None:
    kind = data.draw(st.sampled_from(sorted(KINDS)))
    changed = data.draw(
        st.dictionaries(st.sampled_from(FIELDS), st.sampled_from(HOSTILE), max_size=2, min_size=1)
    )
    Card.objects.all().delete()
    saved = desk.post(
        reverse(ADD) + f"?answer_type={kind.partition('-')[0]}", {**written(topic, **KINDS[kind]), **changed}
    )
    assert saved.status_code in (200, 302)
    assert CardVersion.objects.count() == (saved.status_code == 302)
    if saved.status_code == 302:
        preview = saved.headers["Location"]
        assert desk.get(preview).status_code == 200
        assert desk.get(preview + "&frame=1").status_code == 200
        assert desk.post(preview + "&frame=1", {"text": "64", "choices": "option-1"}).status_code == 200
        assert desk.post(preview, {"publish": "1"}).status_code == 302
        Card.objects.update(published_version=None)


def test_a_mistake_that_changes_no_grade_keeps_the_card_from_learners(desk: Client, topic: Topic) -> None:
    same = "- {name: same_as_key, key: {compute: d_head, model: bert-base}, says: 'no'}"
    page = desk.post(reverse(ADD), written(topic, mistakes=same), follow=True).content.decode()
    assert "Publishing is off until everything above is mended" in page
    version = latest_version(Card.objects.get(slug="bert-width"))
    assert version is not None
    with pytest.raises(NotPublishable, match="same_as_key"):
        publish(version)
    assert Card.objects.get(slug="bert-width").state == Card.State.DRAFT


def test_a_shipped_card_is_shown_and_only_its_copy_can_be_edited(desk: Client, sol: AbstractBaseUser) -> None:
    load_content()
    card = Card.objects.get(slug="bert-base-d-head")
    change = reverse("admin:cards_card_change", args=[card.pk])
    assert 'name="prompt"' not in desk.get(change).content.decode()
    assert desk.post(change, {"slug": "stolen"}).status_code == 403
    desk.post(
        reverse("admin:cards_card_changelist"), {"action": "copy_to_edit", "_selected_action": [card.pk]}
    )
    copy = Card.objects.get(slug="bert-base-d-head-copy-1")
    assert (copy.origin, copy.state) == ("local", "draft")
    page = desk.get(reverse("admin:cards_card_change", args=[copy.pk])).content.decode()
    assert 'name="prompt"' in page


def test_every_shipped_answer_survives_its_editor() -> None:
    for card in (card for deck in read_decks(CONTENT) for topic in deck.topics for card in topic.cards):
        stored = {k: v for k, v in card.answer.items() if k != "type"}
        written_back = _typed(card.answer_type, stored)
        assert written_back == stored, card.slug


ANSWERS: list[tuple[str, dict[str, Any]]] = [
    ("shape", {"key": {"any_of": {"compute": "divisors", "n": 12}}, "sizes": {"B": 2}}),
    ("numeric", {"key": {"any_of": {"compute": "divisors", "n": 12}}, "tolerance": {"relative": 0.01}}),
    ("numeric", {"key": {"compute": "d_head", "model": "bert-base"}, "tolerance": "exact", "names": ["d"]}),
    ("choice", {"options": [{"id": f"o{n}", "text": f"{n}", "mistake": "m", "says": "no"}
     for n in range(1, 8)] + [{"id": "right", "text": "8", "correct": True}]}),
    ("choice", {"options": [{"id": "a", "text": "A", "correct": True, "runs": "y = q @ k.mT\ny / 8"},
     {"id": "b", "text": "B", "mistake": "m", "runs": [2, 12, 4, 64]},
     {"id": "c", "text": "C", "mistake": "m", "runs": 64}, {"id": "d", "text": "D", "mistake": "m"},
     {"id": "e", "text": "E", "mistake": "m", "runs": 11.31},
     {"id": "f", "text": "F", "mistake": "m", "runs": "[2, 12"}]}),
    ("ordering", {"items": ["one", {"id": "two", "text": "2: two"}]}),
    ("ordering", {"items": [{"id": "a", "text": "A", "group": "g"}, {"id": "b", "text": "B", "missed": "m"}],
     "before": [["a", "b"]], "distractors": [{"id": "d", "text": "D", "mistake": "m", "says": "No."}]}),
    ("multi_choice", {"options": [{"id": "a", "text": "A", "correct": True, "missed": "m", "says": "Yes."},
     {"id": "b", "text": "B", "mistake": "m"}, {"id": "c", "text": "C", "correct": True}], "credit": "each"}),
    ("words", {"key": "T", "case": "keep", "accepts": ["tokens"], "typos": 0}),
    ("words", {"key": "T", "accepts": [{"key": "tokens", "typos": 1}]}),
    ("cloze", {"text": "a {{b::c}}", "gaps": {"b": {"typos": 1}}}),
    ("table", {"columns": ["a"], "rows": [{"cells": [{"id": "x", "type": "words", "key": "k"}]}]}),
    ("numeric", {"key": {"range": [{"compute": "d_head", "model": "bert-base"}, 128]}, "locale": "de"}),
    ("shape", {"axes": ["B", "H"], "sizes": {"B": 2, "H": 12}}),
    ("choice", {"options": [{"id": "a", "text": "A", "correct": True},
     {"id": "b", "text": "B", "correct": True}, {"id": "c", "text": "C", "mistake": "m"}]}),
    ("reveal", {"rubric": ["a", "b"]}),
    ("essay", {"words": [1, {"a": None}]}),
]  # fmt: skip


@pytest.mark.parametrize(("answer_type", "stored"), ANSWERS)
def test_every_form_of_answer_survives_its_editor(answer_type: str, stored: dict[str, Any]) -> None:
    assert _typed(answer_type, stored) == stored


def test_an_option_that_is_added_gets_an_id_of_its_own_and_the_others_keep_theirs() -> None:
    stored = {"options": [{"id": "option-3", "text": "a", "correct": True}, {"id": "b", "text": "b"}]}
    one = editor("choice")
    values = {**one.initial(stored), "option_3": "c", "mistake_3": "m"}
    ids = [option["id"] for option in one.answer(values, stored)["options"]]
    assert ids == ["option-3", "b", "option-4"]


def _typed(answer_type: str, stored: dict[str, Any]) -> dict[str, Any]:
    """The answer after a trip through the form's fields as text."""
    one = editor(answer_type, stored)
    fields, initial = one.fields(stored), one.initial(stored)
    cleaned = {name: f.clean(f.prepare_value(initial.get(name, f.initial))) for name, f in fields.items()}
    return one.answer(cleaned, stored)


def test_saving_a_copy_of_any_shipped_card_unchanged_writes_no_version(desk: Client) -> None:
    load_content()
    author = get_user_model().objects.get()
    for card in Card.objects.filter(origin="shipped"):
        copy = copy_to_edit(card, author=author)
        address = reverse("admin:cards_card_change", args=[copy.pk])
        form = desk.get(address).context["adminform"].form
        shown = {name: field.prepare_value(form.get_initial_for_field(field, name))
                 for name, field in form.fields.items()}  # fmt: skip
        sent = {name: value for name, value in shown.items() if value not in (None, False)}
        assert desk.post(address, sent).status_code == 302, card.slug
        assert copy.versions.count() == 1, card.slug


def test_a_copy_says_the_same_and_writing_it_again_writes_nothing(sol: AbstractBaseUser, db: None) -> None:
    load_content()
    copy = copy_to_edit(Card.objects.get(slug="pipeline-order"), author=sol)
    version = latest_version(copy)
    assert version is not None
    original = Card.objects.get(slug="pipeline-order").published_version
    assert original is not None
    assert version.content_hash == original.content_hash
    content = {name: getattr(version, name) for name in ("answer_type", "answer", "prompt", "explanation")}
    rest = {
        name: getattr(version, name) for name in ("parameters", "mistakes", "hints", "picture", "sources")
    }
    assert write_version(copy, {**content, **rest}, author=sol, edit="major") == version


def test_a_shipped_source_is_shown_and_only_an_own_one_can_be_edited(desk: Client, topic: Topic) -> None:
    load_content()
    shipped, own = Source.objects.get(key="bert-readme"), Source.objects.create(key="own", title="Own",
        as_of="2026-11-30")  # fmt: skip
    assert desk.get(reverse("admin:cards_source_change", args=[shipped.pk])).status_code == 200
    typed = {"key": "own", "title": "Changed", "year": 0, "as_of": "2026-11-30"}
    assert desk.post(reverse("admin:cards_source_change", args=[shipped.pk]), typed).status_code == 403
    assert (
        desk.post(reverse("admin:cards_source_delete", args=[shipped.pk]), {"post": "yes"}).status_code == 403
    )
    desk.post(reverse("admin:cards_source_change", args=[own.pk]), typed)
    own.refresh_from_db()
    assert own.title == "Changed"
    assert Source.objects.get(key="vaswani-2017").origin == "local"


def test_the_list_of_cards_takes_no_query_more_for_more_cards(
    desk: Client, topic: Topic, django_assert_num_queries: Any
) -> None:
    desk.post(reverse(ADD), written(topic))
    address = reverse("admin:cards_card_changelist")
    with CaptureQueriesContext(connection) as one:
        page = desk.get(address).content.decode()
    assert '<td class="field-kind">numeric</td>' in page
    assert "/author/preview/?version=" in page
    load_content()
    with django_assert_num_queries(len(one)):
        desk.get(address)
