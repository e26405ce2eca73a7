"""What came of an answer: the verdict with the rating bar, or with the way on where it was practice.

Parses and renders; grades nothing and writes nothing but a verdict that had to be waited for.
"""

import uuid
from datetime import datetime
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from cards.generators import concrete
from studyhub.delivery.verdicts import settled
from studyhub.study.asking.queue import seconds_per_card
from studyhub.study.models import Attempt, Learner, Review
from studyhub.study.rating import NAMES
from studyhub.web.addresses import onward
from studyhub.web.card_menu import card_menu
from studyhub.web.forms import whole
from studyhub.web.orders import orders_view
from studyhub.web.part_rows import parts_view, ticks_view
from studyhub.web.plans import left
from studyhub.web.rating_bar import live_review, rated_words, rating_form, undo_form, undo_of
from studyhub.web.result import TRY, result_view
from studyhub.web.said import said
from studyhub.web.session import Progress, Sitting, progress, sitting_of

NOTICES = {
    "first": "This question was answered before; the first answer is the one that counts.",
    "rated": "Already rated {rating}; undo to change it.",
    "undone": "That rating had been taken back and does not count. Rate this answer anew.",
}


def answered(request: HttpRequest, learner: Learner, *, now: datetime, attempt: Attempt) -> HttpResponse:
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
        "progress": progress_of(learner, sitting, now=now, practised=attempt.practice),
        "rating": None if rated or attempt.practice else rating_form(learner, attempt, now=now),
        "menu": card_menu(learner, attempt.card_version.card, now),
        "rated": rated_words(learner, rated, now=now) if rated else None,
        "undo": undo_of(rated) if rated else undo_form(sitting),
        "next_url": onward(sitting),
        "next_path": onward(sitting).split("?")[0],
        "next_query": {} if sitting.single else sitting.plan,
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


def progress_of(learner: Learner, sitting: Sitting, *, now: datetime, practised: bool = False) -> Progress:
    """The progress line of a sitting. `practised`: the card on the page stands on it already."""
    marks, more = sitting.marks, left(sitting, learner, now)
    if practised and marks:
        marks, more = marks[:-1], more + 1
    return progress(marks=marks, remaining=max(more, 1), seconds_per_card=seconds_per_card(learner, now))


def attempt_of(learner: Learner, client_id: str) -> Attempt:
    """An attempt of this learner; foreign or missing is the same 404."""
    try:
        wanted = uuid.UUID(client_id)
    except ValueError as error:
        raise Http404("no such attempt") from error
    rows = Attempt.objects.select_related("card_version__card__topic")
    return get_object_or_404(rows, learner=learner, client_id=wanted)
