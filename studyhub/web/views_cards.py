"""What is done with a card besides answering it, and the cards put aside. Asks and grades nothing."""

from datetime import date, datetime
from typing import Any
from uuid import UUID, uuid4, uuid5

from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from cards.models import Card
from studyhub.study.asked import NotAsked, asked_card
from studyhub.study.models import Learner, Memory, Review, learner_of
from studyhub.study.reviews import IdempotencyConflict, InvalidSubmission, Said, record_event
from studyhub.study.shelf import published
from studyhub.study.zones import set_time_zone, study_day_of
from studyhub.web import words
from studyhub.web.addresses import onward
from studyhub.web.card_menu import card_menu, event_words, target_day
from studyhub.web.forms import CardForm, first_error
from studyhub.web.question_line import question_line
from studyhub.web.rating_bar import undo_form
from studyhub.web.session import Returned, sitting_of
from studyhub.web.signing_in import signed_in

MOST = 200


@signed_in
@require_POST
def act(request: HttpRequest) -> HttpResponse:
    """Puts a card aside, takes it up, sets its day or starts it anew; then the session goes on."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    form = CardForm(request.POST)
    if not form.is_valid():
        raise BadRequest(first_error(form))
    sent = form.cleaned_data
    card, kind = _card(learner, sent["card"]), Review.Kind(sent["kind"])
    set_time_zone(learner, request.POST.get("time_zone", ""))
    try:
        day = target_day(learner, kind, sent["day"], now)
    except ValueError as error:
        menu = card_menu(learner, card, now, day=sent["day"], error=str(error))
        return _again(request, card, menu)
    line = _recorded(learner, card, kind, client_id=sent["client_id"], day=day, now=now)
    sitting = sitting_of(request.session, learner, now)
    sitting.put_aside(_returned(line))
    return redirect(reverse("web:suspended") if sent["back"] else onward(sitting))


@login_required
@require_safe
def suspended(request: HttpRequest) -> HttpResponse:
    """GET /study/suspended/: the cards put aside, each with the way back."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    aside = Memory.objects.filter(
        Q(suspended=True) | Q(buried_until__gt=study_day_of(learner, now)),
        published("card__"),
        learner=learner,
    )
    found = aside.select_related("card__topic", "card__published_version").order_by(
        "-suspended", "-lapses", "pk"
    )
    number = aside.count()
    context = {
        "cards": [_row(memory) for memory in found[:MOST]],
        "heading": f"{words.counted(number, 'card')} put aside" if number else "No card is put aside",
        "left_out": max(0, number - MOST),
        "undo": undo_form(sitting_of(request.session, learner, now)),
    }
    return render(request, "web/suspended.html", context)


def _row(memory: Memory) -> dict[str, Any]:
    until = memory.buried_until
    buried = f"Buried until {until.day} {until:%B}" if until else ""
    return {
        "slug": memory.card.slug,
        "line": question_line(memory.card),
        "topic_html": words.title_html(memory.card.topic.title),
        "stands": "Suspended" if memory.suspended else buried,
        "lapses": f", lapsed {words.counted(memory.lapses, 'time')}" if memory.lapses else "",
        "kind": Review.Kind.UNSUSPEND if memory.suspended else Review.Kind.BURY,
        "client_id": uuid4(),
    }


def _again(request: HttpRequest, card: Card, menu: dict[str, Any]) -> HttpResponse:
    """The menu alone, with what cannot be beside its field."""
    context = {"menu": menu, "line": question_line(card), "card": card}
    return render(request, "web/card_day.html", context, status=422)


def _card(learner: Learner, slug: str) -> Card:
    card = get_object_or_404(Card, slug=slug)
    try:
        return asked_card(learner, card.uuid)
    except NotAsked as error:
        raise Http404(str(error)) from error


def _recorded(
    learner: Learner, card: Card, kind: Review.Kind, *, client_id: UUID, day: date | None, now: datetime
) -> Review:
    """The line, written now or before. Each button of a page, and each day, is an event of its own."""
    own = uuid5(client_id, f"{kind} {day or ''}")
    try:
        said = Said(device="web")
        return record_event(learner, card, kind, client_id=own, now=now, target_day=day, said=said)[0]
    except (IdempotencyConflict, InvalidSubmission) as error:
        raise BadRequest(str(error)) from error


def _returned(line: Review) -> Returned:
    title, sentence = event_words(line.kind, line.target_day).values()
    return Returned(review=str(line.client_id), attempt="", rating=title, words=sentence, counted=False)
