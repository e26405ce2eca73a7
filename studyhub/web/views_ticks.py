"""A written answer beside its points: takes what the learner ticked. Grades nothing itself."""

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from cards.grading import Unreadable
from studyhub.study.models import learner_of
from studyhub.study.reviews import InvalidSubmission
from studyhub.study.settling import settle_by_ticks
from studyhub.study.zones import set_time_zone
from studyhub.web.addresses import result_address
from studyhub.web.forms import TicksForm, first_error, response_of
from studyhub.web.signing_in import signed_in
from studyhub.web.views_answered import attempt_of


@signed_in
@require_POST
def ticks(request: HttpRequest) -> HttpResponse:
    """Counts the ticked points of an answer once and shows what came of it; no tick says none of them."""
    learner = learner_of(request.user)  # type: ignore[arg-type]
    form = TicksForm(request.POST)
    if not form.is_valid():
        raise BadRequest(first_error(form))
    attempt = attempt_of(learner, str(form.cleaned_data["attempt"]))
    set_time_zone(learner, request.POST.get("time_zone", ""))
    try:
        settled, _ = settle_by_ticks(attempt, response_of(request.POST)["choices"], timezone.now())
    except (Unreadable, InvalidSubmission) as error:
        raise BadRequest(str(error)) from error
    return redirect(result_address(settled))
