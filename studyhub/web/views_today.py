"""Today and the list of topics: what to do next, in numbers. Counts nothing itself."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from cards.models import Card, Topic
from studyhub.study.asking.queue import (
    USUAL_SECONDS,
    Counts,
    counts,
    seconds_per_card,
    study_day_of,
)
from studyhub.study.models import Learner, Memory, learner_of
from studyhub.study.statistics.days import answers_by_day, days_in_a_row
from studyhub.study.statistics.topic import topic_recall
from studyhub.web import words
from studyhub.web.catch_up_said import catch_up_view
from studyhub.web.drawings import day_bars
from studyhub.web.interview_said import interview_line
from studyhub.web.rating_bar import undo_form
from studyhub.web.session import sitting_of

MOST_TOPICS = 3
SHORT_SECONDS = 180


@login_required
@require_safe
def today(request: HttpRequest) -> HttpResponse:
    """GET /: the day in one sentence, one button, the last fortnight, the topics."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    due, pace = counts(learner, now), seconds_per_card(learner, now)
    by_day, run = answers_by_day(learner, now), days_in_a_row(learner, now)
    day = study_day_of(learner, now)
    answers = sum(count for _, count in by_day)
    context = {
        "here": "today",
        "date": f"{day:%A} {day.day} {day:%B}",
        "heading": _heading(due, pace),
        "counts": due,
        "total": due.total,
        "short": due.total * pace > SHORT_SECONDS,
        "catch_up": catch_up_view(learner, due, now),
        "pace": words.span(pace),
        "pace_words": "a card, at first" if pace == USUAL_SECONDS else "per card",
        "nothing": _nothing(due, now=now),
        "bars": day_bars(by_day) if answers else (),
        "bar_width": round(60 / len(by_day), 2),
        "run_words": f"{words.counted(run, 'day')} in a row" if run else "The last 14 days",
        "days_words": f"{words.counted(answers, 'answer')} in {len(by_day)} days",
        "topics": _worth_a_look(learner, now),
        "interview_line": interview_line(learner, now),
        "undo": undo_form(sitting_of(request.session, learner, now)),
    }
    return render(request, "web/today.html", context)


@login_required
@require_safe
def topics(request: HttpRequest) -> HttpResponse:
    """GET /topics/: every topic by deck."""
    learner = learner_of(request.user)  # type: ignore[arg-type]
    found = list(_topics())
    rows = topic_rows(learner, found)
    decks: dict[str, list[dict[str, Any]]] = {}
    for topic, row in zip(found, rows, strict=True):
        decks.setdefault(topic.deck.title, []).append(row)
    shelves = [{"title": title, "topics": rows} for title, rows in decks.items()]
    return render(request, "web/topics.html", {"here": "topics", "decks": shelves})


def topic_rows(learner: Learner, topics: Sequence[Any]) -> list[dict[str, Any]]:
    """Rows of a topic list: title and how many of its cards were seen."""
    seen = _seen(learner)
    return [_row(topic, seen.get(topic.pk, 0)) for topic in topics]


def _row(topic: Any, seen: int) -> dict[str, Any]:
    return {
        "slug": topic.slug,
        "title_html": words.title_html(topic.title),
        "seen": seen,
        "note": _note(topic.published, seen),
    }


def _seen(learner: Learner) -> dict[int, int]:
    """{pk of a topic: its cards that were seen}."""
    memories = Memory.objects.filter(learner=learner, card__state=Card.State.PUBLISHED)
    grouped = memories.exclude(state=Memory.State.NEW).values_list("card__topic").annotate(Count("pk"))
    return dict(grouped.order_by())


def _worth_a_look(learner: Learner, now: datetime) -> list[dict[str, Any]]:
    """The topics of which least was seen, and how much of each would be recalled today."""
    seen = _seen(learner)
    least = sorted(_topics(), key=lambda topic: seen.get(topic.pk, 0) / max(topic.published, 1))
    rows = [(topic, _row(topic, seen.get(topic.pk, 0))) for topic in least[:MOST_TOPICS]]
    return [row | _recalled(learner, topic, now, seen=row["seen"]) for topic, row in rows]


def _recalled(learner: Learner, topic: Topic, now: datetime, *, seen: int) -> dict[str, str]:
    return {"note": topic_recall(learner, topic, now).sentence.rstrip(".")} if seen else {}


def _topics() -> Any:
    """Each with the number of its `published` cards, counted from an index."""
    cards = Card.objects.filter(topic=OuterRef("pk"), state=Card.State.PUBLISHED).order_by()
    number = cards.values("topic").annotate(number=Count("pk")).values("number")
    topics = Topic.objects.on_shelf().select_related("deck").defer("sections")
    return topics.annotate(published=Coalesce(Subquery(number), 0))


def _note(cards: int, seen: int) -> str:
    total = words.counted(cards, "card")
    return f"{seen} of {total} seen" if seen else f"Not started, {total}"


def _heading(due: Counts, pace: float) -> str:
    if due.total:
        return f"{words.counted(due.total, 'card')}, {words.minutes(due.total * pace)}"
    return "Nothing is due"


def _nothing(due: Counts, *, now: Any) -> str:
    if due.later and due.next_due:
        seconds = (due.next_due - now).total_seconds()
        return f"{words.counted(due.later, 'card')} come back today, the first in {words.span(seconds)}."
    return "Everything due has been answered. New cards come tomorrow, or when a topic is added."
