"""Ways to study other than all that is due, and catching up after a break. Asks no card itself."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from cards.models import Deck, Topic
from studyhub.study.asking.sessions import AHEAD, CRAM, DUE, FAILED_TODAY, InvalidSession, Session, cards_left
from studyhub.study.models import Learner, learner_of
from studyhub.study.preferences import InvalidPreference, change_preferences
from studyhub.web import words
from studyhub.web.addresses import onward
from studyhub.web.custom_form import CustomForm
from studyhub.web.forms import CapForm, first_error
from studyhub.web.plans import begin
from studyhub.web.session import sitting_of
from studyhub.web.signing_in import signed_in

NOTHING = {
    DUE: "Nothing of it is due or new today.",
    AHEAD: "Nothing of it comes due in that time. Look further ahead, or choose something else.",
    CRAM: "No card of it is left: all were answered right today, or are put aside.",
    FAILED_TODAY: "Nothing of it that was rated Again today is left to practise.",
}


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def custom(request: HttpRequest) -> HttpResponse:
    """GET: what there is to choose from. POST: starts that session, unless there is nothing in it."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    form = CustomForm(request.POST or None, shelf=_shelf())
    if request.method == "POST" and form.is_valid():
        try:
            plan = form.plan()
        except InvalidSession as error:
            form.refuse(error.field, str(error))
        else:
            if cards_left(learner, now, plan):
                sitting = sitting_of(request.session, learner, now)
                begin(sitting, learner, now, plan)
                return redirect(onward(sitting))
            form.add_error("kind", NOTHING[plan.kind])
    context = {"form": form, "found": _found(learner, now)}
    return render(request, "web/custom.html", context, status=422 if form.is_bound else 200)


@signed_in
@require_POST
def catch_up(request: HttpRequest) -> HttpResponse:
    """Sets the cap of reviews a day that was offered, or lifts it with 0; back to Today."""
    learner = learner_of(request.user)  # type: ignore[arg-type]
    form = CapForm(request.POST)
    if not form.is_valid():
        raise BadRequest(first_error(form))
    try:
        change_preferences(learner, {"reviews_per_day": form.cleaned_data["per_day"]}, timezone.now())
    except InvalidPreference as error:
        raise BadRequest(f"per_day: {error}") from error
    return redirect("web:today")


def _found(learner: Learner, now: datetime) -> dict[str, str]:
    """How much there is of each way that needs no choice."""
    plans: Iterable[tuple[str, Any]] = (
        (DUE, Session()),
        (AHEAD, Session(kind=AHEAD)),
        (FAILED_TODAY, Session(kind=FAILED_TODAY)),
    )
    return {kind: words.counted(cards_left(learner, now, plan), "card") for kind, plan in plans}


def _shelf() -> list[tuple[Deck, list[Topic]]]:
    """Decks with the topics that have cards."""
    topics = Topic.objects.on_shelf().select_related("deck").order_by("deck__title", "position", "slug")
    decks: dict[int, tuple[Deck, list[Topic]]] = {}
    for topic in topics:
        decks.setdefault(topic.deck_id, (topic.deck, []))[1].append(topic)
    return list(decks.values())
