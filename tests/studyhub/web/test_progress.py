"""Progress: figures with their numbers, each chart with a table, all of one's lines as a file."""

import csv
import re
import uuid
from datetime import date, datetime, timedelta
from io import StringIO
from itertools import pairwise
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client
from django.utils import timezone

from cards.models import Card, Deck, Topic
from studyhub.study import rollups
from studyhub.study.models import Attempt, Interview, Learner, Memory, Review, learner_of
from studyhub.study.statistics.calibration import Calibration, PromiseBin
from studyhub.study.statistics.days import DayAnswers
from studyhub.study.statistics.forecast import DayDue, Forecast
from studyhub.study.statistics.shares import Share
from studyhub.web import charts, progress_said, progress_tables, reviews_file
from studyhub.web.calendar_drawing import calendar
from studyhub.web.reviews_file import COLUMNS
from tests.studyhub.web.conftest import Browser

DAY = timedelta(days=1)
MONDAY = date(2026, 11, 30)


@pytest.fixture
def learner(browser: Browser, ben: Any) -> Learner:
    """Ben after some answers: one card past learning with promises, one in steps."""
    learner, (card, other, *_) = learner_of(ben), Card.objects.filter(state="published").order_by("pk")
    now = timezone.now()
    assert card.published_version
    for ago, rating, promised in ((9, 3, 0), (8, 3, 971), (5, 1, 902), (4, 3, 911), (1, 3, 884)):
        _line(learner, card, at=now - ago * DAY, rating=rating, promised=promised)
    _line(learner, other, at=now - DAY, rating=1, state="new", interval=0)
    rollups.rewrite(learner)
    for one, state, lapses in ((card, "review", 8), (other, "learning", 0)):
        Memory.objects.create(
            learner=learner, card=one, state=state, stability=4.0, difficulty=5.0, due=now + 2 * DAY,
            last_review=now - DAY, last_study_day=(now - DAY).date(), lapses=lapses, tested=4, recalled=3,
        )  # fmt: skip
    Attempt.objects.create(
        learner=learner, client_id=uuid.uuid4(), card_version=card.published_version, outcome="correct",
        confidence=70, created_at=now, body_digest="1",
    )  # fmt: skip
    return learner


def _topic() -> Topic:
    return Topic.objects.create(slug="one", title="One", deck=Deck.objects.create(slug="deck", title="Deck"))


def _line(
    learner: Learner, card: Card, *, at: datetime, rating: int, state: str = "review", **facts: int
) -> Review:
    return Review.objects.create(
        learner=learner,
        client_id=uuid.uuid4(),
        card=card,
        rating=rating,
        answered_at=at,
        received_at=at,
        study_day=at.date(),
        state_before=state,
        interval_before=facts.get("interval", 3),
        recall_before=facts.get("promised", 0),
        elapsed_ms=21_000,
    )


def test_a_new_learner_reads_what_will_be_here_and_how_to_begin(browser: Browser) -> None:
    page = browser.open("/progress/")
    assert "there are none yet" in browser.text(page)
    assert "Answer the first card" in browser.text(page)
    assert "<svg" not in page.content.decode().split("<main")[1]


def test_progress_is_in_the_bar_and_marked_as_here(browser: Browser) -> None:
    assert 'href="/progress/" aria-current="page"' in browser.open("/progress/").content.decode()
    assert 'href="/progress/">Progress' in browser.open("/").content.decode()


def test_the_page_tells_every_figure_with_its_number_and_period(browser: Browser, learner: Learner) -> None:
    said = browser.text(browser.open("/progress/"))
    since = f"since {(timezone.now() - 9 * DAY).day} "
    assert "recalled when they came due, of 5 answers " + since in said
    assert "80%" in said
    assert "It promised 92%, you recalled 75%. Too few answers to judge." in said
    assert "4 answers to cards past learning since" in said
    assert "2 reviews in 14 days, at most 2 in a day, before new cards." in said
    assert "Needs 64 answers after a day or more. You have 5." in said
    assert "1 answer with a word on how sure you were. Brier score 0.09" in said
    assert "What keeps slipping?" in said


def test_every_chart_has_a_table_with_a_caption_and_scopes(browser: Browser, learner: Learner) -> None:
    html = browser.open("/progress/").content.decode()
    assert html.count('class="switch"') == 5 == html.count('value="chart" checked')
    tables = re.findall(r"<table.*?</table>", html, re.DOTALL)
    assert len(tables) == 8  # one a chart, two for the promises, retention, leeches
    for table in tables:
        assert "<caption" in table
        assert table.count("<th ") == table.count('scope="col"') + table.count('scope="row"')
    assert "style=" not in html.split("<main")[1]


def test_charts_have_names_and_nothing_by_colour_alone(browser: Browser, learner: Learner) -> None:
    html = browser.open("/progress/").content.decode()
    drawn = re.findall(r'<svg class="(?:plot|bars|calendar__cells|strip)"[^>]*>', html)
    assert drawn
    assert all('role="img"' in one and ("aria-label=" in one or "aria-labelledby=" in one) for one in drawn)
    assert html.count("dot--hollow") >= 3  # all stand on fewer than ten answers


def test_the_day_of_the_interview_is_marked_while_it_is_near(browser: Browser, learner: Learner) -> None:
    interview = Interview.objects.create(learner=learner, day=timezone.now().date() + 5 * DAY)
    assert ">Interview</text>" in browser.open("/progress/").content.decode()
    Interview.objects.filter(pk=interview.pk).update(day=timezone.now().date() + 50 * DAY)
    assert ">Interview</text>" not in browser.open("/progress/").content.decode()


def test_the_file_has_every_line_as_it_was_written_and_nobody_elses(
    browser: Browser, learner: Learner, cy: Any
) -> None:
    card = Card.objects.filter(state="published").first()
    assert card is not None
    _line(learner_of(cy), card, at=timezone.now(), rating=4)
    Review.objects.create(
        learner=learner, client_id=uuid.uuid4(), card=card, kind="suspend", device="=1+1",
        answered_at=timezone.now(), received_at=timezone.now(), study_day=MONDAY,
    )  # fmt: skip
    answer = browser.client.get("/progress/reviews.csv")
    assert answer.streaming
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(StringIO(b"".join(answer).decode())))
    lines = list(Review.objects.filter(learner=learner).order_by("pk"))
    assert [row["id"] for row in rows] == [str(line.client_id) for line in lines]
    assert list(rows[0]) == list(COLUMNS)
    assert rows[1]["recall_before_per_mille"] == "971"
    assert datetime.fromisoformat(rows[0]["answered_at"]) == lines[0].answered_at
    assert (rows[-1]["kind"], rows[-1]["device"]) == ("suspend", "'=1+1")  # no formula of a spreadsheet


def test_the_file_is_whole_however_many_pages_it_takes(
    browser: Browser, learner: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = b"".join(browser.client.get("/progress/reviews.csv"))
    monkeypatch.setattr(reviews_file, "CHUNK", 2)
    parts = list(browser.client.get("/progress/reviews.csv"))
    assert len(parts) == 4  # the names, and six lines two by two
    assert b"".join(parts) == whole


@pytest.mark.django_db(transaction=True)
def test_the_file_streams_where_the_service_is_asynchronous(ben: Any) -> None:
    card = Card.objects.create(slug="one", topic=_topic())
    lines = [_line(learner_of(ben), card, at=timezone.now(), rating=3) for _ in range(3)]

    async def read() -> str:
        client = AsyncClient()
        await client.aforce_login(ben)
        answer: Any = await client.get("/progress/reviews.csv")
        return "".join([part.decode() async for part in answer])

    rows = list(csv.DictReader(StringIO(async_to_sync(read)())))
    assert [row["id"] for row in rows] == [str(line.client_id) for line in lines]


@pytest.mark.parametrize("address", ["/progress/", "/progress/reviews.csv"])
def test_progress_is_for_those_who_are_signed_in(db: None, address: str) -> None:
    assert Client().get(address).status_code == 302
    assert Client().post(address).status_code == 302


@pytest.mark.plain
@pytest.mark.parametrize(
    ("promised", "share", "said"),
    [
        (0.90, Share(330, 383), "It promised 90%, you recalled 86%. Slightly too hopeful."),
        (0.90, Share(280, 383), "It promised 90%, you recalled 73%. Too hopeful."),
        (0.80, Share(330, 383), "It promised 80%, you recalled 86%. Too cautious."),
        (0.82, Share(330, 383), "It promised 82%, you recalled 86%. Slightly too cautious."),
        (0.88, Share(330, 383), "It promised 88%, you recalled 86%. No further apart than chance allows."),
        (0.90, Share(3, 9), "It promised 90%, you recalled 33%. Too few answers to judge."),
    ],
)
def test_a_promise_is_judged_by_its_interval_not_by_its_mean(
    promised: float, share: Share, said: str
) -> None:
    assert progress_said.promise(Calibration((), promised, share, MONDAY)) == said


@pytest.mark.plain
def test_what_is_late_is_told_and_drawn_apart() -> None:
    days = tuple(DayDue(MONDAY + n * DAY, n % 3) for n in range(30))
    found = Forecast(7, days)
    assert progress_said.coming(found, 14) == (
        "13 reviews in 14 days, at most 2 in a day, before new cards. 7 more are late."
    )
    late, *bars = progress_tables.due_bars(found)
    assert (late.late, late.number, late.height) == (True, 7, charts.BARS_HEIGHT)
    assert [bar.number for bar in bars] == [day.due for day in days[:14]]
    marked = progress_tables.interview_bar(found, (late, *bars), MONDAY + 2 * DAY)
    assert marked == bars[2]


@pytest.mark.plain
def test_dots_stand_where_their_shares_are_and_labels_do_not_touch() -> None:
    bins = [
        PromiseBin(0.771, Share(4, 5)),
        PromiseBin(0.885, Share(142, 167)),
        PromiseBin(0.912, Share(147, 174)),
        PromiseBin(1.0, Share(30, 30)),
    ]
    plot = charts.calibration_plot(bins)
    xs, ys = ({tick.value: tick.at for tick in ticks} for ticks in (plot.xs, plot.ys))
    assert list(xs) == [100, 90, 80, 70]
    assert list(ys) == [100, 80, 60, 40, 20][: len(ys)]
    few, *_, whole = plot.dots
    assert (few.hollow, whole.hollow) == (True, False)
    assert (whole.x, whole.y) == (xs[100], ys[100])
    assert xs[70] < few.x < xs[80]
    assert few.y == ys[80]
    assert all(dot.high <= dot.y <= dot.low for dot in plot.dots)
    assert all(dot.high >= charts.TOP and dot.low <= charts.TOP + charts.HEIGHT for dot in plot.dots)
    assert abs(plot.dots[1].label_y - plot.dots[2].label_y) >= charts.LINE
    assert plot.end == (xs[100], ys[100])


@pytest.mark.plain
def test_the_calendar_begins_on_monday_and_darkens_with_answers() -> None:
    first = MONDAY - 7 * 25 * DAY
    days = [DayAnswers(first + n * DAY, n % 8, 10) for n in range(25 * 7 + 3)]
    drawn = calendar(days)
    assert len({cell.x for cell in drawn.cells}) == 26
    assert drawn.cells[0].day.weekday() == 0
    assert drawn.cells[-1].today
    assert {cell.level for cell in drawn.cells if not cell.answers} == {0}
    levels = sorted({(cell.answers, cell.level) for cell in drawn.cells})
    assert [level for _, level in levels] == sorted(level for _, level in levels)
    assert levels[-1][1] == 8
    names = [(month.day.month, month.x) for month in drawn.months]
    assert len(names) >= 6
    assert all(later[1] - earlier[1] >= 200 / 26 - 0.01 for earlier, later in pairwise(names))
    assert progress_said.weeks([DayAnswers(MONDAY, 0, 0)]) == "0 answers on 0 of 1 day."


@pytest.mark.plain
def test_since_names_the_year_only_where_it_is_another() -> None:
    assert progress_said.since(date(2026, 6, 1), MONDAY) == "since 1 June"
    assert progress_said.since(date(2024, 6, 1), MONDAY) == "since 1 June 2024"
    assert progress_said.since(None, MONDAY) == ""
