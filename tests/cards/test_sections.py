"""A topic's section as the page gets it."""

import pytest

from cards.sections import SectionText, follow_ups, section_json

pytestmark = pytest.mark.plain

ASKED = """\
### Why not one *big* head?

**Approach.** One softmax.

```
### not a question
```

#### At what width?

##### And then?

Deeper.

### Next?

Yes: $d_k$.
"""


def test_follow_up_questions_stand_apart_from_their_approaches_and_nest() -> None:
    first, last = follow_ups(ASKED)
    assert first["question_html"] == "Why not one <em>big</em> head?"
    assert "One softmax." in first["approach_html"]
    assert "### not a question" in first["approach_html"]
    (width,) = first["items"]
    assert (width["question_html"], width["approach_html"]) == ("At what width?", "")
    assert width["items"][0]["approach_html"] == "<p>Deeper.</p>\n"
    assert "<math>" in last["approach_html"]
    assert last["items"] == []


def test_a_question_may_skip_a_level() -> None:
    assert [one["question_html"] for one in follow_ups("##### deep\n### up")] == ["deep", "up"]


def test_only_follow_ups_have_items_and_all_keep_the_whole_text() -> None:
    asked = section_json(SectionText("follow_ups", "Next", ASKED))
    assert len(asked["items"]) == 2
    assert "One softmax." in asked["html"]
    assert "items" not in section_json(SectionText("rule", "Rule", "### A heading"))


def test_text_before_the_first_question_is_refused() -> None:
    with pytest.raises(ValueError, match="begin with a question"):
        follow_ups("Some words.\n\n### Why?")


def test_no_questions_give_no_items() -> None:
    assert follow_ups("\n") == []
