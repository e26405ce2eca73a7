"""The fit of the schedule: asked for, its report, what adopting it would move, and its taking back.

Fits nothing and moves nothing itself.
"""

import uuid
from datetime import datetime
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from studyhub.operations import jobs
from studyhub.operations.models import Job
from studyhub.study.adopting import (
    MOST_PER_DAY,
    CannotAdopt,
    adopt,
    difference,
    moved_by_current,
    undo_adoption,
)
from studyhub.study.fit_report import FEWEST
from studyhub.study.fitting.enough import terms_of
from studyhub.study.models import Learner, Parameters, learner_of
from studyhub.study.rules import UnknownVersion
from studyhub.web import fit_said
from studyhub.web.due_chart import due_columns
from studyhub.web.forms import whole
from studyhub.web.job_words import job_said, latest_job

MOST_VERSION = 2**31 - 1
PER_DAY = f"Write a whole number from 1 to {MOST_PER_DAY:,}, or nothing for no limit."


class AdoptForm(forms.Form):
    """Which version comes into force, and whether due days move with it."""

    client_id = forms.UUIDField()
    version = forms.IntegerField(min_value=0, max_value=MOST_VERSION)
    reschedule = forms.BooleanField(required=False)
    per_day = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_PER_DAY,
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), PER_DAY),
    )


class UndoForm(forms.Form):
    """Which version goes out of force."""

    client_id = forms.UUIDField()
    version = forms.IntegerField(min_value=1, max_value=MOST_VERSION)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def fit(request: HttpRequest) -> HttpResponse:
    """GET /progress/fit/: where the fit stands; ?version= looks at that version. POST asks for a fit."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    if request.method == "POST":
        kind = "fit_34" if request.POST.get("numbers") == "34" else "fit"
        if terms_of(learner) >= FEWEST:
            jobs.enqueue(kind, learner, now=now)
        return redirect(f"{reverse('web:fit')}#fit")
    asked = request.GET.get("version")
    return render(request, "web/fit.html", _page(learner, now, asked=_asked(asked)))


@login_required
@require_POST
def use(request: HttpRequest) -> HttpResponse:
    """POST /progress/fit/use/: a version comes into force; with `reschedule` due days move."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    form = AdoptForm(request.POST)
    if not form.is_valid():
        if set(form.errors) - {"per_day"}:
            raise Http404
        return render(request, "web/fit.html", _refused(learner, now, form))
    wanted = form.cleaned_data
    try:
        adopt(
            learner,
            wanted["version"],
            now=now,
            client_id=wanted["client_id"],
            reschedule=wanted["reschedule"],
            per_day=(wanted["per_day"] or 0) if wanted["reschedule"] else 0,
        )
    except CannotAdopt as error:
        raise Http404 from error
    return redirect(f"{reverse('web:fit')}#force")


@login_required
@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    """POST /progress/fit/undo/: the version before comes back into force, and the days that it moved."""
    form = UndoForm(request.POST)
    if not form.is_valid():
        raise Http404
    wanted, learner = form.cleaned_data, learner_of(request.user)  # type: ignore[arg-type]
    try:
        undo_adoption(learner, wanted["version"], now=timezone.now(), client_id=wanted["client_id"])
    except CannotAdopt as error:
        raise Http404 from error
    return redirect(f"{reverse('web:fit')}#force")


def _asked(text: str | None) -> int | None:
    """The version that is looked at; None where none is named. Raises Http404."""
    if text is None:
        return None
    if text != "0" and not whole(text, MOST_VERSION):
        raise Http404
    return int(text)


def _refused(learner: Learner, now: datetime, form: AdoptForm) -> dict[str, Any]:
    """The page again, with the number that cannot be and why."""
    wrong = {"per_day": form["per_day"].value() or "", "per_day_error": form.errors["per_day"][0]}
    return _page(learner, now, asked=form.cleaned_data["version"]) | wrong


def _page(learner: Learner, now: datetime, *, asked: int | None) -> dict[str, Any]:
    rows = list(Parameters.objects.filter(learner=learner).order_by("-version"))
    result, said = _last_result(learner), job_said(latest_job(learner, *jobs.FITS), "the fit", now)
    have, current = terms_of(learner), learner.parameters_version
    return {
        "here": "progress",
        "need": FEWEST,
        "have": have,
        "enough": have >= FEWEST,
        "job": said,
        "live": bool(said and said.live),
        "report": fit_said.report(result) if result else None,
        "current": current,
        "based_on": next((row.based_on for row in rows if row.version == current), None),
        "moved": moved_by_current(learner) if current else 0,
        "versions": fit_said.versions(rows, current, time_zone=learner.time_zone, now=now),
        "undo_id": uuid.uuid4(),
        **_looked_at(learner, asked if asked is not None else _offered(result, rows, current), now),
    }


def _last_result(learner: Learner) -> dict[str, Any]:
    """What the fit that ended last found; {} where none did."""
    done = Job.objects.filter(learner=learner, kind__in=jobs.FITS, state=Job.State.DONE)
    last = done.order_by("-finished_at").first()
    return last.result if last else {}


def _offered(result: dict[str, Any], rows: list[Parameters], current: int) -> int | None:
    """The version the last fit offers, unless its numbers are those in force."""
    numbers = {row.version: row.numbers for row in rows}
    version = result.get("version", 0)
    return version if version in numbers and numbers[version] != numbers.get(current) else None


def _looked_at(learner: Learner, version: int | None, now: datetime) -> dict[str, Any]:
    """What rescheduling under a version would move. Raises Http404 for one that is not there."""
    if version is None:
        return {"version": None}
    try:
        found = difference(learner, version, now)
    except UnknownVersion as error:
        raise Http404 from error
    return {
        "version": version,
        "difference": found,
        "moving": fit_said.moving(found),
        "chart": due_columns(found),
        "in_force": version == learner.parameters_version,
        "client_id": uuid.uuid4(),
    }
