"""The topic page and the lists: what is read, what is folded, what is computed when the page is made."""

import re
from typing import Any

import pytest

from cards.models import Card, Topic
from studyhub.web.topic_page import merged, reading_words, sections_view


def test_the_memory_line_stands_first_as_one_formula(browser: Any) -> None:
    page = browser.open("/topics/d-head/").content.decode()
    line = page[page.index("memory-line__text") : page.index("</article>")]
    assert line.count("<math", 0, line.index("</div>")) == 1


def test_models_are_read_from_the_table_that_keys_are_computed_from(browser: Any) -> None:
    words = browser.text(browser.open("/topics/d-head/"))
    assert "Gemma-7B 3,072 16 16 256 4,096 ≠ 3,072" in words
    assert "BERT-base 768 12 12 64 768" in words
    assert "{{" not in words


def test_the_pipeline_has_seven_rows_with_shapes_and_what_happens_to_memory(browser: Any) -> None:
    words = browser.text(browser.open("/topics/d-head/"))
    assert re.search(r"3 transpose \( 2 , 12 , 4 , 64 \) new strides", words)
    assert re.search(r"5 merge \( 2 , 4 , 768 \) copied", words)


def test_pictures_stand_below_the_text_that_is_about_them(browser: Any) -> None:
    page = browser.open("/topics/d-head/").content.decode()
    sections = page.split('<details class="unfold" ')[1:]
    shown = {
        kind: re.sub(r"<[^>]*>", "", next(one for one in sections if f'<study-picture kind="{kind}"' in one))
        for kind in ("head_split", "saturation", "memory_tape")
    }
    assert "Five steps" in shown["head_split"][:200]
    assert "Why divide by" in shown["saturation"][:200]
    assert "Worked example" in shown["memory_tape"][:200]
    assert "Gemma-2 27B: sqrt(144) = 12.00" in shown["saturation"]
    assert "copied: 24,576 bytes" in shown["memory_tape"]
    drawn_at_once = [one for one in sections if one.partition(">")[0].endswith(" open")]
    assert sum(one.count("<study-picture") for one in drawn_at_once) <= 3, "a learner has three at a time"
    for kind, title in (("head_sharing", "What GQA"), ("roofline", "hardware"), ("config_museum", "In real")):
        assert title in next(one for one in sections if f'<study-picture kind="{kind}"' in one)[:400]
    assert "picture:" not in page


def test_a_picture_of_a_model_nobody_knows_any_more_leaves_the_text_alone() -> None:
    asked = "{{ picture: {kind: head_split, parameters: {model: no-such-model}} }}"
    section = {"kind": "deep_dive", "title": "Split", "markdown": asked, "html": "<p>as loaded</p>"}
    (view,) = sections_view([section])
    assert (view["html"], view["pictures"]) == ("<p>as loaded</p>", [])


def test_deep_sections_are_folded_and_reachable_from_the_contents(browser: Any) -> None:
    page = browser.open("/topics/d-head/").content.decode()
    contents = re.findall(r'<li><a href="#([^"]+)">', page)
    assert len(contents) > 12
    assert len(set(contents)) == len(contents)
    assert all(f'id="{anchor}"' in page for anchor in contents)
    assert len(re.findall(r'<details class="unfold"', page)) > 8
    assert len(re.findall(r'<details class="unfold"[^>]* open', page)) == 1


def test_sources_say_when_they_were_last_true(browser: Any) -> None:
    page = browser.open("/topics/d-head/").content.decode()
    sources = page[page.index('id="sources"') :]
    assert sources.count("As of 2026-11-30") > 5
    assert "https://arxiv.org/abs/1706.03762" in sources


def test_what_an_author_wrote_of_sources_and_the_list_of_keys_are_one_section() -> None:
    sections = [
        {"kind": "sources", "title": "Sources", "html": "<p>a</p>", "read_seconds": 1},
        {"kind": "sources", "title": "Sources", "html": "<ul></ul>", "read_seconds": 2},
    ]
    assert merged(sections) == [
        {"kind": "sources", "title": "Sources", "html": "<p>a</p><ul></ul>", "read_seconds": 3}
    ]


def test_two_sections_of_one_title_have_two_anchors() -> None:
    section = {"kind": "deep_dive", "title": "Why $\\sqrt{d_k}$", "html": "", "markdown": ""}
    assert [view["anchor"] for view in sections_view([section, section])] == ["why-d-k", "why-d-k-2"]


def test_a_table_that_names_a_model_nobody_knows_any_more_stands_as_it_was_loaded() -> None:
    section = {
        "kind": "model_table",
        "title": "Models",
        "markdown": "{{ models: bert-base, no-such-model }}",
        "html": "<table>as loaded</table>",
    }
    (view,) = sections_view([section])
    assert view["html"] == "<table>as loaded</table>"
    assert "models" not in view


def test_the_table_of_models_is_the_pages_own_and_tells_who_confirms_each_row(browser: Any) -> None:
    page = browser.open("/topics/d-head/")
    assert page.content.decode().count('class="model-table"') == 1
    assert "Gemma-7B 3,072 16 16 256 4,096 ≠ 3,072 two sources" in browser.text(page)
    assert browser.text(page).count("Gemma-7B 3,072 16") == 1


def test_what_is_asked_next_stands_with_its_approach_folded_away(browser: Any) -> None:
    page = browser.open("/topics/d-head/").content.decode()
    asked = page.partition('<details class="unfold unfold--asked">')[2]
    question = asked.partition("</summary>")[0]
    assert "You double the number of heads" in question
    assert "Approach" not in question
    assert page.count("unfold--asked") == page.count("<strong>Approach.</strong>") == 10


def test_the_topic_says_how_much_would_be_recalled(browser: Any) -> None:
    cards = Card.objects.count()
    assert f"Not started, {cards} cards." in browser.text(browser.open("/topics/d-head/"))
    browser.rate(browser.answer("bert-base-d-head", text="64"), 4)
    assert f"You would recall about 1 of {cards} today." in browser.text(browser.open("/topics/d-head/"))


def test_practising_a_topic_stays_within_it(browser: Any) -> None:
    other = Topic.objects.create(slug="other", deck=Topic.objects.get().deck, title="Other", position=9)
    Card.objects.filter(slug="more-than-eight-heads").update(topic=other)
    question = browser.open("/study/?topic=other")
    assert "You want more than 8 heads" in browser.text(question)
    following = browser.rate(browser.send(question, "/study/", text="12"), 4)
    assert following.redirect_chain[-1][0] == "/study/done/"


def test_today_counts_what_is_due_and_new_and_says_how_long_it_takes(browser: Any) -> None:
    words = browser.text(browser.open("/"))
    assert "20 cards, about 7 minutes" in words
    assert f"Not started, {Card.objects.count()} cards" in words
    assert "The last 14 days" in words


def test_three_topics_worth_a_look_begin_with_the_least_seen(browser: Any) -> None:
    deck, moved = Topic.objects.get().deck, Card.objects.exclude(slug="bert-base-d-head").order_by("slug")[:4]
    for number, card in enumerate(moved):
        topic = Topic.objects.create(
            slug=f"other-{number}", deck=deck, title=f"Other {number}", position=number + 2, sections=[{}]
        )
        Card.objects.filter(pk=card.pk).update(topic=topic)
    browser.rate(browser.answer("bert-base-d-head", text="64"), 4)
    words = browser.text(browser.open("/"))
    assert [name for name in ("Other 0", "Other 1", "Other 2", "Other 3", "how wide") if name in words] == [
        "Other 0",
        "Other 1",
        "Other 2",
    ]


def test_today_after_an_answer_has_a_day_in_a_row_and_one_bar(browser: Any) -> None:
    browser.rate(browser.answer("bert-base-d-head", text="64"), 4)
    page = browser.open("/")
    assert "1 day in a row" in browser.text(page)
    assert f"You would recall about 1 of {Card.objects.count()} today" in browser.text(page)
    assert len(re.findall(r'height="44.0"', page.content.decode())) == 1


def test_an_empty_shelf_says_so(ben: Any, client: Any) -> None:
    client.force_login(ben)
    assert "Nothing is due" in client.get("/").content.decode()
    assert "No topic is loaded yet" in client.get("/topics/").content.decode()


def section(kind: str, seconds: int) -> dict[str, Any]:
    return {"kind": kind, "title": kind, "html": "", "markdown": "", "read_seconds": seconds}


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ([("concept", 200)], "about 3 min to read"),
        ([("concept", 5)], "about 1 min to read"),
        (
            [("memory_line", 10), ("pipeline", 10), ("concept", 200), ("deep_dive", 280), ("limits", 61)],
            "about 4 min to read, 10 with everything open",
        ),
        (
            [("concept", 60), ("sources", 10), ("sources", 80), ("analogy", 600)],
            "about 1 min to read, 3 with everything open",
        ),
    ],
)
def test_the_time_to_read_is_that_of_what_stands_open_and_of_all(
    sections: list[tuple[str, int]], words: str
) -> None:
    assert reading_words([section(kind, seconds) for kind, seconds in sections]) == words


def test_what_all_takes_is_the_sum_of_what_the_sections_say(browser: Any) -> None:
    page = browser.open("/topics/d-head/")
    now, whole = map(
        int, re.search(r"about (\d+) min to read, (\d+) with everything open", browser.text(page)).groups()
    )
    closed = re.findall(
        r'<details class="unfold" id="[^"]*">.*?<span class="note">(?:picture, )?(\d+) min',
        page.content.decode(),
        re.DOTALL,
    )
    assert whole == now + sum(map(int, closed)) > now


def test_the_font_of_formulas_is_asked_for_before_the_first_paint(browser: Any) -> None:
    head = browser.open("/topics/d-head/").content.decode().partition("</head>")[0]
    assert re.search(r'<link rel="preload" href="[^"]*stix-two-math\.woff2" as="font"', head)
