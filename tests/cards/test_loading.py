"""Content files come into the database once, and again only where they changed."""

import shutil
import textwrap

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from cards.frontmatter import ContentProblem
from cards.loading import load_content
from cards.models import Card, CardVersion, Deck, Source, Topic, shipped_uuid
from cards.sections import read_seconds

CARD = """\
---
position: 2
answer: {type: numeric, key: {compute: d_head, model: bert-base}, unit: numbers}
mistakes: [{name: heads_for_width, key: {compute: num_heads, model: bert-base}, says: "12 counts the heads."}]
picture: {kind: answer_executed, parameters: {model: bert-base, num_heads: $answer}}
hints: [Divide.]
sources: [bert-readme]
---
How wide is $d_\\text{head}$ of BERT-base?

+++

768 / 12 = 64.
"""
TOPIC = """\
---
title: d_head
position: 1
sources: [bert-readme]
---
## memory_line: In one line

$d = 64$

## model_table: Five models

```
## not_a_kind: inside a fence
```
"""
SOURCES = """\
- key: bert-readme
  title: BERT
  authors: Google
  year: 2018
  url: https://a.example
  as_of: 2026-11-30
"""


@pytest.fixture
def content(tmp_path):
    """A content folder with one deck, one topic and one card."""
    topic = tmp_path / "transformers" / "d_head"
    topic.mkdir(parents=True)
    (tmp_path / "transformers" / "deck.yaml").write_text("title: Transformers\n")
    (tmp_path / "transformers" / "sources.yaml").write_text(SOURCES)
    (topic / "topic.md").write_text(TOPIC)
    (topic / "bert-width.md").write_text(CARD)
    return tmp_path


def card_file(content):
    return content / "transformers" / "d_head" / "bert-width.md"


@pytest.mark.django_db
def test_a_load_writes_deck_topic_source_and_card(content):
    report = load_content(content)
    assert (report.decks, report.topics, report.sources, report.cards, report.versions) == (1, 1, 1, 1, 1)
    card = Card.objects.get(slug="bert-width")
    version = card.published_version
    assert (card.uuid, card.position, card.state, card.topic.slug) == (
        shipped_uuid("bert-width"),
        2,
        "published",
        "d-head",
    )
    assert version.answer == {"key": {"compute": "d_head", "model": "bert-base"}, "unit": "numbers"}
    assert version.picture == [
        {"kind": "answer_executed", "parameters": {"model": "bert-base", "num_heads": "$answer"}}
    ]
    assert "<math>" in version.prompt_html
    assert version.explanation_html == "<p>768 / 12 = 64.</p>\n"
    assert Source.objects.get().as_of.isoformat() == "2026-11-30"


@pytest.mark.django_db
def test_sections_are_rendered_timed_and_followed_by_the_sources(content):
    load_content(content)
    sections = Topic.objects.get().sections
    assert [section["kind"] for section in sections] == ["memory_line", "model_table", "sources"]
    assert "inside a fence" in sections[1]["html"]
    assert 'href="https://a.example"' in sections[2]["html"]
    assert all(section["read_seconds"] >= 0 for section in sections)


@pytest.mark.django_db
def test_a_second_load_writes_nothing(content, django_assert_num_queries):
    load_content(content)
    assert load_content(content).writes == 0
    assert CardVersion.objects.count() == 1


@pytest.mark.django_db
def test_a_changed_card_gets_a_new_version_and_keeps_the_old_one(content):
    load_content(content)
    card_file(content).write_text(CARD.replace("How wide", "How broad"))
    report = load_content(content)
    card = Card.objects.get()
    assert (report.versions, report.cards) == (1, 0)
    assert [v.number for v in card.versions.all()] == [1, 2]
    assert card.published_version.prompt.startswith("How broad")


@pytest.mark.django_db
def test_a_changed_position_moves_the_card_without_a_new_version(content):
    load_content(content)
    card_file(content).write_text(CARD.replace("position: 2", "position: 7"))
    assert (load_content(content).versions, Card.objects.get().position) == (0, 7)


@pytest.mark.django_db
def test_a_vanished_card_is_retired_and_comes_back_as_it_was(content):
    load_content(content)
    card_file(content).rename(content / "aside")
    assert load_content(content).retired == 1
    assert Card.objects.get().state == "retired"
    (content / "aside").rename(card_file(content))
    assert load_content(content).versions == 0
    assert Card.objects.get().state == "published"


@pytest.mark.django_db
def test_local_cards_are_never_touched(content):
    deck = Deck.objects.create(slug="mine", title="Mine")
    topic = Topic.objects.create(slug="my-topic", deck=deck, title="Mine")
    mine = Card.objects.create(slug="bert-width", topic=topic, state="draft")
    other = Card.objects.create(slug="other", topic=topic, state="published")
    report = load_content(content)
    mine.refresh_from_db()
    other.refresh_from_db()
    assert (mine.topic, mine.state, mine.versions.count(), other.state) == (topic, "draft", 0, "published")
    assert report.skipped == ["Card bert-width is a local one: left alone"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("position: 2", "position: two"), "bert-width.md:2: position is a whole number"),
        (("hints: [Divide.]", "hint: [Divide.]"), "bert-width.md:6: no field hint"),
        (("hints: [Divide.]", "hints: Divide."), "bert-width.md:6: hints is a list"),
        (("hints: [Divide.]", "hints: [Divide."), r"bert-width.md:\d: expected"),
        (("hints: [Divide.]", "hints: &a [x]\nedit: *a"), "bert-width.md:7: aliases are not used"),
        (("hints: [Divide.]", "position: 3"), "bert-width.md:6: position is given twice"),
        (
            ("hints: [Divide.]", "hints: !!python/object/apply:os.system [x]"),
            "bert-width.md:6: could not determine",
        ),
        (("type: numeric, ", ""), "bert-width.md:3: a card needs answer"),
        (("How wide is", "+++\nHow wide is"), "bert-width.md:9: a card needs a prompt"),
        (("---\nposition", "position"), "bert-width.md:1: the file starts with front matter"),
        (("hints: [Divide.]", "edit: tiny"), "bert-width.md:6: edit is one of major, minor"),
        (("How wide is", "x" * 21_000), "bert-width.md:1: .*over the limit of 20,480"),
        (("type: numeric", "type: foo"), "bert-width.md:3: no answer type 'foo'; there are: choice"),
        (("{compute: d_head, model: bert-base}", "64"), "bert-width.md:3: a key is"),
        (("type: numeric", "type: shape"), "bert-width.md:3: a shape's key must be a list"),
        (
            ("type: numeric, key: {compute: d_head, model: bert-base}", "type: shape, key: [2, 3]"),
            "bert-width.md:3: a key is",
        ),
        (("compute: d_head", "compute: d_heads"), "bert-width.md:3: nothing computes 'd_heads'"),
        (("unit: numbers", "tolerance: close"), "bert-width.md:3: tolerance is exact"),
        (("compute: num_heads", "compute: heads"), "bert-width.md:4: nothing computes 'heads'"),
        (('says: "12', 'when: [odd], says: "12'), "bert-width.md:4: no predicate"),
        (("[{name: heads", "[foo, {name: heads"), "bert-width.md:4: each mistake is"),
        (
            ("{kind: answer_executed, parameters: {model: bert-base, num_heads: $answer}}", "[foo]"),
            "bert-width.md:5: each picture is",
        ),
        (("{model: bert-base, num_heads: $answer}", "[1]"), "bert-width.md:5: picture 1: parameters are"),
        (("num_heads: $answer}}", "num_heads: $answer}, seed: abc}"), "bert-width.md:5: picture 1: seed is"),
        (("hints: [Divide.]", "hints: [1]"), "bert-width.md:6: hints is a list of texts"),
        (("hints: [Divide.]", "hints: [.nan]"), "bert-width.md:6: the number nan cannot be kept"),
        (("hints: [Divide.]", "parameters: [1]"), "bert-width.md:6: parameters is a list of `name: value`"),
        (("hints: [Divide.]", "waivers: [1]"), "bert-width.md:6: waivers is a list of `name: value`"),
        (("hints: [Divide.]", "waivers: {hints: 1}"), "bert-width.md:1: waivers are"),
        (("hints: [Divide.]", "hints: " + "[" * 40 + "]" * 40), "bert-width.md:2: values are nested"),
        (("hints: [Divide.]", 'hints: ["\\0"]'), "bert-width.md:6: NUL and half a character"),
        (("hints: [Divide.]", 'hints: ["\\ud800"]'), "bert-width.md:6: NUL and half a character"),
    ],
)
def test_a_faulty_file_is_named_with_its_line_and_nothing_is_written(content, change, message):
    card_file(content).write_text(CARD.replace(*change, 1))
    with pytest.raises(ContentProblem, match=message):
        load_content(content)
    assert Deck.objects.count() == Card.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("topic", "message"),
    [
        (TOPIC.replace("memory_line:", "memory_lane:"), "topic.md:6: no section kind memory_lane"),
        (
            TOPIC.replace("## memory_line", "Before.\n\n## memory_line"),
            "topic.md:6: text before the first section",
        ),
        (TOPIC.replace("[bert-readme]", "[bert-paper]"), "topic.md:4: no source bert-paper"),
        (TOPIC.replace("[bert-readme]", "[1]"), "topic.md:4: sources is a list of texts"),
        (
            TOPIC.replace("title: d_head", f"title: {'x' * 201}"),
            "topic.md:2: a topic needs a title of at most",
        ),
        (TOPIC.replace("title: d_head", "title: [1]"), "topic.md:2: a topic needs a title"),
        (TOPIC.replace("```\n##", "{{ models: bert-bas }}\n```\n##"), "topic.md:10: .*bert-base"),
        (TOPIC + "## follow_ups: Next\n\nBefore.\n\n### Why?\n", "topic.md:15: follow-ups begin with a"),
    ],
)
def test_a_faulty_topic_is_named_with_its_line(content, topic, message):
    (content / "transformers" / "d_head" / "topic.md").write_text(topic)
    with pytest.raises(ContentProblem, match=message):
        load_content(content)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("  as_of: 2026-11-30\n", ""), "sources.yaml:1: source bert-readme: as_of is the day"),
        (("2026-11-30", "2026-13-01"), "sources.yaml:6: month must be in 1..12"),
        (("2026-11-30", "soon"), "sources.yaml:1: source bert-readme: as_of is the day"),
        (("  title: BERT\n", ""), "sources.yaml:1: source bert-readme needs a title"),
        (("title: BERT", "title: [BERT]"), "sources.yaml:1: .* title is a text"),
        (("title: BERT", "title: " + "x" * 301), "sources.yaml:1: .* title is a text of at most 300"),
        (("year: 2018", "year: soon"), "sources.yaml:1: .* year is a whole number, not 'soon'"),
        (("year: 2018", "year: true"), "sources.yaml:1: .* year is a whole number"),
        (("year: 2018", "years: 2018"), "sources.yaml:1: no field years"),
        (("https://a.example", "javascript:x"), "sources.yaml:1: .* url begins with https://"),
        (("key: bert-readme", "key: bert readme"), "sources.yaml:1: a source needs a key"),
        (("- key: bert-readme", "- key: "), "sources.yaml:1: a source needs a key"),
        (("- key", "- foo\n- key"), "sources.yaml:1: a source is"),
        (("- key", "- {key: a, title: A, as_of: 2026-01-01}\n- {key: a, title: A, as_of: 2026-01-01}\n- key"),
         "sources.yaml:2: the key a is given twice"),
    ],
)  # fmt: skip
def test_a_faulty_source_is_named_with_its_line_and_nothing_is_written(content, change, message):
    (content / "transformers" / "sources.yaml").write_text(SOURCES.replace(*change, 1))
    with pytest.raises(ContentProblem, match=message):
        load_content(content)
    assert Source.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["a" * 121, "b c(d)", "é", "-", "a--b", "a_"])
def test_a_file_name_that_gives_no_slug_is_refused(content, name):
    card_file(content).rename(card_file(content).with_name(f"{name}.md"))
    with pytest.raises(ContentProblem, match="gives no slug: letters, digits and -, at most 120"):
        load_content(content)


@pytest.mark.django_db
def test_two_decks_may_cite_one_source_only_in_the_same_words(content):
    other = content / "other"
    other.mkdir()
    (other / "deck.yaml").write_text("title: Other")
    (other / "sources.yaml").write_text(SOURCES)
    load_content(content)
    assert load_content(content).writes == 0
    (other / "sources.yaml").write_text(SOURCES.replace("2018", "2019"))
    with pytest.raises(ContentProblem, match="another deck says otherwise about bert-readme"):
        load_content(content)


@pytest.mark.django_db
def test_a_field_removed_from_a_source_is_cleared(content):
    load_content(content)
    lines = [line for line in SOURCES.splitlines() if "url" not in line and "year" not in line]
    (content / "transformers" / "sources.yaml").write_text("\n".join(lines))
    load_content(content)
    source = Source.objects.get()
    assert (source.url, source.year, source.authors, source.origin) == ("", 0, "Google", "shipped")


@pytest.mark.django_db
def test_a_source_that_vanished_stays_while_a_version_names_it(content):
    extra = "- {key: other, title: Other, as_of: 2026-11-30}\n"
    (content / "transformers" / "sources.yaml").write_text(SOURCES + extra)
    load_content(content)
    Source.objects.create(key="mine", title="Mine", as_of="2026-11-30")
    (content / "transformers" / "sources.yaml").write_text("[]")
    (content / "transformers" / "d_head" / "topic.md").write_text(TOPIC.replace("[bert-readme]", "[]"))
    load_content(content)
    assert set(Source.objects.values_list("key", flat=True)) == {"bert-readme", "mine"}
    assert load_content(content).writes == 0


@pytest.mark.django_db
def test_a_topic_without_a_folder_leaves_the_shelf_and_comes_back_as_it_was(content):
    load_content(content)
    folder = card_file(content).parent
    folder.rename(content / "aside")
    assert (load_content(content).retired, list(Topic.objects.on_shelf())) == (1, [])
    assert load_content(content).writes == 0
    assert Card.objects.get().versions.count() == 1
    (content / "aside").rename(folder)
    load_content(content)
    assert [topic.slug for topic in Topic.objects.on_shelf()] == ["d-head"]
    assert Topic.objects.get().sections


@pytest.mark.django_db
def test_a_topic_without_folder_and_cards_is_deleted_and_its_deck_with_it(content):
    card_file(content).unlink()
    load_content(content)
    shutil.rmtree(content / "transformers")
    load_content(content)
    assert (Topic.objects.count(), Deck.objects.count()) == (0, 0)


@pytest.mark.django_db
def test_a_topic_without_a_folder_stays_for_an_authors_published_card(content):
    load_content(content)
    Card.objects.create(slug="mine", topic=Topic.objects.get(), state="published")
    shutil.rmtree(card_file(content).parent)
    load_content(content)
    assert [topic.slug for topic in Topic.objects.on_shelf()] == ["d-head"]


@pytest.mark.django_db
def test_a_card_that_moves_to_another_topic_keeps_its_versions(content):
    load_content(content)
    second = content / "transformers" / "other"
    second.mkdir()
    (second / "topic.md").write_text(TOPIC.replace("title: d_head", "title: Other"))
    card_file(content).rename(second / "bert-width.md")
    shutil.rmtree(content / "transformers" / "d_head")
    load_content(content)
    card = Card.objects.get()
    assert (card.topic.slug, card.state, card.versions.count()) == ("other", "published", 1)
    assert Topic.objects.count() == 1


@pytest.mark.django_db
def test_two_topics_of_one_slug_are_refused(content):
    second = content / "other" / "d-head"
    second.mkdir(parents=True)
    (content / "other" / "deck.yaml").write_text("title: Other")
    (second / "topic.md").write_text(TOPIC.replace("[bert-readme]", "[]"))
    with pytest.raises(ContentProblem, match="the slug d-head is taken"):
        load_content(content)


@pytest.mark.django_db
def test_two_cards_of_one_slug_are_refused(content):
    second = content / "transformers" / "other"
    second.mkdir()
    (second / "topic.md").write_text(TOPIC)
    (second / "bert_width.md").write_text(CARD)
    with pytest.raises(ContentProblem, match="the slug bert-width is taken"):
        load_content(content)


@pytest.mark.django_db
def test_the_command_loads_and_tells_what_it_wrote(content, capsys):
    call_command("cards", "load", folder=content)
    assert "1 topics, 1 cards, 1 versions, 1 sources" in capsys.readouterr().out


@pytest.mark.django_db
def test_the_command_lints_and_fails_on_a_mistake_that_changes_no_grade(content, capsys):
    call_command("cards", "lint", folder=content)
    assert "1 cards, 1 mistakes, 1 of them change a grade" in capsys.readouterr().out
    card_file(content).write_text(CARD.replace("compute: num_heads", "compute: d_head"))
    with pytest.raises(CommandError, match="problems"):
        call_command("cards", "lint", folder=content)
    assert "d_head/bert-width.md: answer: mistake heads_for_width" in capsys.readouterr().out


def test_reading_time_counts_words_formulas_and_rows():
    assert read_seconds("word " * 200) == 60
    assert read_seconds("$a$ and $b$") == 8
    assert read_seconds(textwrap.dedent("| 1 |\n| 2 |")) == 2 * 2 + 1
