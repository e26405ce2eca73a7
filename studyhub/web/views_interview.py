"""The interview: its day, its topics, the plan a worker makes for it. Plans nothing itself."""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from cards.models import Card, Topic
from studyhub.operations import jobs
from studyhub.study import interviews
from studyhub.study.interviews import MOST_DAYS, MOST_MINUTES, InvalidInterview, NoPlan
from studyhub.study.models import Interview, Learner, learner_of
from studyhub.study.zones import study_day_of
from studyhub.web import interview_said, words
from studyhub.web.job_words import job_said, latest_job
from studyhub.web.planning_chart import curve

USUAL_MINUTES = 20
MINUTES = f"Write how many whole minutes a day you study, 1 to {MOST_MINUTES}."


class InterviewForm(forms.Form):
    """When it is, how long a day is studied for it, what it is about."""

    day = forms.DateField(
        error_messages={
            "required": "Choose the day of the interview.",
            "invalid": "This is no date; write it as 2026-12-30.",
        },
    )
    minutes_per_day = forms.IntegerField(
        min_value=1,
        max_value=MOST_MINUTES,
        error_messages=dict.fromkeys(("required", "invalid", "min_value", "max_value"), MINUTES),
    )
    topics = forms.MultipleChoiceField(
        error_messages={
            "required": "Choose at least one topic.",
            "invalid_choice": "There is no topic %(value)s any more; choose from those that are listed.",
        },
    )

    def __init__(self, data: Any = None, *, topics: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.fields["topics"].choices = topics  # type: ignore[attr-defined]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def interview(request: HttpRequest) -> HttpResponse:
    """GET /interview/: the form, and the plan or how far it is. POST sets it and has the plan made."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    shelf = _shelf()
    if request.method != "POST":
        found = interviews.interview_of(learner)
        form = InterviewForm(initial=_initial(found, shelf), topics=_choices(shelf))
        return render(request, "web/interview.html", _page(learner, now, form=form, shelf=shelf))
    form = InterviewForm(request.POST, topics=_choices(shelf))
    if form.is_valid() and _set(learner, form, shelf, now=now):
        return redirect(f"{reverse('web:interview')}#plan")
    return render(request, "web/interview.html", _page(learner, now, form=form, shelf=shelf))


@login_required
@require_POST
def use(request: HttpRequest) -> HttpResponse:
    """POST /interview/use/: the plan comes to use, or with undo=1 what was before comes back."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    with suppress(NoPlan):  # sent from a page of yesterday: the one it leads to says how things stand
        (interviews.undo_plan if request.POST.get("undo") else interviews.use_plan)(learner, now)
    return redirect(f"{reverse('web:interview')}#plan")


@login_required
@require_POST
def remove(request: HttpRequest) -> HttpResponse:
    """POST /interview/remove/: no interview any more; what was put to use stays."""
    interviews.clear_interview(learner_of(request.user))  # type: ignore[arg-type]
    return redirect("web:interview")


def _set(learner: Learner, form: InterviewForm, shelf: list[Topic], *, now: datetime) -> bool:
    """Sets the interview and has its plan made; False where it cannot be, with the reason at the field."""
    wanted, slugs = dict(form.cleaned_data), [topic.slug for topic in shelf]
    if set(wanted["topics"]) >= set(slugs):
        wanted["topics"] = []  # all, so also those that come later
    try:
        found = interviews.set_interview(learner, **wanted, now=now)
    except InvalidInterview as error:
        form.add_error(error.field.split(".")[0], _plain(error, wanted, study_day_of(learner, now)))
        return False
    if found.planned_at is None:
        jobs.enqueue("plan", learner, now=now)
    return True


def _plain(error: InvalidInterview, wanted: dict[str, Any], today: Any) -> str:
    """The reason in the words of the page."""
    if error.field == "day":
        first, last = today + timedelta(days=1), today + timedelta(days=MOST_DAYS)
        say = interview_said.short_day
        return (
            f"{say(wanted['day'], today)} cannot be planned for today, {say(today, today)}. "
            f"Choose a day from {say(first, today)} to {say(last, today)}."
        )
    if error.field == "minutes_per_day":
        return (
            f"{wanted['minutes_per_day']} minutes a day cannot be; write a number from 1 to {MOST_MINUTES}."
        )
    return f"{str(error)[:1].upper()}{str(error)[1:]}."


def _shelf() -> list[Topic]:
    """The topics that have a card to study, in the order of the shelf."""
    on_shelf = Topic.objects.on_shelf().filter(cards__state=Card.State.PUBLISHED).distinct()
    return list(on_shelf.select_related("deck").order_by("deck", "position", "slug"))


def _choices(shelf: list[Topic]) -> list[tuple[str, str]]:
    return [(topic.slug, topic.title) for topic in shelf]


def _initial(found: Interview | None, shelf: list[Topic]) -> dict[str, Any]:
    """The form as it opens: what is set, else 20 minutes and everything."""
    everything = [topic.slug for topic in shelf]
    if found is None:
        return {"minutes_per_day": USUAL_MINUTES, "topics": everything}
    topics = found.topics or everything
    return {"day": found.day, "minutes_per_day": found.minutes_per_day, "topics": topics}


def _page(learner: Learner, now: datetime, *, form: InterviewForm, shelf: list[Topic]) -> dict[str, Any]:
    today, found = study_day_of(learner, now), interviews.interview_of(learner)
    chosen = set(form["topics"].value() or [])
    context = {
        "here": "today",
        "form": form,
        "first_day": today + timedelta(days=1),
        "last_day": today + timedelta(days=MOST_DAYS),
        "topics": [(topic.slug, words.title_html(topic.title), topic.slug in chosen) for topic in shelf],
        "interview": found,
    }
    return context | (_stand(learner, found, now) if found else {})


def _stand(learner: Learner, found: Interview, now: datetime) -> dict[str, Any]:
    """How the interview stands: its line, its plan, or how far that is."""
    today, job = study_day_of(learner, now), latest_job(learner, "plan")
    said = job_said(job, "the plan", now)
    waits = said if said and (said.live or found.planned_at is None) else None
    return {
        "line": interview_said.interview_line(learner, now),
        "date": f"{interview_said.long_day(found.day, today)}.",
        "ahead": found.day > today,
        "job": waits,
        "live": bool(waits and waits.live),
        **(_plan(learner, found) if found.planned_at else {}),
    }


def _plan(learner: Learner, found: Interview) -> dict[str, Any]:
    plan, before = found.plan, found.plan.get("previous")
    planned, chosen = interviews.planned_by(found), interviews.chosen_by(learner)
    return {
        "plan": plan,
        "sentences": plan["sentences"],
        "curve": curve(plan),
        "in_use": planned == chosen,
        "planned": interview_said.pair(planned),
        "chosen": interview_said.pair(chosen),
        "before": interview_said.pair(before) if before else "",
        "expected": interview_said.course(plan, plan["cards"]),
        "gain": interview_said.gain(plan),
        "rows": [_row(row, plan) for row in plan["curve"]],
        "now": _row(plan["now"], plan),
        "wanted": f"{100 * plan['desired_retention']:.3g}%",
        "made": interview_said.made_on(plan),
    }


def _row(row: dict[str, Any], plan: dict[str, Any]) -> dict[str, Any]:
    """A line of the table."""
    chosen = (row["retention"], row["new_per_day"]) == (plan["desired_retention"], plan["new_per_day"])
    return row | {"percent": f"{100 * row['retention']:.3g}%", "chosen": chosen}
