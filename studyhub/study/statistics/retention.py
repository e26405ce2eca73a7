"""True retention, as Anki defines it: what share of tested answers was recalled, by age and period.

Definition: ankitects/anki `rslib/src/stats/graphs/retention.rs`; every tested answer counts, not only the
first of a day. Here a period is made of study days, each as it was lived, not of slices of 24 hours.
"""

from datetime import date, datetime, timedelta

from django.db.models import Q, Sum
from django.db.models.functions import Coalesce

from studyhub.study.models import DayRollup, Learner
from studyhub.study.statistics.shares import Share
from studyhub.study.zones import study_day_of

SPANS = {"today": (0, 0), "yesterday": (1, 1), "week": (6, 0), "month": (29, 0), "year": (364, 0)}
"""First and last study day of a period, in days before today; `all` has neither."""
_SUMS = ("young_recalled", "young_failed", "mature_recalled", "mature_failed")


def true_retention(learner: Learner, now: datetime) -> dict[str, dict[str, Share]]:
    """{period: {"young", "mature", "all": Share}}: young = an interval under 21 days; one query."""
    today = study_day_of(learner, now)
    periods = {name: _within(today, *span) for name, span in SPANS.items()} | {"all": Q()}
    sums = {
        f"{period}_{name}": Coalesce(Sum(name, filter=within), 0)
        for period, within in periods.items()
        for name in _SUMS
    }
    found = DayRollup.objects.filter(learner=learner).aggregate(**sums)
    return {period: _shares([found[f"{period}_{name}"] for name in _SUMS]) for period in periods}


def _within(today: date, first: int, last: int) -> Q:
    return Q(study_day__range=(today - timedelta(days=first), today - timedelta(days=last)))


def _shares(sums: list[int]) -> dict[str, Share]:
    young, mature = (Share(recalled, recalled + failed) for recalled, failed in (sums[:2], sums[2:]))
    return {"young": young, "mature": mature, "all": young + mature}
