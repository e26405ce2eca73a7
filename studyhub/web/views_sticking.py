"""For authors: cards that do not stick, how they are answered, and what might help. Counts nothing itself."""

from typing import Any

from django.contrib.admin.views.decorators import staff_member_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from studyhub.study.statistics.rewording import suggestions
from studyhub.study.statistics.sticking import LAPSES, Unstuck, cards_that_do_not_stick
from studyhub.web import words
from studyhub.web.preview import may_look
from studyhub.web.result import mistake_words


@staff_member_required
@require_safe
def sticking(request: HttpRequest) -> HttpResponse:
    """GET /author/sticking/: for staff who may see cards."""
    if not may_look(request.user):
        raise PermissionDenied
    found = [_row(one) for one in cards_that_do_not_stick()]
    return render(request, "web/sticking.html", {"cards": found, "limit": LAPSES})


def _row(one: Unstuck) -> dict[str, Any]:
    version, answers = one.card.published_version, one.answers
    return {
        "slug": one.card.slug,
        "topic_html": words.title_html(one.card.topic.title),
        "form_url": reverse("admin:cards_card_change", args=[one.card.pk]),
        "preview_url": f"{reverse('web:preview')}?version={one.card.published_version_id}",
        "learners": f"{one.learners} of {words.counted(one.met, 'learner')} who met it",
        "lapses": words.counted(one.lapses, "lapse"),
        "wrong": f"{answers.wrong} of {words.counted(answers.number, 'answer')} wrong"
        if answers.number
        else "no answer is kept",
        "mistakes": [(mistake_words(name), number) for name, number in answers.mistakes],
        "unnamed": answers.unnamed,
        "suggestions": suggestions(version, answers),
    }
