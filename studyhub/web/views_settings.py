"""Settings: shows a learner's rules and takes other ones, all of them or none. Decides no value itself."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from cards.models import Deck
from studyhub.study.models import Learner, learner_of
from studyhub.study.preferences import InvalidPreference, change_preferences, settings_of
from studyhub.study.schedules import InvalidSchedule
from studyhub.web import words
from studyhub.web.settings_form import SettingsForm, initial_of, percent

AIMS = (0.80, 0.85, 0.90, 0.95, 0.97)
NOTICES = {
    "1": "Saved. Answers from now on follow it; no due date has moved.",
    "0": "Nothing was changed.",
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest) -> HttpResponse:
    """GET: all settings. POST: other ones; what cannot be is said beside its field, and nothing is saved."""
    learner = learner_of(request.user)  # type: ignore[arg-type]
    if request.method == "POST":
        return _save(request, learner)
    form = SettingsForm(initial=initial_of(settings_of(learner)), decks=_decks())
    return _page(request, learner, form)


def _save(request: HttpRequest, learner: Learner) -> HttpResponse:
    form = SettingsForm(request.POST, decks=_decks())
    if form.is_valid():
        changes = form.changes(settings_of(learner))
        try:
            change_preferences(learner, changes, timezone.now())
        except (InvalidPreference, InvalidSchedule) as error:
            form.refuse(error.field, str(error))
        else:
            return redirect(f"{reverse('web:settings')}?saved={int(bool(changes))}")
    return _page(request, learner, form, status=422)


def _page(request: HttpRequest, learner: Learner, form: SettingsForm, *, status: int = 200) -> HttpResponse:
    wrong = form.wrong if form.is_bound else []
    context = {
        "form": form,
        "wrong": wrong,
        "wrong_words": _wrong_words(len(wrong)),
        "saved": "" if form.is_bound else NOTICES.get(request.GET.get("saved", ""), ""),
        "time_zone": learner.time_zone.replace("_", " "),
        "clock": f"{timezone.now().astimezone(words.zone(learner.time_zone)):%H:%M}",
        **_costs(learner),
    }
    return render(request, "web/settings.html", context, status=status)


def _wrong_words(number: int) -> str:
    verb = "cannot be as it is" if number == 1 else "cannot be as they are"
    return f"{words.counted(number, 'setting')} {verb}. Nothing was saved."


def _costs(learner: Learner) -> dict[str, Any]:
    """What each aim would ask of the cards known now."""
    from studyhub.study.statistics.aims import aims  # numpy is loaded where it is asked for

    now = round(learner.desired_retention, 4)
    found = aims(learner, sorted({*AIMS, now}))
    rows = [
        {
            "aim": percent(one.retention),
            "days": words.counted(round(one.days), "day"),
            "per_day": _load(one.per_day),
            "now": one.retention == now,
        }
        for one in found.aims
    ]
    return {"costs": rows, "cost_cards": words.counted(found.cards, "card") if found.cards else ""}


def _load(per_day: float) -> str:
    if per_day < 0.1:
        return "under 0.1"
    return f"{per_day:.1f}" if per_day < 10 else words.grouped(round(per_day))


def _decks() -> list[Deck]:
    return list(Deck.objects.order_by("title", "slug"))
