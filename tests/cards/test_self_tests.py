"""A card that is graded otherwise than it says itself is not published: not by the form, the loader or CI."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cards.authoring.versions import NotPublishable, publish, version_problems, write_version
from cards.frontmatter import ContentProblem
from cards.lint import lint_card, self_test
from cards.loading import load_content
from cards.models import Card, CardVersion, Deck, Source, Topic

BERT = {"compute": "d_head", "model": "bert-base"}
SPLIT = {"compute": "shape_after", "step": "view", "batch": 2, "tokens": 4, "num_heads": 12, "d_head": 64}
STEPS = [{"id": one, "text": one} for one in ("project", "view", "merge")]


def slip(**fields: Any) -> dict[str, Any]:
    return {"name": "slip", "says": "It is not so.", **fields}


FAILING: dict[str, tuple[str, dict[str, Any], list[dict[str, Any]]]] = {
    "a mistake that is the key": ("numeric", {"key": BERT}, [slip(key=BERT)]),
    "a mistake that another one hides": (
        "numeric",
        {"key": BERT},
        [slip(name="first", key=12), slip(key=12)],
    ),
    "a shape that is the key": ("shape", {"key": SPLIT}, [slip(key=[2, 4, 12, 64])]),
    "an option that names no mistake": (
        "choice",
        {
            "options": [
                {"id": "a", "text": "x", "correct": True},
                {"id": "b", "text": "y", "mistake": "other"},
            ]
        },
        [slip()],
    ),
    "an order that is right": ("ordering", {"items": STEPS}, [slip(before=["project", "view"])]),
    "an einsum that is the key": (
        "einsum",
        {"key": "b h q d, b h k d -> b h q k", "operands": ["Q", "K"]},
        [slip(key="x y i j, x y k j -> x y i k")],
    ),
    "a formula that is the key": (
        "formula",
        {"key": "1/sqrt(d_k)", "symbols": ["d_k"]},
        [slip(key="d_k^(-1/2)")],
    ),
    "a matrix formula that is the key": (
        "matrix_formula",
        {"key": "Q K^T", "matrices": {"Q": ["n", "d"], "K": ["m", "d"]}},
        [slip(key="(K Q^T)^T")],
    ),
    "a word that is the key": ("words", {"key": "batch"}, [slip(key="Batch")]),
    "a red flag of another mistake": (
        "rubric",
        {"points": [{"id": "a", "text": "x"}], "red_flags": [{"id": "b", "text": "y", "mistake": "other"}]},
        [slip()],
    ),
    "a program that is the reference": (
        "program",
        {"reference": "q.view(2, 4, 12, 64)", "model": "bert-base"},
        [slip(program="q.view(2, 4, 12, 64)")],
    ),
}


def version(answer_type: str, answer: dict[str, Any], mistakes: list[dict[str, Any]]) -> SimpleNamespace:
    return SimpleNamespace(
        answer_type=answer_type,
        answer=answer,
        mistakes=mistakes,
        parameters={},
        picture=[],
        prompt="Which one?",
        explanation="So.",
        hints=["a", "b"],
        sources=["s"],
    )


@pytest.mark.parametrize("title", FAILING)
def test_a_card_that_contradicts_itself_has_an_error(title):
    errors = [problem for problem in lint_card(version(*FAILING[title])) if not problem.warning]
    assert errors
    assert {problem.rule for problem in errors} <= {"answer", "mistake", "mistakes", "key"}


@pytest.mark.parametrize("title", FAILING)
def test_the_form_keeps_it_as_a_draft_and_does_not_publish_it(db, title):
    kind, answer, mistakes = FAILING[title]
    Source.objects.create(key="s", title="s", as_of="2026-11-30")
    topic = Topic.objects.create(slug="t", title="t", deck=Deck.objects.create(slug="d", title="d"))
    card = Card.objects.create(slug="c", topic=topic)
    content = {**vars(version(kind, answer, mistakes)), "answer_type": kind}
    draft = write_version(card, content, author=None, edit="major")
    assert version_problems(draft)
    with pytest.raises(NotPublishable):
        publish(draft)
    card.refresh_from_db()
    assert (card.state, card.published_version) == (Card.State.DRAFT, None)


CARD = """---
answer: {{type: numeric, key: {{compute: d_head, model: bert-base}}}}
mistakes:
  - {{name: slip, key: {key}, says: "x"}}
  - {{name: second, key: 12, says: "x"}}
sources: [s]
{state}---
How wide?

+++

Divide.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """A deck with one card in it."""

    def made(key: int, state: str = "") -> Path:
        topic = tmp_path / "deck" / "topic"
        topic.mkdir(parents=True, exist_ok=True)
        (tmp_path / "deck" / "deck.yaml").write_text("title: Deck\n")
        source = "- {key: s, title: S, year: 2026, url: 'https://example.org', as_of: 2026-11-30}\n"
        (tmp_path / "deck" / "sources.yaml").write_text(source)
        (topic / "topic.md").write_text("---\ntitle: Topic\nsources: [s]\n---\n## brief: Brief\n\nText.\n")
        (topic / "card.md").write_text(CARD.format(key=key, state=state))
        return tmp_path

    return made


def test_the_loader_refuses_it_by_file_and_line_and_writes_nothing(db, folder):
    with pytest.raises(ContentProblem, match=r"card\.md.*second"):
        load_content(folder(12))
    assert not CardVersion.objects.exists()
    load_content(folder(10))
    assert CardVersion.objects.get().number == 1


def test_the_loader_takes_a_draft_as_it_is(db, folder):
    load_content(folder(12, "state: draft\n"))
    assert Card.objects.get().state == Card.State.DRAFT


def test_a_self_test_names_the_field_at_fault():
    hidden = version("numeric", {"key": BERT}, [slip(name="first", key=12), slip(key=12)])
    assert self_test(hidden) == [("mistakes", "12 is named first, not slip")]
    assert self_test(version("numeric", {"key": BERT}, [slip(key=12)])) == []


DRAWN = """family: widths
variants:
  num_heads: [8, 16, 40]
  d_head: [40, 80]
  d_model: $num_heads * $d_head
"""
DRAWN_CARD = """---
answer: {{type: numeric, key: {{compute: quotient, d_model: $d_model, num_heads: $num_heads}}}}
mistakes: [{{name: heads, key: $num_heads, says: "x"}}]
sources: [s]
{drawn}---
{{{{ $num_heads }}}} heads share {{{{ $d_model }}}}. How wide?

+++

Divide.
"""


def test_the_loader_refuses_a_card_that_one_of_its_variants_breaks_with_seed_and_values(db, folder):
    content = folder(10)
    path = content / "deck" / "topic" / "card.md"
    path.write_text(DRAWN_CARD.format(drawn=DRAWN))
    with pytest.raises(
        ContentProblem, match=r"card\.md:3: .*heads.*seed \d+: d_head 40, num_heads 40, d_mod"
    ):
        load_content(content)
    assert not CardVersion.objects.exists()
    path.write_text(DRAWN_CARD.format(drawn=DRAWN + "where: [{differ: [$num_heads, $d_head]}]\n"))
    load_content(content)
    stored = CardVersion.objects.get()
    assert (stored.card.family, stored.number) == ("widths", 1)
    assert stored.prompt_html == "<p>8 heads share 320. How wide?</p>\n"
    assert load_content(content).writes == 0


@pytest.mark.parametrize("family", ["Two words", "[a]", "a_b", "x" * 81])
def test_a_family_that_is_no_slug_is_refused_on_its_line(db, folder, family):
    path = folder(10) / "deck" / "topic" / "card.md"
    path.write_text(DRAWN_CARD.format(drawn=f"family: {family}\n"))
    with pytest.raises(ContentProblem, match=r"card\.md:5: family is letters"):
        load_content(folder_of(path))


def folder_of(path: Path) -> Path:
    return path.parents[2]
