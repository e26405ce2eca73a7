"""Study, one card at a time: asks, takes the answer, leads to what came of it.

Parses, calls the one function of `study` that does the work, renders. Every step is a plain form.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from cards.grading import Unreadable
from cards.models import Card, CardVersion
from studyhub.delivery.verdicts import LONGEST_WAIT, settled
from studyhub.study.asked import NotAsked, asked_version
from studyhub.study.asking.queue import QueueItem, queue_item
from studyhub.study.asking.sessions import InvalidSession, Session, study_session
from studyhub.study.models import Attempt, Learner, learner_of
from studyhub.study.reviews import (
    AttemptSubmission,
    IdempotencyConflict,
    InvalidSubmission,
    record_attempt,
)
from studyhub.study.zones import set_time_zone
from studyhub.web.addresses import result_address
from studyhub.web.card_menu import card_menu
from studyhub.web.forms import AnswerForm, first_error, response_of, thinking_ms
from studyhub.web.plans import asked_plan, enter, is_over, plan_in, plan_of
from studyhub.web.question import Given, given_of, question_view
from studyhub.web.rating_bar import undo_form
from studyhub.web.session import sitting_of
from studyhub.web.signing_in import signed_in
from studyhub.web.sureness import sureness
from studyhub.web.views_answered import answered, attempt_of, progress_of

_SLUG = re.compile(r"[-\w]{1,120}", re.ASCII)
MISSED = ("incorrect", "partial")


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def study(request: HttpRequest) -> HttpResponse:
    """GET: the next card, or ?attempt= what came of an answer. POST: an answer, a hint or "I do not know"."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    if request.method == "POST":
        return _answer(request, learner, now)
    if attempt := request.GET.get("attempt"):
        return answered(request, learner, now=now, attempt=attempt_of(learner, attempt))
    return _question(request, learner, now)


def _question(request: HttpRequest, learner: Learner, now: datetime) -> HttpResponse:
    """Asks the next card of the session, or the one named by ?card=; at its end the session is over."""
    slug, plan = _slug(request, "card"), _asked(request)
    sitting = sitting_of(request.session, learner, now)
    enter(sitting, learner, now, plan, single=bool(slug))
    if slug:
        item: QueueItem | None = _single(learner, slug, now)
    else:
        item = None if is_over(sitting) else next(iter(study_session(learner, now, plan, limit=1)), None)
    if item is None:
        return redirect("web:done")
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
    question |= {"plan": sitting.plan, "single": sitting.single, "practice": plan_in(sitting).practice}
    context = {
        "question": question,
        "sure": sureness(version.answer_type, int(sent.get("confidence", 0))),
        "menu": card_menu(learner, version.card, now),
        "progress": progress_of(learner, sitting, now=now),
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
    plan, sitting = _sent_plan(sent), sitting_of(request.session, learner, now)
    enter(sitting, learner, now, plan, single=sent["single"])
    if "hint" in request.POST:
        given = given_of(request.POST, hints=min((sent["hints"] or 0) + 1, 3))
        return _ask(
            request, learner, now=now, version=version, seed=sent["variant_seed"], given=given, sent=sent
        )
    try:
        attempt, created, repeated = _recorded(
            request, learner, now=now, version=version, sent=sent, practice=plan.practice
        )
        outcome = settled(attempt, now=now, wait=LONGEST_WAIT).attempt.outcome
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
    if created and attempt.practice:
        sitting.practised(missed=outcome in MISSED)
    return redirect(result_address(attempt, notice="first" if repeated else ""))


def _recorded(
    request: HttpRequest,
    learner: Learner,
    *,
    now: datetime,
    version: CardVersion,
    sent: Mapping[str, Any],
    practice: bool,
) -> tuple[Attempt, bool, bool]:
    """(attempt, whether it is new, whether another answer came first). The same form twice finds the stored
    attempt."""
    response = response_of(request.POST)
    submission = AttemptSubmission(
        client_id=sent["client_id"],
        version=version,
        variant_seed=sent["variant_seed"],
        response=response,
        elapsed_ms=thinking_ms(sent["shown_at"], now_ms=int(now.timestamp() * 1000), away=bool(sent["away"])),
        assisted=bool(sent["hints"]),
        practice=practice,
        confidence=0 if response["revealed"] else int(sent["confidence"]),
    )
    try:
        return *record_attempt(learner, submission, now=now), False
    except IdempotencyConflict:
        attempt = Attempt.objects.get(learner=learner, client_id=sent["client_id"])
        return attempt, False, attempt.response != response


def _asked(request: HttpRequest) -> Session:
    """The session an address names; one that cannot be is missing."""
    try:
        return asked_plan(request.GET)
    except InvalidSession as error:
        raise Http404(f"{error.field}: {error}") from error


def _sent_plan(sent: Mapping[str, Any]) -> Session:
    try:
        return plan_of(sent)
    except InvalidSession as error:
        raise BadRequest(f"{error.field}: {error}") from error


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
