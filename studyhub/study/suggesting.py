"""The rating a stored answer suggests: found once, when it is graded, from answers given before it."""

from datetime import datetime

from django.db.models import Case, IntegerField, Q, Value, When
from django.db.models.functions import Length

from studyhub.study.models import Attempt, Learner
from studyhub.study.rating import PASSING_SCORE, Circumstances, Suggestion, is_pass, suggest
from studyhub.study.scheduling import rollover, study_day

LATEST_TIMES = 200
"""As many of the latest times are compared with: a learner gets faster."""
LENGTHS = ((0, 160), (160, 400), (400, 2**31 - 1))
"""Characters of a prompt, from up to below: short, of a paragraph, long. Reading takes time too."""
NOT_RIGHT = ("incorrect", "partial")


def suggestion_of(attempt: Attempt) -> Suggestion:
    """What was suggested when the attempt was graded; it never changes with later answers."""
    if attempt.reason:
        return Suggestion(attempt.suggested_rating, attempt.reason)
    return suggest(attempt, _circumstances(attempt))


def suggestion_for(learner: Learner, attempt: Attempt, *, now: datetime) -> Suggestion:
    """The suggestion for an attempt graded now, by the learner's answers before `now`. One query at most."""
    how = _circumstances(attempt)
    if not is_pass(attempt, how):
        return suggest(attempt, how)
    missed, times = _earlier(learner, attempt, now)
    return suggest(attempt, _circumstances(attempt, missed_today=missed, times_ms=times))


def _circumstances(
    attempt: Attempt, *, missed_today: bool = False, times_ms: tuple[int, ...] = ()
) -> Circumstances:
    return Circumstances(
        answer_type=attempt.card_version.answer_type,
        assisted=attempt.assisted,
        revealed=bool(attempt.response.get("revealed")),
        missed_today=missed_today,
        elapsed_ms=attempt.elapsed_ms,
        times_ms=times_ms,
        passing=float(attempt.grade.get("facts", {}).get("pass", PASSING_SCORE)),
        pending=str(attempt.grade.get("pending", "")),
    )


def _earlier(learner: Learner, attempt: Attempt, now: datetime) -> tuple[bool, tuple[int, ...]]:
    """(whether this card was missed today, times of right answers to questions of this type and length)."""
    version = attempt.card_version
    day = study_day(now, time_zone=learner.time_zone, hour=learner.rollover_hour)
    begin = rollover(day, time_zone=learner.time_zone, hour=learner.rollover_hour)
    missed = Q(card_version__card=version.card_id, created_at__gte=begin, outcome__in=NOT_RIGHT)
    low, high = next(pair for pair in LENGTHS if pair[0] <= len(version.prompt) < pair[1])
    alike = Q(card_version__answer_type=version.answer_type, length__gte=low, length__lt=high)
    timed = Q(outcome="correct", assisted=False, elapsed_ms__gt=0) & alike
    rows = (
        Attempt.objects.annotate(length=Length("card_version__prompt"))
        .filter(missed | timed, learner=learner, created_at__lt=now)
        .annotate(kind=Case(When(missed, then=Value(0)), default=Value(1), output_field=IntegerField()))
        .order_by("kind", "-created_at")
        .values_list("kind", "elapsed_ms")[: LATEST_TIMES + 1]
    )
    found = list(rows)
    return any(kind == 0 for kind, _ in found), tuple(ms for kind, ms in found if kind == 1)
