"""The last 24 hours: every line that can still be taken back, from any device. Takes nothing back itself."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from studyhub.study.models import Learner, Review, learner_of
from studyhub.study.reviews import recent_lines
from studyhub.web import words
from studyhub.web.addresses import result_address
from studyhub.web.card_menu import event_words
from studyhub.web.question_line import question_line
from studyhub.web.rating_bar import rated_words

MOST = 100


@login_required
@require_safe
def recent(request: HttpRequest) -> HttpResponse:
    """GET /study/recent/: what was rated or done with cards, last first, with Undo for each."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    lines = recent_lines(learner, now, MOST, undone=True)
    context = {
        "lines": [_row(learner, line, now) for line in lines],
        "number": words.counted(len(lines), "line") if len(lines) < MOST else f"The last {MOST} lines",
    }
    return render(request, "web/recent.html", context)


def _row(learner: Learner, line: Review, now: datetime) -> dict[str, Any]:
    void = next(iter(line.voided_by.all()), None)
    said = _said(learner, line, now)
    return {
        "line": question_line(line.card, line.variant_seed),
        "href": result_address(line.attempt) if line.attempt else "",
        "slug": line.card.slug,
        "at": _clock(learner, line.answered_at, now),
        "device": _device(line.device),
        **said,
        "undone": f"Taken back {_clock(learner, void.received_at, now)}" if void else "",
        "undo": {"review": line.client_id, "client_id": uuid4(), "rating": said["title"]},
    }


def _said(learner: Learner, line: Review, now: datetime) -> dict[str, str]:
    if line.kind == Review.Kind.REVIEW:
        return rated_words(learner, line, now=now)
    return event_words(line.kind, line.target_day)


def _clock(learner: Learner, moment: datetime, now: datetime) -> str:
    """ "at 14:03", or "on 30 November at 14:03" where that was another day there."""
    zone = words.zone(learner.time_zone)
    local = moment.astimezone(zone)
    day = "" if local.date() == now.astimezone(zone).date() else f"on {local.day} {local:%B} "
    return f"{day}at {local:%H:%M}"


def _device(name: str) -> str:
    """Where it came from, as far as it is said."""
    return "in a browser" if name == "web" else f"on {name}" if name else "on another device"
