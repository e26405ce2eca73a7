"""Cells and gaps: each by its own type, credit for what follows, and values in each other's place."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine.configs import model
from cards.answer_types import table
from cards.answer_types._gaps import Gap, pieces_of
from cards.answering import grade, key_text, question_input
from cards.grading import Question, Response
from cards.keys import KeyProblem
from cards.lint import lint_card
from tests.sampling import tries

pytestmark = pytest.mark.plain

BERT = {
    "columns": ["d_model", "num_heads", "d_head", "divisor"],
    "rows": [
        {
            "title": "BERT-base",
            "cells": [
                {"given": "768"},
                {"id": "heads", "type": "numeric", "key": {"compute": "num_heads", "model": "bert-base"}},
                {
                    "id": "width", "type": "numeric", "weight": 2,
                    "key": {"compute": "head_width", "d_model": 768, "num_heads": {"cell": "heads"}},
                },
                {"id": "root", "type": "numeric", "tolerance": {"relative": 0.01},
                 "key": {"compute": "scale_divisor", "d_head": {"cell": "width"}}},
            ],
        }
    ],
}  # fmt: skip
MISTAKES = [
    {
        "name": "kept_the_width",
        "cell": "root",
        "key": {"cell": "width"},
        "says": "{answer} is the width; take its root.",
    },
    {"name": "ten_is_round", "cell": "heads", "key": 10, "says": "{answer} does not divide 768."},
    {"name": "exchanged", "swapped": ["heads", "width"], "says": "12 heads of 64, and not 64 heads of 12."},
]
RIGHT = {"heads": "12", "width": "64", "root": "8"}


@pytest.fixture
def bert(card):
    def built(mistakes=MISTAKES, **answer):
        return card("table", answer={**BERT, **answer}, mistakes=mistakes, prompt="Fill in.")

    return built


def part(found, name):
    return next(one for one in found.parts if one.id == name)


def test_every_cell_right_is_correct(bert):
    found = grade(bert(), 0, {"cells": {"heads": "12", "width": "768/12", "root": "sqrt(64)"}})
    assert (found.outcome, found.score, found.mistake, found.feedback) == ("correct", 1.0, "", "")
    assert found.key_text == "num_heads of BERT-base: 12; d_head of BERT-base: 64; divisor of BERT-base: 8"
    assert found.read_as == "3 of 3 filled in"


def test_the_share_is_weighted(bert):
    assert grade(bert(), 0, {"cells": {"heads": "13", "width": "64", "root": "8"}}).score == 0.75
    found = grade(bert(), 0, {"cells": {"heads": "12", "width": "59", "root": "8"}})
    assert (found.outcome, found.score, found.title) == ("partial", 0.5, "2 of 3 right")
    assert found.feedback.startswith("d_head of BERT-base: 59 is 5 less than 64.")


def test_what_follows_from_the_learners_own_value_counts_in_full(bert):
    found = grade(bert(), 0, {"cells": {"heads": "16", "width": "48", "root": "6.93"}})
    assert (found.outcome, found.score) == ("partial", 0.75)
    assert (part(found, "width").outcome, part(found, "width").title) == ("correct", "follows from your 16")
    assert part(found, "width").key_text == "64"
    assert part(found, "root").title == "follows from your 48"
    assert "d_head of BERT-base follows from your 16" in found.notes
    assert part(found, "heads").outcome == "incorrect"


def test_a_width_that_is_not_whole_may_follow_too(bert):
    found = grade(bert(), 0, {"cells": {"heads": "10", "width": "76.8"}})
    assert part(found, "width").title == "follows from your 10"
    assert (found.mistake, found.title) == ("ten_is_round", "ten is round")
    assert found.feedback == "num_heads of BERT-base: 10 does not divide 768. 1 of 3 right."


def test_the_right_value_beside_a_wrong_one_counts_as_well(bert):
    found = grade(bert(), 0, {"cells": {"heads": "10", "width": "64", "root": "8"}})
    assert [one.outcome for one in found.parts] == ["incorrect", "correct", "correct"]


def test_nothing_follows_from_an_empty_cell_or_from_a_right_one(bert):
    assert part(grade(bert(), 0, {"cells": {"width": "48", "root": "9"}}), "width").outcome == "incorrect"
    assert part(grade(bert(), 0, {"cells": {"heads": "12", "width": "48"}}), "width").outcome == "incorrect"


@pytest.mark.parametrize("heads", ["0", "-3", "10^30", "1/3000000000", "10^600"])
def test_a_value_that_no_key_takes_leads_nowhere(bert, heads):
    found = grade(bert(), 0, {"cells": {"heads": heads, "width": "0", "root": "8"}})
    assert [one.outcome for one in found.parts] == ["incorrect", "incorrect", "correct"]


def test_a_mistake_made_with_the_learners_own_value_is_named(bert):
    found = grade(bert(), 0, {"cells": {"heads": "16", "width": "48", "root": "48"}})
    assert part(found, "root").mistake == "kept_the_width"
    assert part(found, "root").feedback.startswith("48 is the width")


def test_right_values_in_each_others_cells_earn_nothing_though_one_follows_from_the_other(bert):
    found = grade(bert(mistakes=MISTAKES[:2]), 0, {"cells": {"heads": "64", "width": "12", "root": "8"}})
    assert (found.outcome, found.score, found.mistake) == ("partial", 0.25, "cells_swapped")
    assert found.title == "two values are swapped"
    assert found.feedback == (
        "num_heads of BERT-base is 12 and d_head of BERT-base is 64; "
        "they stand in each other's fields. 1 of 3 right."
    )
    assert (part(found, "heads").title, part(found, "heads").mistake) == (
        "the value of d_head of BERT-base",
        "cells_swapped",
    )


def test_a_card_may_name_a_swap_itself(bert):
    found = grade(bert(), 0, {"cells": {"heads": "64", "width": "12", "root": "8"}})
    assert (found.mistake, found.title) == ("exchanged", "exchanged")
    assert found.feedback.startswith("12 heads of 64")


def test_cells_of_other_types_can_be_swapped_too(card):
    def words(name, key):
        return {"id": name, "type": "words", "key": key}

    def chosen(name, right):
        options = [{"id": one, "text": one, "correct": one == right, "mistake": "m"} for one in "abc"]
        return {"id": name, "type": "choice", "options": options}

    for cells, texts in [
        ([words("row", "queries"), words("column", "keys")], {"row": "the keys", "column": "Queries"}),
        ([chosen("row", "a"), chosen("column", "b")], {"row": "b", "column": "a"}),
    ]:
        version = card("table", answer={"columns": ["is", "was"], "rows": [{"cells": cells}]}, mistakes=[])
        assert grade(version, 0, {"cells": texts}).mistake == "cells_swapped"


def test_an_empty_cell_is_wrong_and_said(bert):
    found = grade(bert(), 0, {"cells": {"heads": "12", "width": " \u200b", "root": "8"}})
    assert (part(found, "width").outcome, part(found, "width").title) == ("incorrect", "left empty")
    assert found.feedback == "d_head of BERT-base is left empty. 2 of 3 right."
    assert found.place is None


@pytest.mark.parametrize("cells", [{}, {"heads": "", "width": "  "}, {"heads": "\u200b"}, {"heads": "\x00"}])
def test_an_empty_table_is_unreadable(bert, refusal, cells):
    assert refusal(grade, bert(), 0, {"cells": cells}).field == "cells"


def test_a_cell_that_is_not_asked_is_unreadable(bert, refusal):
    assert (
        "load the question again" in refusal(grade, bert(), 0, {"cells": {**RIGHT, "foreign": "1"}}).message
    )


def test_the_first_cell_that_cannot_be_read_is_told_with_its_place(bert, refusal):
    problem = refusal(grade, bert(), 0, {"cells": {"root": "8 ?", "width": "6 + ?", "heads": "12"}})
    assert (problem.field, problem.offset) == ("cells.width", 4)


def test_the_place_of_a_fault_is_in_its_cell(bert):
    found = grade(bert(), 0, {"cells": {**RIGHT, "width": "2 * 31"}})
    assert (found.place.field, found.place.start, found.place.end) == ("cells.width", 0, 6)


def test_what_is_shown_holds_labels_and_no_key(bert):
    shown = question_input(bert())["table"]
    assert [one["text"] for one in shown["columns"]] == BERT["columns"]
    (row,) = shown["rows"]
    assert row["text"] == "BERT-base"
    assert [one["id"] for one in row["cells"]] == ["", "heads", "width", "root"]
    assert row["cells"][0]["text"] == "768"
    assert row["cells"][2]["label"] == "d_head of BERT-base"
    assert not re.search(r"\b(12|64|8)\b", str(row["cells"][1:]))


def test_a_cell_is_read_as_its_type_reads_it(bert):
    assert table.read_cell(Question(BERT, MISTAKES), "width", "768/12").read_as == "Read as 768 / 12 = 64"


def test_a_card_with_a_table_lints_clean_and_names_its_mistakes(bert):
    assert [str(problem) for problem in lint_card(bert())] == []


def test_lint_tells_mistakes_that_belong_to_no_cell(bert):
    lost = [{"name": "lost", "says": "x"}, {"name": "half", "swapped": ["heads"], "says": "x"}]
    found = "\n".join(map(str, lint_card(bert(mistakes=lost))))
    assert "mistake lost: give it cell: ID or swapped: [ID, ID]" in found
    assert "mistake half: give it cell: ID or swapped: [ID, ID]" in found


def _one_cell(**cell):
    return {
        "columns": ["x"],
        "rows": [
            {
                "cells": [
                    {
                        "id": "a",
                        "type": "numeric",
                        "key": {"compute": "d_model", "model": "bert-base"},
                        **cell,
                    }
                ]
            }
        ],
    }


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"columns": []}, "needs columns"),
        ({"rows": []}, "needs rows"),
        ({"rows": [{"title": "x"}]}, "row 1 needs cells"),
        ({"columns": ["x", "y"], "rows": [{"cells": [{"given": "1"}]}]}, "1 cells for 2 columns"),
        ({"columns": ["x"], "rows": [{"cells": [{"given": "1"}]}]}, "1 to 64 cells to fill in, not 0"),
        (_one_cell(id="1a"), "needs an id"),
        (_one_cell(type="program"), "its type is one of numeric"),
        (_one_cell(type=["numeric"]), "its type is one of numeric"),
        (_one_cell(weight=0), "weight is a number above 0"),
        (_one_cell(weight=float("nan")), "weight is a number above 0"),
        (_one_cell(mistakes="none"), "mistakes are a list"),
        (_one_cell(key={"cell": "b"}), "no cell b; there are: a"),
        (_one_cell(key={"cell": "a"}), "cells need each other: a"),
        ({"rows": _one_cell()["rows"] * 2, "columns": ["x"]}, "an id of its own"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_asked_breaks_the_card(bert, answer, words):
    with pytest.raises(KeyProblem, match=words):
        key_text(bert(mistakes=[], **answer))
    assert grade(bert(mistakes=[], **answer), 0, {"cells": {"a": "1"}}).outcome == "undecided"


def test_a_whole_key_may_be_another_cell_and_nested_ones_too(card):
    def cell(name, key):
        return {"id": name, "type": "numeric", "key": key}

    heads = {"compute": "num_heads", "model": "gpt-2-small"}
    nested = {
        "compute": "inner_width",
        "d_model": {"compute": "inner_width", "d_model": 768, "num_heads": {"cell": "b"}},
        "num_heads": {"cell": "a"},
    }
    answer = {
        "columns": ["x", "y", "z"],
        "rows": [{"cells": [cell("b", {"cell": "a"}), cell("a", heads), cell("c", nested)]}],
    }
    version = card("table", answer=answer, mistakes=[])
    assert grade(version, 0, {"cells": {"a": "12", "b": "12", "c": "768"}}).outcome == "correct"
    found = grade(version, 0, {"cells": {"a": "16", "b": "16", "c": "768"}})
    assert [one.outcome for one in found.parts] == ["correct", "incorrect", "correct"]
    assert found.parts[0].title == "follows from your 16"


@settings(max_examples=tries(100), deadline=None)
@given(st.integers(1, 400), st.integers(1, 400))
def test_a_wrong_number_of_heads_costs_its_own_cell_and_no_other(heads, other):
    question = Question(BERT)
    cells = {"heads": str(heads), "width": f"768/{heads}", "root": str(other)}
    found = table.grade(question, Response(cells=cells))
    swapped = heads == 64  # 768 / 64 is 12: the two right values in each other's cells
    outcomes = ["correct" if heads == 12 else "incorrect", "incorrect" if swapped else "correct"]
    assert [one.outcome for one in found.parts][:2] == outcomes


TEXT = "Scores are divided by {{root::\\sqrt{d_k}::a root}}, {{width}} for {{model::BERT-base}}."
GAPS = {
    "root": {"type": "formula", "symbols": ["d_k"]},
    "width": {"type": "numeric", "key": {"compute": "scale_divisor", "d_head": 64}, "hint": "a number"},
    "model": {"typos": 0, "accepts": ["BERT"], "weight": 0.5},
}


@pytest.fixture
def scores(card):
    def built(**answer):
        gaps = {name: one for name, one in GAPS.items() if name != "root"}
        text = TEXT.replace("{{root::\\sqrt{d_k}::a root}}", "a {{root::square root::one or two words}}")
        return card("cloze", answer={"text": text, "gaps": gaps, **answer}, mistakes=[], prompt="Fill in.")

    return built


def test_gaps_are_graded_each_by_its_type(scores):
    assert (
        grade(scores(), 0, {"cells": {"root": "Square root", "width": "8", "model": "bert"}}).outcome
        == "correct"
    )
    found = grade(scores(), 0, {"cells": {"root": "square", "width": "8", "model": "BERT-base"}})
    assert (found.score, found.feedback) == (
        0.6,
        "gap 1: You wrote `square`; the answer is `square root`. 2 of 3 right.",
    )


def test_the_pieces_of_a_cloze_are_shown_in_order_with_fields_of_a_width_of_their_type(scores):
    pieces = question_input(scores())["cloze"]["pieces"]
    assert [one["id"] for one in pieces] == ["", "root", "", "width", "", "model", ""]
    assert pieces[0]["text"] == "Scores are divided by a "
    assert [(one["type"], one["width"], one["hint"]) for one in pieces if one["id"]] == [
        ("words", 14, "one or two words"),
        ("numeric", 8, "a number"),
        ("words", 14, ""),
    ]
    assert "square" not in str(pieces)


def test_a_cloze_lints_clean_and_an_answer_in_the_text_has_to_be_the_key(scores):
    assert [str(problem) for problem in lint_card(scores())] == []
    text = "Divided by the {{root::square root}}, {{width::9}} for {{model::BERT-base}}."
    assert "gap width: '9' in the text is not its key" in "\n".join(map(str, lint_card(scores(text=text))))
    split = "Divided by $x {{root::square root}}$, {{width::8}} for {{model::BERT-base}}."
    assert "a gap stands inside a formula" in "\n".join(map(str, lint_card(scores(text=split))))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a {{b}} c", ["a ", Gap("b", "", ""), " c"]),
        ("{{b::x}}{{ c :: y :: z }}", [Gap("b", "x", ""), Gap("c", "y", "z")]),
        (TEXT[:52], ["Scores are divided by ", Gap("root", "\\sqrt{d_k}", "a root"), ", "]),
        (r"{{f::\frac{1}{\sqrt{d_k}}}}", [Gap("f", r"\frac{1}{\sqrt{d_k}}", "")]),
        (r"{{f::x^{a_{b}}::of {x}}}.", [Gap("f", r"x^{a_{b}}", "of {x}"), "."]),
        (r"{{set::\{1, 2\}}}", [Gap("set", r"\{1, 2\}", "")]),
        ("{{f::a{b::c}d::hint}}", [Gap("f", "a{b::c}d", "hint")]),
        ("no gap, {one} brace", ["no gap, {one} brace"]),
    ],
)  # fmt: skip
def test_braces_in_a_gap_may_nest(text, pieces):
    assert pieces_of(text) == pieces


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{{a", "never closed"),
        ("{{a} }", "never closed"),
        (r"{{a::\frac{1}{2}", "never closed"),
        (r"{{a::x\}}", "never closed"),
        ("{{a::{b}}", "never closed"),
        ("{{1 + 1}}", "a gap is"),
        ("{{}}", "a gap is"),
        ("{{a:b}}", "a gap is"),
        ("{{a::x[::2]::every other}}", "an answer that holds ::"),
        ("x" * 8001, "at most 8,000"),
    ],
)
def test_a_gap_that_is_none_or_never_closed_is_told(text, words):
    with pytest.raises(KeyProblem, match=re.escape(words)):
        pieces_of(text)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"text": 5}, "needs a text"),
        ({"text": "no gap"}, "gap root has no place|gap width has no place"),
        ({"text": "no gap", "gaps": {}}, "not 0"),
        ({"text": "{{a::b}} {{a::c}}", "gaps": {}}, "an id of its own"),
        ({"text": "{{a}}", "gaps": {}}, "neither an answer in the text nor a key"),
        ({"text": "{{a::8}}", "gaps": {"a": {"type": "numeric"}}}, "key"),
        ({"gaps": ["width"]}, "gaps is"),
    ],
)
def test_a_cloze_that_cannot_be_asked_breaks_the_card(scores, answer, words):
    with pytest.raises(KeyProblem, match=words):
        key_text(scores(**answer))


@settings(max_examples=tries(200), deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text("ab \\${}", max_size=4),
            st.builds(lambda inside: f"{{{{g::{inside}}}}}", st.text("x\\{}: ", max_size=6)),
        ),
        max_size=5,
    )
)
def test_taking_a_text_apart_ends_and_puts_together_what_it_left_over(parts):
    try:
        pieces = pieces_of("".join(parts))
    except KeyProblem:
        return
    assert all(not isinstance(piece, str) or "{{" not in piece for piece in pieces)
    gaps = [piece for piece in pieces if isinstance(piece, Gap)]
    assert all(gap.id == "g" for gap in gaps)
    assert len(gaps) <= "".join(parts).count("{{")


def test_sixty_four_wrong_cells_are_graded_at_once():
    row = [
        {"id": f"c{n}", "type": "numeric", "key": {"compute": "quotient", "d_model": 768 + n, "num_heads": 1}}
        for n in range(64)
    ]
    question = Question({"columns": ["x"] * 64, "rows": [{"cells": row}]})
    found = table.grade(question, Response(cells={f"c{n}": "1" for n in range(64)}))
    assert (found.outcome, len(found.parts)) == ("incorrect", 64)


MODELS = ("bert-base", "bert-large", "gpt-2-small", "gpt-3-175b", "llama-3-70b")
FIELDS = ("layers", "d_model", "num_heads", "num_kv_heads")


def _configurations() -> Question:
    """Five published models, every number asked for, the width of a head computed from two other cells."""

    def row(i, slug):
        cells = [{"id": f"{f}-{i}", "type": "numeric", "key": {"compute": f, "model": slug}} for f in FIELDS]
        of = {"d_model": {"cell": f"d_model-{i}"}, "num_heads": {"cell": f"num_heads-{i}"}}
        width = {"compute": "head_width", **of}
        return {"title": slug, "cells": [*cells, {"id": f"d_head-{i}", "type": "numeric", "key": width}]}

    rows = [row(i, slug) for i, slug in enumerate(MODELS)]
    return Question({"type": "table", "columns": [*FIELDS, "d_head"], "rows": rows})


def test_the_table_of_five_published_models_is_right_as_published_and_follows_each_slip():
    published = {
        f"{field}-{i}": str(getattr(model(slug), field))
        for i, slug in enumerate(MODELS)
        for field in (*FIELDS, "d_head")
    }
    assert table.grade(_configurations(), Response(cells=published)).outcome == "correct"
    for i, slug in enumerate(MODELS):
        heads = model(slug).num_heads * 8
        slip = {f"num_heads-{i}": str(heads), f"d_head-{i}": f"{model(slug).d_model}/{heads}"}
        found = table.grade(_configurations(), Response(cells={**published, **slip}))
        assert [part.id for part in found.parts if part.outcome != "correct"] == [f"num_heads-{i}"]
        assert part(found, f"d_head-{i}").title == f"follows from your {heads}"
