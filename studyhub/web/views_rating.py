"""After an answer: takes the rating, takes it back, ends the sitting. Grades nothing."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from studyhub.study.asking.queue import Counts, counts
from studyhub.study.asking.sessions import Session, cards_left
from studyhub.study.models import Attempt, Learner, Review, learner_of
from studyhub.study.reviews import (
    IdempotencyConflict,
    ReviewSubmission,
    VoidRefused,
    record_review,
    void_review,
)
from studyhub.study.zones import set_time_zone
from studyhub.web import words
from studyhub.web.addresses import onward, result_address, study_address
from studyhub.web.forms import RatingForm, UndoForm, first_error
from studyhub.web.plans import is_over, left, plan_in, words_of
from studyhub.web.rating_bar import live_review, returned, undo_form
from studyhub.web.session import Sitting, sitting_of
from studyhub.web.signing_in import signed_in
from studyhub.web.views_answered import attempt_of


@signed_in
@require_POST
def rate(request: HttpRequest) -> HttpResponse:
    """Takes a rating and goes on to the next card. After another one, or its undo, it says what counts."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    form = RatingForm(request.POST)
    if not form.is_valid():
        raise BadRequest(first_error(form))
    attempt = attempt_of(learner, str(form.cleaned_data["attempt"]))
    set_time_zone(learner, request.POST.get("time_zone", ""))
    review = _review(learner, attempt, form=form.cleaned_data, now=now)
    if review is None:
        return redirect(result_address(attempt, notice="undone"))
    if review.rating != form.cleaned_data["rating"]:
        return redirect(result_address(attempt, notice="rated"))
    sitting = sitting_of(request.session, learner, now)
    sitting.rated(returned(learner, review, now), missed=review.rating == 1)
    return redirect(onward(sitting))


@signed_in
@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    """Takes the last rating back and shows its answer again, to be rated anew."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    form = UndoForm(request.POST)
    if not form.is_valid():
        raise BadRequest(first_error(form))
    review = get_object_or_404(Review, learner=learner, client_id=form.cleaned_data["review"])
    try:
        void_review(learner, review, client_id=form.cleaned_data["client_id"], now=now)
    except (IdempotencyConflict, VoidRefused) as error:
        raise BadRequest(str(error)) from error
    sitting = sitting_of(request.session, learner, now)
    if sitting.last and sitting.last.review == str(review.client_id):
        sitting.undone()
    return redirect(_after_undo(review, sitting, back=form.cleaned_data["back"]))


@signed_in
@require_safe
def done(request: HttpRequest) -> HttpResponse:
    """The end of a sitting: what was done and when something comes back."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    sitting = sitting_of(request.session, learner, now)
    plan = plan_in(sitting)
    over = is_over(sitting)
    further = replace(plan, minutes=0) if over else plan
    more = cards_left(learner, now, further) if over or sitting.single else left(sitting, learner, now)
    context = {
        "heading": _heading(len(sitting.marks), practice=plan.practice),
        "sentence": _sentence(learner, plan, more, now=now, over=over),
        "more": more,
        "more_words": words.counted(more, "card"),
        "more_url": study_address(words_of(further)),
        "undo": undo_form(sitting),
    }
    return render(request, "web/study_done.html", context)


def _review(learner: Learner, attempt: Attempt, *, form: Mapping[str, Any], now: datetime) -> Review | None:
    """The live review of this attempt, stored now or before; None where this form's own was taken back."""
    submission = ReviewSubmission(
        client_id=form["client_id"],
        rating=form["rating"],
        answered_at=now,
        device="web",
        attempt=attempt,
        draw=form["draw"],
        body={"attempt": str(attempt.client_id), "rating": form["rating"]},
    )
    try:
        review, created = record_review(learner, submission, now=now)
    except IdempotencyConflict:
        created = False
    return review if created else live_review(attempt)


def _after_undo(review: Review, sitting: Sitting, *, back: str) -> str:
    """The list it was taken back from, its answer to be rated anew, or the session it was done in."""
    if back:
        return reverse(f"web:{back}")
    return result_address(review.attempt) if review.attempt else study_address(sitting.plan)


def _heading(cards: int, *, practice: bool) -> str:
    if not cards:
        return "Nothing to study now"
    return f"{words.counted(cards, 'card')} {'practised' if practice else 'rated'}"


def _sentence(learner: Learner, plan: Session, more: int, *, now: datetime, over: bool) -> str:
    if plan.practice:
        return f"{words.counted(more, 'card')} left. Practice moves no due date."
    ended = f"{words.counted(plan.minutes, 'minute')} are over. " if over else ""
    if more:
        return f"{ended}{words.counted(more, 'card')} left. What you rated is saved."
    return ended + _what_comes_back(counts(learner, now, plan.topic or None, plan.deck), now=now)


def _what_comes_back(found: Counts, *, now: datetime) -> str:
    if found.later and found.next_due:
        seconds = (found.next_due - now).total_seconds()
        return f"{words.counted(found.later, 'card')} come back today, the first in {words.span(seconds)}."
    return "Nothing else is due today. What you rated is saved."
