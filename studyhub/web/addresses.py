"""Where a study page leads: addresses made from a sitting or an attempt. Knows no template."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.urls import reverse

from studyhub.study.models import Attempt
from studyhub.web.session import Sitting


def study_address(plan: Mapping[str, str]) -> str:
    """The next card of a session, as `plans.words_of` names it; {} = of all that is due."""
    return reverse("web:study") + (f"?{urlencode(plan)}" if plan else "")


def result_address(attempt: Attempt, *, notice: str = "") -> str:
    """What came of an attempt; `notice`: a name in NOTICES of something the learner should know of it."""
    query = {"attempt": str(attempt.client_id), **({"notice": notice} if notice else {})}
    return f"{reverse('web:study')}?{urlencode(query)}"


def onward(sitting: Sitting) -> str:
    """After an answer: the next card, or the end where one card was asked for by name."""
    return reverse("web:done") if sitting.single else study_address(sitting.plan)
