"""Study, one card at a time: asks, takes the answer, shows the verdict with the rating bar.

Parses, calls the one function of `study` that does the work, renders. Every step is a plain form.
"""

import re
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from cards.generators import concrete
from cards.grading import Unreadable
from cards.models import Card, CardVersion
from studyhub.delivery.verdicts import LONGEST_WAIT, settled
from studyhub.study.asked import NotAsked, asked_version
from studyhub.study.models import Attempt, Learner, Review, learner_of
from studyhub.study.queue import QueueItem, counts, queue_item, seconds_per_card, study_queue
from studyhub.study.rating import NAMES
from studyhub.study.reviews import (
    AttemptSubmission,
    IdempotencyConflict,
    InvalidSubmission,
    record_attempt,
)
from studyhub.study.zones import set_time_zone
from studyhub.web.addresses import onward, result_address
from studyhub.web.forms import AnswerForm, first_error, response_of, thinking_ms, whole
from studyhub.web.orders import orders_view
from studyhub.web.part_rows import parts_view, ticks_view
from studyhub.web.question import Given, given_of, question_view
from studyhub.web.rating_bar import live_review, rated_words, rating_form, undo_form, undo_of
from studyhub.web.result import TRY, result_view
from studyhub.web.said import said
from studyhub.web.session import Progress, Sitting, progress, sitting_of
from studyhub.web.signing_in import signed_in

_SLUG = re.compile(r"[-\w]{1,120}", re.ASCII)
NOTICES = {
    "first": "This question was answered before; the first answer is the one that counts.",
    "rated": "Already rated {rating}; undo to change it.",
    "undone": "That rating had been taken back and does not count. Rate this answer anew.",
}


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def study(request: HttpRequest) -> HttpResponse:
    """GET: the next card, or ?attempt= what came of an answer. POST: an answer, a hint or "I do not know"."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    if request.method == "POST":
        return _answer(request, learner, now)
    if attempt := request.GET.get("attempt"):
        return _result(request, learner, now=now, attempt=attempt_of(learner, attempt))
    return _question(request, learner, now)


def _question(request: HttpRequest, learner: Learner, now: datetime) -> HttpResponse:
    """Asks the next card of the queue, or the one named by ?card=."""
    slug, topic = _slug(request, "card"), _slug(request, "topic")
    item = _single(learner, slug, now) if slug else _next(learner, topic, now)
    if item is None:
        return redirect("web:done")
    sitting_of(request.session, learner, now).about(topic, single=bool(slug))
    return _ask(request, learner, now=now, version=item.version, seed=item.variant_seed)


def _ask(
    request: HttpRequest,
    learner: Learner,
    *,
    now: datetime,
    version: CardVersion,
    seed: int,
    given: Given | None = None,
    sent: Mapping[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The question page. `sent`: hidden values of a form that comes back with its text kept."""
    sent, sitting = sent or {}, sitting_of(request.session, learner, now)
    question = question_view(
        version,
        variant_seed=seed,
        given=given,
        client_id=sent.get("client_id"),
        shown_at=sent.get("shown_at") or int(now.timestamp() * 1000),
        action=reverse("web:study"),
    )
    question |= {"topic": sitting.topic, "single": sitting.single}
    context = {
        "question": question,
        "progress": _progress(learner, sitting, now=now),
        "undo": None if sent else undo_form(sitting),
    }
    return render(request, "web/study_question.html", context, status=status)


def _answer(request: HttpRequest, learner: Learner, now: datetime) -> HttpResponse:
    """Grades an answer once and shows what came of it; an unreadable one leaves no row and keeps its text."""
    form = AnswerForm(request.POST)
    if not form.is_valid():
        raise BadRequest(first_error(form))
    sent = form.cleaned_data
    set_time_zone(learner, request.POST.get("time_zone", ""))
    version = _version(learner, sent["card"], number=sent["version"])
    sitting_of(request.session, learner, now).about(sent["topic"], single=sent["single"])
    if "hint" in request.POST:
        given = given_of(request.POST, hints=min((sent["hints"] or 0) + 1, 3))
        return _ask(
            request, learner, now=now, version=version, seed=sent["variant_seed"], given=given, sent=sent
        )
    try:
        attempt, repeated = _recorded(request, learner, now=now, version=version, sent=sent)
        settled(attempt, now=now, wait=LONGEST_WAIT)
    except (Unreadable, InvalidSubmission) as error:
        read = error if isinstance(error, Unreadable) else Unreadable(str(error), field=error.field)
        given = given_of(request.POST, hints=sent["hints"] or 0, error=read)
        return _ask(
            request,
            learner,
            now=now,
            version=version,
            seed=sent["variant_seed"],
            given=given,
            sent=sent,
            status=422,
        )
    return redirect(result_address(attempt, notice="first" if repeated else ""))


def _recorded(
    request: HttpRequest, learner: Learner, *, now: datetime, version: CardVersion, sent: Mapping[str, Any]
) -> tuple[Attempt, bool]:
    """(attempt, whether another answer came first). The same form twice finds the stored attempt."""
    response = response_of(request.POST)
    submission = AttemptSubmission(
        client_id=sent["client_id"],
        version=version,
        variant_seed=sent["variant_seed"],
        response=response,
        elapsed_ms=thinking_ms(sent["shown_at"], now_ms=int(now.timestamp() * 1000), away=bool(sent["away"])),
        assisted=bool(sent["hints"]),
    )
    try:
        return record_attempt(learner, submission, now=now)[0], False
    except IdempotencyConflict:
        attempt = Attempt.objects.get(learner=learner, client_id=sent["client_id"])
        return attempt, attempt.response != response


def _result(request: HttpRequest, learner: Learner, *, now: datetime, attempt: Attempt) -> HttpResponse:
    """The answered question, the verdict below it and the four buttons; of a program, once it was run."""
    found = settled(attempt, now=now)
    attempt = found.attempt
    version = concrete(attempt.card_version, attempt.variant_seed)
    sitting = sitting_of(request.session, learner, now)
    notice = request.GET.get("notice", "")
    here = {"attempt": str(attempt.client_id), **({"notice": notice} if notice in NOTICES else {})}
    asked = request.GET.get(TRY, "")
    tried = whole(asked.replace(",", "").strip(), 9999)
    result = result_view(version, grade=attempt.grade, here=urlencode(here), tried=tried)
    rated = live_review(attempt)
    context = {
        "question": {"prompt_html": version.prompt_html},
        "said": said(version, attempt.response, variant_seed=attempt.variant_seed, grade=attempt.grade),
        "result": result | {"here": here},
        "untried": _untried(asked, tried) if asked and not result["tried"] else None,
        "orders": orders_view(version, response=attempt.response, grade=attempt.grade),
        "parts": parts_view(
            version, response=attempt.response, grade=attempt.grade, variant_seed=attempt.variant_seed
        ),
        "ticks": ticks_view(version, attempt.grade),
        "attempt": attempt,
        "notice": _notice(notice, rated),
        "waiting": {"reason": found.reason, "seconds": found.retry_after} if found.pending else None,
        "progress": _progress(learner, sitting, now=now),
        "rating": None if rated else rating_form(learner, attempt, now=now),
        "rated": rated_words(learner, rated, now=now) if rated else None,
        "undo": undo_of(rated) if rated else undo_form(sitting),
        "next_url": onward(sitting),
    }
    return render(request, "web/study_result.html", context)


def _untried(asked: str, tried: int) -> dict[str, str]:
    """What was asked for beside "Try another" and why nothing was run."""
    why = "4,096 heads are the most that are run here." if tried else "Give one whole number of 1 or more."
    return {"asked": asked[:7], "why": why}


def _notice(name: str, rated: Review | None) -> str:
    """What is to be known of this answer, as long as it is true: undone is said while no rating counts."""
    if name not in NOTICES or (name == "undone" and rated) or (name == "rated" and not rated):
        return ""
    return NOTICES[name].format(rating=NAMES[rated.rating].capitalize() if rated else "")


def _progress(learner: Learner, sitting: Sitting, *, now: datetime) -> Progress:
    remaining = 1 if sitting.single else max(counts(learner, now, topic=sitting.topic or None).total, 1)
    return progress(marks=sitting.marks, remaining=remaining, seconds_per_card=seconds_per_card(learner, now))


def _next(learner: Learner, topic: str, now: datetime) -> QueueItem | None:
    return next(iter(study_queue(learner, now, limit=1, topic=topic or None)), None)


def _single(learner: Learner, slug: str, now: datetime) -> QueueItem:
    card = get_object_or_404(Card.objects.select_related("topic", "published_version"), slug=slug)
    item = queue_item(learner, card, now)
    if item is None:
        raise Http404(f"card {slug} is not published")
    return item


def _slug(request: HttpRequest, name: str) -> str:
    """A slug of the query, "" where there is none; anything that can be no slug is missing."""
    slug = request.GET.get(name, "")
    if slug and not _SLUG.fullmatch(slug):
        raise Http404(f"no such {name}")
    return slug


def _version(learner: Learner, slug: str, *, number: int) -> CardVersion:
    """The wording the form was about; one never shown to this learner is a 404."""
    try:
        return asked_version(learner, slug, number=number)
    except NotAsked as error:
        raise Http404(str(error)) from error


def attempt_of(learner: Learner, client_id: str) -> Attempt:
    """An attempt of this learner; foreign or missing is the same 404."""
    try:
        wanted = uuid.UUID(client_id)
    except ValueError as error:
        raise Http404("no such attempt") from error
    rows = Attempt.objects.select_related("card_version__card__topic")
    return get_object_or_404(rows, learner=learner, client_id=wanted)
