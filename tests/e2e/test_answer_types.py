"""Every type of answer in a real browser, by keyboard alone: unreadable, wrong, right, and how it looks."""

import contextlib
import os
import re
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.answer_cards import BY_KIND, CARDS, AnswerCard, publish_in
from tests.e2e.conftest import Watched
from tests.e2e.test_looks import checked
from tests.serving import Service

pytestmark = pytest.mark.e2e

SIZES = [
    pytest.param({"viewport": {"width": 375, "height": 900}, "color_scheme": "dark"}, id="375-dark"),
    pytest.param({"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"}, id="1440-light"),
]
SHIFT = """window.shifted = 0;
new PerformanceObserver(list => list.getEntries().forEach(entry => {
  if (!entry.hadRecentInput) window.shifted += entry.value;
})).observe({ type: "layout-shift", buffered: true });"""
MOST_SHIFT = 0.02
SHIPPED = (
    "cache-as-a-formula",
    "formula-of-one-head",
    "write-the-split",
    "einsum-of-the-scores",
    "heads-that-fit",
    "three-configurations",
    "why-scores-are-scaled",
    "why-64-or-128-written",
)
WORKER_S = 60_000  # ms until a worker that starts has run a program
Keys = Callable[[Page, AnswerCard, dict[str, object]], None]


@pytest.fixture(scope="session")
def asking(service: Service) -> Service:
    """The service, with a card of every type."""
    publish_in(service)
    return service


def attempts(service: Service) -> int:
    """How many answers the service keeps."""
    found = service.var / "studyhub.sqlite3"
    with closing(sqlite3.connect(f"file:{found}?mode=ro", uri=True)) as rows:
        return int(rows.execute("SELECT count(*) FROM study_attempt").fetchone()[0])


def tab_to(page: Page, selector: str) -> None:
    """Tab until this has focus."""
    for _ in range(60):
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {selector}")


def typed(page: Page, text: str) -> None:
    """The field that has focus holds this text and nothing else."""
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    for number, line in enumerate(text.split("\n")):
        if number:
            page.keyboard.press("Enter")
        page.keyboard.type(line)


def one_line(page: Page, card: AnswerCard, fields: dict[str, object]) -> None:
    expect(page.locator("[name=text]:visible")).to_be_focused()
    typed(page, str(fields["text"]))
    page.keyboard.press("Enter")


def lines(page: Page, card: AnswerCard, fields: dict[str, object]) -> None:
    expect(page.locator("[name=text]:visible")).to_be_focused()
    typed(page, str(fields["text"]))
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")


def cells(page: Page, card: AnswerCard, fields: dict[str, object]) -> None:
    """Tab goes from cell to cell in reading order."""
    page.locator(f"[name='{next(iter(fields))}']").focus()
    for number, (name, text) in enumerate(fields.items()):
        if number:
            page.keyboard.press("Tab")
        expect(page.locator(f"[name='{name}']")).to_be_focused()
        typed(page, str(text))
    page.keyboard.press("Enter")


def letters(page: Page, card: AnswerCard, fields: dict[str, object]) -> None:
    """Each option by the letter it stands under."""
    for row in page.locator("label.choice:has(input:checked) kbd").all_inner_texts():
        page.keyboard.press(row.lower())
    wanted = fields.get("choices", [])
    assert isinstance(wanted, list)
    for one in wanted:
        row = page.locator(f"label.choice:has(input[value='{one}'])")
        page.keyboard.press(row.locator("kbd").inner_text().lower())
        expect(row.locator("input")).to_be_checked()
    page.keyboard.press("Enter")


def moves(page: Page, card: AnswerCard, fields: dict[str, object]) -> None:
    """Rows by Alt and arrows, those left out to below the line."""
    ids = {name.removeprefix("place-"): str(place) for name, place in fields.items()}
    kept = sorted((one for one in ids if ids[one] != "out"), key=lambda one: int(ids[one]))
    order = "rows => rows.map(row => row.dataset.id || 'line')"
    wanted = [*kept, "line", *(one for one in ids if ids[one] == "out")]
    for place, name in enumerate(wanted):
        if name == "line":
            continue
        now = page.locator("study-ordering li").evaluate_all(order).index(name)
        page.locator(f"li[data-id='{name}']").focus()
        for _ in range(abs(now - place)):
            page.keyboard.press("Alt+ArrowUp" if now > place else "Alt+ArrowDown")
    assert page.locator("study-ordering li").evaluate_all(order) == wanted
    tab_to(page, "button[name=check]")
    page.keyboard.press("Enter")


HOW: dict[str, Keys] = {
    "words": one_line,
    "einsum": one_line,
    "formula": one_line,
    "matrix_formula": one_line,
    "program": lines,
    "multi_choice": letters,
    "ordering": moves,
    "table": cells,
    "cloze": cells,
    "rubric": lines,
}


def ticked(page: Page, *ids: str) -> None:
    """Ticks by Tab and Space, then counts them."""
    expect(page.locator(".ticks")).to_be_visible()
    for one in ids:
        tab_to(page, f"input[value='{one}']")
        page.keyboard.press("Space")
    tab_to(page, "button[name=tick]")
    page.keyboard.press("Enter")


def opened(page: Page, service: Service, card: AnswerCard) -> None:
    page.goto(f"{service.url}/study/?card={card.slug}")
    expect(page.locator("study-card")).to_be_visible()
    if card.kind not in ("multi_choice", "ordering"):
        expect(page.locator("form.answer :focus")).to_be_visible()


def seen(page: Page, name: str, shots: Path, request: pytest.FixtureRequest) -> None:
    """As `checked`, and nothing has moved by itself since the page came."""
    assert page.evaluate("window.shifted") <= MOST_SHIFT, f"{name} moved"
    checked(page, name, shots, request)


def result(page: Page, begins: str) -> None:
    expect(page.locator("#result")).to_have_text(re.compile(f"^({begins})"), timeout=WORKER_S)


@pytest.mark.parametrize("watched", SIZES, indirect=True)
@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.kind)
def test_each_type_is_answered_by_keyboard_alone(
    page: Page,
    asking: Service,
    watched: Watched,
    card: AnswerCard,
    shots: Path,
    request: pytest.FixtureRequest,
) -> None:
    answer = HOW[card.kind]
    page.add_init_script(SHIFT)
    opened(page, asking, card)
    before = attempts(asking)
    if card.kind != "ordering":  # rows that move cannot share a place
        answer(page, card, card.unreadable)
        expect(page.get_by_role("alert")).to_contain_text("Nothing was counted.")
        assert attempts(asking) == before
        seen(page, f"unread-{card.kind}", shots, request)
    answer(page, card, card.wrong)
    if card.waits == "ticks":
        ticked(page, "law")
    result(page, "Not yet|Partly")
    expect(page.get_by_text(re.compile(f"mistake: {card.mistake}", re.IGNORECASE)).first).to_be_visible()
    assert attempts(asking) == before + 1
    page.wait_for_timeout(700)  # one step of motion
    seen(page, f"wrong-{card.kind}", shots, request)
    opened(page, asking, card)
    answer(page, card, card.right)
    if card.waits == "ticks":
        expect(page.locator(".ticks")).to_be_visible()
        seen(page, f"ticks-{card.kind}", shots, request)
        ticked(page, "kernels", "trade")
    result(page, "Right")
    seen(page, f"right-{card.kind}", shots, request)
    # The browser itself logs each 422; nothing else may be logged.
    watched.complaints[:] = [line for line in watched.complaints if "422" not in line]


@pytest.mark.parametrize("watched", SIZES, indirect=True)
def test_the_shipped_cards_of_each_type_look_right(
    page: Page, service: Service, shots: Path, request: pytest.FixtureRequest
) -> None:
    page.add_init_script(SHIFT)
    for slug in SHIPPED:
        page.goto(f"{service.url}/study/?card={slug}")
        expect(page.locator("study-card")).to_be_visible()
        seen(page, f"shipped-{slug}", shots, request)
        page.locator("button[name=reveal]").click()
        result(page, "Not yet")
        checked(page, f"shipped-{slug}-shown", shots, request)


@pytest.mark.parametrize("kind", ["formula", "matrix_formula", "einsum"])
def test_a_formula_is_read_while_it_is_typed_and_where_it_cannot_be_read_is_marked(
    page: Page, asking: Service, watched: Watched, kind: str
) -> None:
    card = BY_KIND[kind]
    opened(page, asking, card)
    typed(page, str(card.right["text"]))
    expect(page.locator("study-echo math")).to_be_visible()
    typed(page, str(card.unreadable["text"]))
    expect(page.locator("study-echo mark.at")).to_be_visible()
    watched.complaints[:] = [line for line in watched.complaints if "422" not in line]


def test_lines_are_numbered_and_parsed_and_tab_stays_until_escape(
    page: Page, asking: Service, watched: Watched
) -> None:
    opened(page, asking, BY_KIND["program"])
    typed(page, "x = q.view(2, 4, 12, 64)\nx.transpose(1, 2)")
    expect(page.locator(".code-field__numbers span")).to_have_text(["1", "2"])
    expect(page.locator("study-echo")).to_contain_text("Parses: 2 lines")
    typed(page, "x = q.view(2, 4, 12, 64)\nx.tranpose((1, 2)")
    expect(page.locator("study-echo")).to_contain_text("Line 2")
    expect(page.locator(".code-field__numbers .at")).to_have_text("2")
    page.keyboard.press("Tab")
    expect(page.locator("textarea")).to_be_focused()
    expect(page.locator("textarea")).to_have_value(re.compile("    $"))
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.locator("button[name=check]")).to_be_focused()
    watched.complaints[:] = [line for line in watched.complaints if "422" not in line]


def test_lines_that_wait_for_a_worker_get_their_verdict_on_the_same_page(page: Page, asking: Service) -> None:
    card = BY_KIND["program"]
    opened(page, asking, card)
    with stopped(asking, "celery"):
        lines(page, card, {"text": "q.view(2, 4, 12, 64).swapaxes(1, 2)"})
        result(page, "Not graded yet: your lines are still to be run")
        expect(page.locator("study-pending")).to_contain_text("Your answer is saved.")
        expect(page.locator("rating-bar button")).to_have_count(4)
    result(page, "Right")
    expect(page.locator("#result")).to_be_focused()


@contextlib.contextmanager
def stopped(service: Service, word: str) -> Iterator[None]:
    """Those children of the service do nothing meanwhile."""
    found = service.children(word)
    assert found
    for pid in found:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in found:
            os.kill(pid, signal.SIGCONT)


def test_a_cell_says_on_focus_how_it_is_read(page: Page, asking: Service) -> None:
    opened(page, asking, BY_KIND["table"])
    page.keyboard.type("4*3")
    expect(page.locator("study-echo")).to_have_text(
        re.compile("num_heads of BERT-base: Read as 4 ?× ?3 ?= ?12")
    )
    page.keyboard.press("Tab")
    expect(page.locator("study-echo")).to_have_text("")


@pytest.mark.parametrize("watched", [{"java_script_enabled": False}], indirect=True)
@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.kind)
def test_each_type_is_answered_without_a_script(page: Page, asking: Service, card: AnswerCard) -> None:
    opened(page, asking, card)
    for name, value in card.right.items():
        if isinstance(value, list):
            for one in value:
                page.locator(f"[name='{name}'][value='{one}']").check()
        elif name.startswith("place-"):
            page.locator(f"[name='{name}']").select_option(value)
        else:
            page.locator(f"[name='{name}']:visible").fill(value)
    page.get_by_role("button", name=re.compile("^Check")).click()
    if card.waits == "ticks":
        page.locator("[value=kernels]").check()
        page.locator("[value=trade]").check()
        page.get_by_role("button", name="Count the points").click()
    for _ in range(60):
        if not page.get_by_role("link", name="Look again").count():
            break
        page.wait_for_timeout(1000)
        page.get_by_role("link", name="Look again").click()
    result(page, "Right")
