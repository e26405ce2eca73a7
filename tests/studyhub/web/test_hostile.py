"""Every field and every query parameter of the pages given nonsense: never a 500, never a row."""

from typing import Any
from urllib.parse import quote, quote_from_bytes

import pytest

from studyhub.study.models import Attempt, Learner, Review
from tests.sampling import chosen

NONSENSE = {
    "nul": b"\0",
    "nul inside": b"a\0b",
    "lone surrogate": b"\xed\xa0\x80",
    "no utf-8": b"\xff\xfe",
    "superscript": "²".encode(),
    "other digits": "١٢".encode(),
    "huge number": b"9" * 5000,
    "long text": b"x" * 20_000,
    "negative": b"-1",
    "float": b"1e999",
    "list": b"[1]",
    "object": b'{"a": 1}',
    "markup": b"<script>alert(1)</script>",
    "path": b"../../etc/passwd",
    "blank": b" ",
    "direction": "\u202e1".encode(),
}
NUMBERS = ("other digits", "negative", "float", "list", "direction")  # of these a text field can read some
HIDDEN = ["client_id", "card", "version", "variant_seed", "hints", "shown_at", "topic"]
CARDS = {
    "more-than-eight-heads": ["text", "choices", "order", "cell-a"],
    "shape-after-transpose": ["text"],
    "where-librarians-fail": ["choices"],
    "softmax-axis": ["choices"],
    "scale-for-heads-of-64": ["text"],
    "stride-after-transpose": ["text"],
    "pipeline-order": ["order", "place-view", "place-nothing"],
}
FORM = "application/x-www-form-urlencoded"


def encoded(fields: dict[str, Any], *, without: str = "") -> str:
    return "&".join(
        f"{name}={quote(str(value), safe='')}" for name, value in fields.items() if name != without
    )


def posted(browser: Any, address: str, body: str) -> int:
    return int(browser.client.post(address, body, content_type=FORM).status_code)


@pytest.fixture(params=NONSENSE)
def named(request: pytest.FixtureRequest) -> str:
    """What kind of nonsense."""
    return str(request.param)


@pytest.fixture
def nonsense(named: str) -> str:
    """That nonsense, percent-encoded as it would travel."""
    return quote_from_bytes(NONSENSE[named], safe="")


def test_no_field_of_an_answer_fails_or_leaves_a_row(browser: Any, named: str, nonsense: str) -> None:
    for card, fields in CARDS.items():
        form = {**browser.hidden(browser.open(f"/study/?card={card}"), "/study/"), "text": ""}
        for field in [*fields, *HIDDEN]:
            if (field == "text" and named in NUMBERS) or not chosen(card, field, named):
                continue
            sent = f"{encoded(form, without=field)}&{field}={nonsense}"
            assert posted(browser, "/study/", sent) in (400, 404, 422), (card, field)
            assert posted(browser, "/study/", f"{sent}&hint=1") in (200, 400, 404), (card, field)
    assert Attempt.objects.count() == 0


@pytest.mark.parametrize("named", NUMBERS)
def test_strange_numbers_are_answers_or_unreadable(browser: Any, nonsense: str) -> None:
    for card in ("more-than-eight-heads", "shape-after-transpose"):
        form = browser.hidden(browser.open(f"/study/?card={card}"), "/study/")
        assert posted(browser, "/study/", f"{encoded(form)}&text={nonsense}") in (302, 422), card


def test_no_flag_of_an_answer_fails(browser: Any, nonsense: str) -> None:
    for flag in ("single", "reveal", "check", "hint", "time_zone"):
        form = browser.hidden(browser.open("/study/?card=more-than-eight-heads"), "/study/")
        sent = f"{encoded({**form, 'text': '12'}, without=flag)}&{flag}={nonsense}"
        assert posted(browser, "/study/", sent) in (200, 302), flag
    assert Learner.objects.get(user__username="ben").time_zone == "UTC"


def test_no_name_of_a_field_fails(browser: Any, nonsense: str) -> None:
    form = browser.hidden(browser.open("/study/?card=pipeline-order"), "/study/")
    for prefix in ("place-", "cell-", ""):
        assert posted(browser, "/study/", f"{encoded(form)}&{prefix}{nonsense}=1") == 422, prefix
    assert Attempt.objects.count() == 0


def test_no_field_of_a_rating_leaves_a_row(browser: Any, nonsense: str) -> None:
    form = {
        **browser.hidden(browser.answer("more-than-eight-heads", text="10"), "/study/rate/"),
        "rating": "3",
    }
    for field in ("client_id", "attempt", "rating"):
        sent = f"{encoded(form, without=field)}&{field}={nonsense}"
        assert posted(browser, "/study/rate/", sent) in (400, 404), field
    assert Review.objects.count() == 0


def test_no_field_of_an_undo_leaves_a_row(browser: Any, nonsense: str) -> None:
    rated = browser.rate(browser.answer("more-than-eight-heads", text="10"), 3)
    form = browser.hidden(rated, "/study/undo/")
    for field in ("client_id", "review"):
        sent = f"{encoded(form, without=field)}&{field}={nonsense}"
        assert posted(browser, "/study/undo/", sent) in (400, 404), field
    assert Review.objects.count() == 1


def test_a_rating_counts_whatever_the_browser_says_of_its_zone(browser: Any, nonsense: str) -> None:
    form = {
        **browser.hidden(browser.answer("more-than-eight-heads", text="10"), "/study/rate/"),
        "rating": "3",
    }
    sent = f"{encoded(form, without='time_zone')}&time_zone={nonsense}"
    assert posted(browser, "/study/rate/", sent) == 302
    assert Review.objects.get().time_zone == "UTC"


def test_no_query_parameter_brings_a_page_down(browser: Any, nonsense: str) -> None:
    result = browser.answer("more-than-eight-heads", text="10").redirect_chain[-1][0]
    for address in ("/study/?topic=", "/study/?card=", "/study/?attempt="):
        assert browser.client.get(f"{address}{nonsense}").status_code in (302, 404), address
    for address in (f"{result}&try=", f"{result}&notice=", "/?here=", "/topics/?here="):
        assert browser.client.get(f"{address}{nonsense}").status_code == 200, address
    for address in (f"/topics/{nonsense}/", f"/{nonsense}/"):
        assert browser.client.get(address).status_code == 404, address


@pytest.mark.parametrize("parameter", ["topic", "card", "attempt"])
@pytest.mark.parametrize("value", ["%00", "a%00b", "a/b", "%ED%A0%80", "x" * 5000])
def test_what_can_be_no_name_is_missing(browser: Any, parameter: str, value: str) -> None:
    assert browser.client.get(f"/study/?{parameter}={value}").status_code == 404


@pytest.mark.parametrize("address", ["/study/", "/study/rate/", "/study/undo/"])
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", FORM),
        (b'{"text": "12"}', "application/json"),
        (b"\xff\x00", "text/plain"),
        (b"--x\r\nnot a part", "multipart/form-data; boundary=x"),
        (b"x", "multipart/form-data"),
        (b"text=1" + b"&a=1" * 2000, FORM),
    ],
)
def test_a_body_of_another_kind_is_refused(browser: Any, address: str, body: bytes, kind: str) -> None:
    assert browser.client.post(address, body, content_type=kind).status_code in (400, 413)
    assert Attempt.objects.count() == 0
