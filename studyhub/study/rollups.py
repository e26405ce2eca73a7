"""Sums of the lines of each study day, kept with every line, equal to counting again. Knows no clock.

Answers count with their rating, time and first meetings. Tested answers (a card past its steps, or one with
an interval of a day or more) count as recalled or not, young or mature at 21 days: true retention as Anki has
it, `rslib/src/stats/graphs/retention.rs`. Imported answers count towards true retention alone.
All sums are integers, so the order in which lines come and go never shows.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Case, CharField, Count, Exists, OuterRef, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Coalesce

from studyhub.study.models import DayRollup, Learner, Memory, Review
from studyhub.study.rating import AGAIN, EASY, GOOD, HARD

MATURE_DAYS = 21
BIN_WIDTH = 50  # per mille
BINS = tuple(str(edge) for edge in range(0, 1000, BIN_WIDTH))
"""Lower edges of the bins of promised recall, per mille; the last one holds 1000 too."""
RATED = {AGAIN: "again", HARD: "hard", GOOD: "good", EASY: "easy"}
SUMS = (
    *RATED.values(),
    "elapsed_ms",
    "first_met",
    "young_failed",
    "young_recalled",
    "mature_failed",
    "mature_recalled",
)
Sums = dict[str, Any]
"""{name of SUMS: number, "promised": {bin: [answers, recalled, sum of per mille]}}."""
_NOTHING: Sums = {**dict.fromkeys(SUMS, 0), "promised": {}}


def count_all(lines: Iterable[Review]) -> None:
    """Counts lines of one learner that were appended together: answers in, and what a void undoes out.

    One read and one write a day. The caller holds the learner's lock.
    """
    _move([(line.voids, -1) if line.kind == Review.Kind.VOID and line.voids else (line, 1) for line in lines])


def tested(line: Review) -> bool:
    """Whether an answer says what was retained: the card was past its steps, or its interval was days."""
    return line.rating > 0 and (line.state_before == Memory.State.REVIEW or line.interval_before >= 1)


def bin_of(recall: int) -> str:
    """The bin of a promise, 1..1000 per mille."""
    return BINS[min(recall // BIN_WIDTH, len(BINS) - 1)]


def counted(line: Review) -> Sums:
    """What one line adds to its day; {} if it is no answer."""
    sums: Sums = {}
    if line.kind == Review.Kind.REVIEW:
        sums = {RATED[line.rating]: 1, "elapsed_ms": line.elapsed_ms}
        sums["first_met"] = int(line.state_before == Memory.State.NEW)
    if line.kind in (Review.Kind.REVIEW, Review.Kind.IMPORT) and tested(line):
        sums[_retention_name(line)] = 1
        if line.kind == Review.Kind.REVIEW and line.recall_before:
            sums["promised"] = {bin_of(line.recall_before): [1, int(line.rating > AGAIN), line.recall_before]}
    return sums


def stored(learner: Learner) -> dict[date, Sums]:
    """The sums as they are kept, by study day; one query."""
    rows = DayRollup.objects.filter(learner=learner)
    return {row.study_day: _sums_of(row) for row in rows}


def recounted(learner: Learner) -> dict[date, Sums]:
    """The sums counted from the ledger, by study day; days of nothing are absent. Two queries."""
    lines = _live(learner)
    found: dict[date, Sums] = {}
    for day, *numbers in lines.values_list("study_day").annotate(**_AGGREGATES).order_by():
        if any(numbers):
            found[day] = {**dict(zip(_AGGREGATES, numbers, strict=True)), "promised": {}}
    for day, edge, *three in _promises(lines):
        found[day]["promised"][edge] = three
    return found


def rewrite(learner: Learner) -> int:
    """Replaces what is kept by what the ledger says: the number of days. The caller holds the lock."""
    rows = [DayRollup(learner=learner, study_day=day, **sums) for day, sums in recounted(learner).items()]
    with transaction.atomic():
        DayRollup.objects.filter(learner=learner).delete()
        DayRollup.objects.bulk_create(rows, batch_size=500)
    return len(rows)


def _retention_name(line: Review) -> str:
    age = "mature" if line.interval_before >= MATURE_DAYS else "young"
    return f"{age}_{'recalled' if line.rating > AGAIN else 'failed'}"


def _move(changes: Sequence[tuple[Review, int]]) -> None:
    """Adds (+1) and takes away (-1) lines of one learner: one read, and one write for what stays."""
    counts = [(line, change, sign) for line, sign in changes if (change := counted(line))]
    if not counts:
        return
    learner = counts[0][0].learner_id
    rows = DayRollup.objects.filter(learner=learner, study_day__in={line.study_day for line, _, _ in counts})
    days = {row.study_day: _sums_of(row) for row in rows}
    for line, change, sign in counts:
        days[line.study_day] = _added(days.get(line.study_day, _NOTHING), change, sign)
    _keep(learner, days)


def _keep(learner: int, days: Mapping[date, Sums]) -> None:
    """Writes the sums of days; a day of nothing goes."""
    if empty := [day for day, sums in days.items() if not any(sums.values())]:
        DayRollup.objects.filter(learner=learner, study_day__in=empty).delete()
    rows = [DayRollup(learner_id=learner, study_day=day, **sums) for day, sums in days.items()]
    DayRollup.objects.bulk_create(
        [row for row in rows if row.study_day not in empty],
        update_conflicts=True,
        unique_fields=("learner", "study_day"),
        update_fields=(*SUMS, "promised"),
    )


def _added(sums: Sums, change: Mapping[str, Any], sign: int) -> Sums:
    """Never below zero: what was lost before is for the recount to find, and no reason to refuse an undo."""
    moved = {name: max(0, sums[name] + sign * change.get(name, 0)) for name in SUMS}
    promised = dict(sums["promised"])
    for edge, three in change.get("promised", {}).items():
        before = promised.get(edge, [0, 0, 0])
        promised[edge] = [max(0, old + sign * new) for old, new in zip(before, three, strict=True)]
    return {**moved, "promised": {edge: three for edge, three in sorted(promised.items()) if any(three)}}


def _sums_of(row: DayRollup) -> Sums:
    return {**{name: vars(row)[name] for name in SUMS}, "promised": row.promised}


def _live(learner: Learner) -> QuerySet[Review]:
    """Answers that are not undone."""
    kinds = (Review.Kind.REVIEW, Review.Kind.IMPORT)
    undone = Review.objects.filter(voids=OuterRef("pk"))
    return Review.objects.filter(~Exists(undone), learner=learner, kind__in=kinds)


_ANSWER = Q(kind=Review.Kind.REVIEW)
TESTED = Q(rating__gt=0) & (Q(state_before=Memory.State.REVIEW) | Q(interval_before__gte=1))
"""The condition on lines that `tested` is."""
_MATURE, _RECALLED = Q(interval_before__gte=MATURE_DAYS), Q(rating__gt=AGAIN)
_AGGREGATES = {
    **{name: Count("pk", filter=_ANSWER & Q(rating=rating)) for rating, name in RATED.items()},
    "elapsed_ms": Coalesce(Sum("elapsed_ms", filter=_ANSWER), 0),
    "first_met": Count("pk", filter=_ANSWER & Q(state_before=Memory.State.NEW)),
    "young_failed": Count("pk", filter=TESTED & ~_MATURE & ~_RECALLED),
    "young_recalled": Count("pk", filter=TESTED & ~_MATURE & _RECALLED),
    "mature_failed": Count("pk", filter=TESTED & _MATURE & ~_RECALLED),
    "mature_recalled": Count("pk", filter=TESTED & _MATURE & _RECALLED),
}


def _promises(lines: QuerySet[Review]) -> Any:
    """Rows (study day, bin, answers, recalled, sum of per mille)."""
    edges = [When(recall_before__lt=int(edge) + BIN_WIDTH, then=Value(edge)) for edge in BINS[:-1]]
    answers = lines.filter(_ANSWER & TESTED, recall_before__gt=0)
    binned = answers.annotate(edge=Case(*edges, default=Value(BINS[-1]), output_field=CharField()))
    return (
        binned.values_list("study_day", "edge")
        .annotate(answers=Count("pk"), passed=Count("pk", filter=_RECALLED), mille=Sum("recall_before"))
        .order_by("study_day", "edge")
    )
