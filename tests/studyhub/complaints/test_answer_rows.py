"""Complaints about formulas that broke and right answers that were called wrong. Rows of srs.md."""

import re
import uuid

import pytest

from cards.markdown import render
from cards.models import Topic

from .acting import posted, told
from .authoring import authored

ROOT = r"\frac{1}{\sqrt{d_k}}"


def graded(api, text: str, answer: dict) -> str:
    """The outcome of an answer to a question written out."""
    body = {"answer_type": answer["type"], "answer": answer, "response": {"text": text}}
    response = api.post("grade", body)
    return response.json()["outcome"] if response.status_code == 200 else "unreadable"


def test_row_29_braces_of_a_formula_end_no_gap(api, topic):
    """anki#1012, #5434: `}}` inside a formula ended the cloze. Here a gap ends where its own braces close, so
    that the key, the hint and a formula in the text around it stay whole."""
    answer = {
        "type": "cloze",
        "text": "The scores $" + ROOT + " q k^T$ are scaled by {{factor::" + ROOT + "::in $d_k$}}, not less.",
        "gaps": {"factor": {"type": "formula", "symbols": ["d_k"]}},
    }
    card = authored(topic, "scaled", answer, prompt="Fill in the factor.")
    [asked] = told(api, "study/queue")
    before, gap, after = asked["input"]["cloze"]["pieces"]
    assert (gap["id"], after["text"]) == ("factor", ", not less.")
    html = before["html"]
    assert (html.count("<math>"), html.count("<mfrac>"), html.count("<msqrt>")) == (1, 1, 1)
    assert "}" not in html + gap["hint"] + after["html"]
    for text, outcome in (("1/sqrt(d_k)", "correct"), (ROOT, "correct"), ("1/d_k", "incorrect")):
        attempt = {"id": str(uuid.uuid4()), "card": str(card.uuid), "card_version": 1}
        told_of = posted(api, "attempts", attempt | {"response": {"cells": {"factor": text}}})
        assert told_of["grade"]["outcome"] == outcome, text


def test_row_30_the_api_gives_formulas_rendered_and_in_words(api, topic):
    """orbit#153: LaTeX was not rendered in a native client. Here every text comes as HTML with MathML in it,
    the question beside it as plain text, and no LaTeX is left for the client to make sense of."""
    section = {"kind": "rule", "title": "The rule", "html": render(f"${ROOT}$"), "read_seconds": 3}
    Topic.objects.filter(pk=topic.pk).update(sections=[section])
    formula = {"type": "formula", "key": "1/sqrt(d_k)", "symbols": ["d_k"]}
    wrong = {"name": "no_root", "key": "1/d_k", "says": r"The factor is $\frac{ 1 }{\sqrt{ d_k }}$."}
    question = r"By what is $\frac{q k^T}{\sqrt{d}}$ less than $q k^T$?"
    card = authored(topic, "factor", formula, prompt=question, mistakes=[wrong])
    [asked] = told(api, "study/queue")
    attempt = {"id": str(uuid.uuid4()), "card": str(card.uuid), "card_version": 1}
    grade = posted(api, "attempts", attempt | {"response": {"text": "1/d_k"}})["grade"]
    [shown] = told(api, "topics/d-head")["sections"]
    for html in (asked["prompt_html"], grade["feedback_html"], shown["html"]):
        assert html.count("<math>") == html.count("</math>") > 0
        assert "<mfrac>" in html
        assert "<msqrt>" in html
        assert not re.search(r"[\\$]", html)
    assert grade["read_as_mathml"].startswith("<math")
    assert not re.search(r"[\\$<>]", asked["prompt_text"])
    assert "sqrt(d)" in asked["prompt_text"]


@pytest.mark.parametrize(
    ("text", "liberties", "outcome"),
    [
        ("Batch", {}, "correct"),
        ("BATCH", {}, "correct"),
        ("batch", {"case": "keep"}, "correct"),
        ("Batch", {"case": "keep"}, "incorrect"),
        ("B", {"accepts": [{"key": "B", "case": "keep"}]}, "correct"),
        ("b", {"accepts": [{"key": "B", "case": "keep"}]}, "incorrect"),
        ("BATCH", {"accepts": [{"key": "B", "case": "keep"}]}, "correct"),
    ],
)
def test_row_33_case_counts_where_the_card_says_so_and_else_not(api, text, liberties, outcome):
    """anki#5168: the typed check told upper from lower case. Here words are the same in either, unless the
    card, or one accepted answer of it, keeps case, as names in code do."""
    assert graded(api, text, {"type": "words", "key": "batch", **liberties}) == outcome


def test_row_33_case_of_code_is_exact(api):
    """The same issue, the other way round: axes in an einsum and symbols of a formula are names."""
    product = {"type": "formula", "key": "W*w", "symbols": ["W", "w"]}
    assert [graded(api, text, product) for text in ("w*W", "W*W")] == ["correct", "incorrect"]
    summed = {"type": "einsum", "key": "b h q d, b h k d -> b h q k", "operands": ["Q", "K"]}
    renamed = ["b H q d, b H k d -> b H q k", "b h q d, b h k D -> b h q k"]
    assert [graded(api, text, summed) for text in renamed] == ["correct", "incorrect"]


SAME_WORDS = {
    "plain": "key-value cache",
    "no-break blank": "key-value\u00a0cache",
    "narrow no-break blank": "key-value\u202fcache",
    "blanks at the ends": "\u00a0 key-value cache \n",
    "two blanks": "key-value  cache",
    "hyphen": "key\u2010value cache",
    "no-break hyphen": "key\u2011value cache",
    "en dash": "key\u2013value cache",
    "em dash": "key\u2014value cache",
    "minus": "key\u2212value cache",
    "zero-width blank": "key-value\u200b cache",
    "byte order mark": "\ufeffkey-value cache",
    "direction": "\u202akey-value cache\u202c",
    "full width": "\uff4bey-value cache",
    "quoted": "\u201ckey-value cache\u201d",
    "full stop": "key-value cache.",
}


@pytest.mark.parametrize("name", SAME_WORDS)
def test_row_34_what_nobody_sees_makes_no_word_wrong(api, name):
    """ssricardo/anki-plugins#111, #69; SmarterTypeField#5: hidden no-break blanks, other dashes and a blank
    at the end made right answers wrong."""
    assert graded(api, SAME_WORDS[name], {"type": "words", "key": "key-value cache"}) == "correct"


@pytest.mark.parametrize(
    "text", ["key-value caches", "key value", "keyvalue cache", "cache key-value", "k-v cache"]
)
def test_row_34_another_word_stays_wrong(api, text):
    """The same issues: what is forgiven is spelling, never another answer."""
    assert graded(api, text, {"type": "words", "key": "key-value cache"}) == "incorrect"


def test_row_34_letters_and_numbers_are_the_same_in_every_encoding(api):
    """The same issues: a letter with its mark in one character or two, a minus that is a dash, other
    blanks."""
    cafe = {"type": "words", "key": "caf\u00e9"}
    assert [graded(api, text, cafe) for text in ("cafe\u0301", "CAFE\u0301 ", "cafe")][:2] == ["correct"] * 2
    number = {"type": "numeric", "key": {"compute": "d_model", "model": "gpt-3-175b"}}
    for text in (
        "12288",
        "12\u00a0288",
        "12\u202f288",
        "12,288",
        " 12288 ",
        "\uff11\uff12\uff12\uff18\uff18",
    ):
        assert graded(api, text, number) == "correct", text
    difference = {"type": "formula", "key": "q-k", "symbols": ["q", "k"]}
    for text in ("q-k", "q\u2212k", "q\u2013k", "q\u00a0\u2212 k\u200b", "-(k-q)"):
        assert graded(api, text, difference) == "correct", text
