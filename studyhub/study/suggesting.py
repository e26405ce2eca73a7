"""The rating a stored answer suggests: found once, when it is graded, from answers given before it."""

from datetime import datetime
from functools import cached_property

from django.db.models import Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Length

from cards.models import CardVersion
from studyhub.study.models import Attempt, Learner
from studyhub.study.rating import PASSING_SCORE, Circumstances, Suggestion, is_pass, suggest
from studyhub.study.scheduling import rollover, study_day
from studyhub.study.submissions import EARLIEST

LATEST_TIMES = 200
"""As many of the latest times are compared with: a learner gets faster."""
LOOKED_THROUGH = 2_000
"""They are looked for among as many of the latest answers: a kind that is rare has none of late."""
LENGTHS = ((0, 160), (160, 400), (400, 2**31 - 1))
"""Characters of a prompt, from up to below: short, of a paragraph, long. Reading takes time too."""
NOT_RIGHT = ("incorrect", "partial")


def suggestion_of(attempt: Attempt) -> Suggestion:
    """What was suggested when the attempt was graded; it never changes with later answers."""
    if attempt.reason:
        return Suggestion(attempt.suggested_rating, attempt.reason)
    return suggest(attempt, _circumstances(attempt))


def suggestion_for(
    learner: Learner, attempt: Attempt, *, now: datetime, earlier: "Earlier | None" = None
) -> Suggestion:
    """The suggestion for an attempt graded now, by the learner's answers before `now`. Two queries at most.

    For many attempts at one moment pass one `earlier`: it asks once for all of them.
    """
    how = _circumstances(attempt)
    if not is_pass(attempt, how):
        return suggest(attempt, how)
    before = earlier or Earlier(learner, now)
    missed, times = before.missed(attempt.card_version), before.times(attempt.card_version)
    return suggest(attempt, _circumstances(attempt, missed_today=missed, times_ms=times))


class Earlier:
    """A learner's answers before a moment, as suggestions need them; each asked for once."""

    def __init__(self, learner: Learner, now: datetime) -> None:
        self._learner, self._now = learner, now
        self._times: dict[tuple[str, int], tuple[int, ...]] = {}

    def missed(self, version: CardVersion) -> bool:
        """Whether the card was missed earlier on this study day."""
        return version.card_id in self._missed

    def times(self, version: CardVersion) -> tuple[int, ...]:
        """Times (ms) of the latest right answers to questions of this type and length, latest first."""
        low, high = next(pair for pair in LENGTHS if pair[0] <= len(version.prompt) < pair[1])
        key = (version.answer_type, low)
        if key not in self._times:
            alike = Q(card_version__answer_type=version.answer_type, length__gte=low, length__lt=high)
            right = self._before().filter(alike, outcome="correct", assisted=False, elapsed_ms__gt=0)
            timed = right.filter(created_at__gte=self._of_late)
            latest = timed.order_by("-created_at").values_list("elapsed_ms", flat=True)
            self._times[key] = tuple(latest[:LATEST_TIMES])
        return self._times[key]

    @property
    def _of_late(self) -> Coalesce:
        """When the last of the answers looked through was given; part of the query that looks."""
        answers = Attempt.objects.filter(learner=self._learner).order_by("-created_at").values("created_at")
        return Coalesce(Subquery(answers[LOOKED_THROUGH : LOOKED_THROUGH + 1]), EARLIEST)

    @cached_property
    def _missed(self) -> frozenset[int]:
        zone, hour = self._learner.time_zone, self._learner.rollover_hour
        begin = rollover(study_day(self._now, time_zone=zone, hour=hour), time_zone=zone, hour=hour)
        rows = self._before().filter(created_at__gte=begin, outcome__in=NOT_RIGHT)
        return frozenset(rows.values_list("card_version__card", flat=True))

    def _before(self) -> QuerySet[Attempt]:
        lengths = Attempt.objects.annotate(length=Length("card_version__prompt"))
        return lengths.filter(learner=self._learner, created_at__lt=self._now)


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
